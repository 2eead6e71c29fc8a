# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# In a PID namespace, where the next PID can be chosen, one of two targets ends,
# and a busy process gets its PID.  The profile has none of the busy process's
# time, not even from before prof notices the end of the target.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target "$jdk" -- burners=1 && first=$pid && target "$jdk" -- burners=1 || exit 1
prof_start --no-agent -v -t -F 999 -d 6s -o "$scratch/out.collapsed" \
	-p "$first" -p "$pid" && target_wait "$prof_err" 'sampling 2 JVMs' || exit 1
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
prof_end 7 || exit 1
kill -0 "$job" || { echo 'the newcomer has ended'; exit 1; }
has "$scratch/out.collapsed" '^\[burner-0 ' &&
	has "$prof_err" 'has exited; its samples until then are kept' || exit 1
if grep -E '^\[(dd|sh) ' "$scratch/out.collapsed"; then
	echo 'the process that reused the PID was sampled'
	exit 1
fi
