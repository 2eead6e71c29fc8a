# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# A launched program starts a second JVM, which takes 3 s to start.  Until then
# prof cannot load its agent, which -e alloc needs.  prof samples the JVM when it
# has started, and the first JVM meanwhile.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
out=$scratch/out.collapsed
# The JVM continues when its file is removed.
cat >"$scratch/program" <<-'END'
	run() {
		seconds=$1
		shift
		"$@" "-Dtarget.seconds=$seconds" Target allocators=1 >/dev/null &
	}
	run 14 "$@"
	sleep 2
	run 8 "$@" -XX:+UnlockDiagnosticVMOptions -XX:+PauseAtStartup \
		"-XX:PauseAtStartupFile=$0.paused"
	sleep 3
	rm "$0.paused"
	wait
END
prof 0 -e alloc -t -o "$out" -- sh "$scratch/program" \
	"$jdk/bin/java" -cp "$classes" || exit 1
jvms=$(grep 'Target\.allocate' "$out" | grep -o '^.allocator-0 tid=[0-9]*' |
	sort -u | wc -l)
[ "$jvms" -eq 2 ] && ! grep 'not sampled' "$prof_err" && exit
echo "allocations of $jvms JVMs, not 2"
cat "$prof_err"
exit 1
