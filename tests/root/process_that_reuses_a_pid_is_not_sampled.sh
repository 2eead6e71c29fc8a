# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# In a PID namespace, where the next PID can be chosen, one of two targets ends,
# and a busy process gets its PID.  The profile has none of the busy process's
# time, not even from before prof notices the end of the target.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
cat >"$scratch/within.sh" <<'END'
java() {
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m \
		-XX:+UseSerialGC -Dtarget.seconds=60 -cp "$classes" Target \
		burners=1 >"$scratch/java.$1" 2>&1 &
	pid=$!
	for _ in $(seq 1 300); do
		grep -q READY "$scratch/java.$1" && return
		sleep 0.1
	done
	exit 1
}
java 1
first=$pid
java 2
second=$pid
"$sjkc" prof --no-agent -v -t -F 999 -d 6s -o "$scratch/out.collapsed" \
	-p "$first" -p "$second" 2>"$scratch/prof.err" &
prof=$!
for _ in $(seq 1 300); do
	grep -q 'sampling 2 JVMs' "$scratch/prof.err" && break
	sleep 0.1
done
sleep 1
kill -KILL "$first"
wait "$first"
for _ in $(seq 1 50); do
	echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
	dd if=/dev/zero of=/dev/null bs=1M 2>/dev/null &
	job=$!
	[ "$job" -eq "$first" ] && break
	kill -KILL "$job"
done
[ "$job" -eq "$first" ] || { echo "no process got pid $first"; exit 1; }
wait "$prof"
status=$?
kill -0 "$job" || { echo 'the newcomer has ended'; exit 1; }
kill -KILL "$job" "$second"
[ $status -eq 7 ] || { cat "$scratch/prof.err"; echo "status $status"; exit 1; }
END
export jdk classes scratch sjkc
timeout 100 unshare --pid --fork --kill-child --mount-proc \
	sh "$scratch/within.sh" || exit 1
has "$scratch/out.collapsed" '^\[burner-0 ' &&
	has "$scratch/prof.err" 'has ended; its samples until then are kept' || exit 1
if grep -E '^\[(dd|sh) ' "$scratch/out.collapsed"; then
	echo 'the process that reused the PID was sampled'
	exit 1
fi
