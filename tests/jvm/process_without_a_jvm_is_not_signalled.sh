# SPDX-License-Identifier: Apache-2.0
# SIGQUIT would kill each of these processes.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }

env --default-signal=QUIT sleep 60 &
sleeper=$!
ask 3 jcmd $sleeper VM.version && said 'not a JVM' || exit 1
kill -0 $sleeper || { echo 'sleep was killed'; exit 1; }
kill $sleeper

target "$jdk" || exit 1
thread=$(basename "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 \
	! -name "$pid" | tail -n 1)")
ask 2 jcmd "$thread" VM.version && said 'thread' || exit 1
alive "$pid" || exit 1

for not_one in 0 -1 2147483648 99999999999999999999 abc; do
	timeout 300 "$sjkc" jstack -- "$not_one" >"$scratch/out" 2>"$scratch/err"
	case $? in
	2 | 3) ;;
	*) echo "$not_one:"; cat "$scratch/err"; exit 1 ;;
	esac
done

# A zombie: its parent never waits.
sh -c 'sh -c "exit 0" & echo $!; exec sleep 30' >"$scratch/zombie" &
parent=$!
for _ in $(seq 600); do
	zombie=$(cat "$scratch/zombie" 2>/dev/null)
	grep -q '^State:.*Z' "/proc/${zombie:-0}/status" 2>/dev/null && break
	sleep 0.1
done
ask 3 jstack "$zombie" || exit 1
kill $parent 2>/dev/null
# A kernel thread.
kernel=$(cat /proc/[0-9]*/status 2>/dev/null | awk '
	$1 == "Name:" { name = $2 } $1 == "Pid:" && name == "kthreadd" {
		print $2; exit }')
[ -z "$kernel" ] || ask 3 jstack "$kernel"
