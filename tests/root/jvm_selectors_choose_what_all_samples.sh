# SPDX-License-Identifier: Apache-2.0
# --include-jvm, --exclude-jvm and --min-age choose the JVMs of `prof --all` and
# `gc --all`, and the number of excluded JVMs is printed for each option.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
engine_start || exit 1
for name in shop depot; do
	jar=$scratch/$name.jar
	"$jdk/bin/jar" cfe "$jar" Target -C "$classes" . || exit 1
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m -Dtarget.duty=25 -jar "$jar" burners=1 \
		>"$scratch/$name.out" 2>&1 &
	target_jobs="$target_jobs $!"
	target_wait "$scratch/$name.out" . || { cat "$scratch/$name.out"; exit 1; }
done
set -- --all --include-jvm "main=*/shop.jar" --include-jvm "main=*/depot.jar"
prof 0 "$@" --exclude-jvm 'main=*/depot.*' -F 49 -d 3s --interval 1s \
	--push "http://127.0.0.1:$engine_port" --shutdown-timeout 60s || exit 1
engine_accepts && engine_agrees "$prof_err" &&
	has "$prof_err" 'JVMs excluded by --exclude-jvm main=\*/depot\.\*: 1$' || exit 1
services=$(sed -n 's/^resource service\.name=\([^ ]*\).*/\1/p' "$engine"/*.txt |
	sort -u)
[ "$services" = shop ] || { echo "services: $services"; exit 1; }

# nothing OPTION…: fails unless prof reports that there is no JVM to sample
nothing() {
	prof 3 "$@" -d 1s || return
	has "$prof_err" 'no JVM to sample'
}
nothing "$@" --min-age 1d && has "$prof_err" 'JVMs excluded by --min-age: 2$' &&
	nothing "$@" --exclude-jvm user=root &&
	has "$prof_err" 'JVMs excluded by --exclude-jvm user=root: 2$' &&
	nothing --all --include-jvm "container=none" &&
	has "$prof_err" 'JVMs that match no --include-jvm: 2$' || exit 1

timeout 60 "$sjkc" gc "$@" --exclude-jvm 'main=*/shop.*' --json 1 \
	>"$scratch/gc.out" 2>"$scratch/gc.err" || { cat "$scratch/gc.err"; exit 1; }
grep -q 'JVMs excluded by --exclude-jvm main=\*/shop\.\*: 1$' "$scratch/gc.err" ||
	{ cat "$scratch/gc.err"; exit 1; }
