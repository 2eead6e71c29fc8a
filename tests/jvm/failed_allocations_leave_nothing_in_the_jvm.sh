# SPDX-License-Identifier: Apache-2.0
# Each allocation of an attach fails in turn, including those of the child
# process that wakes the JVM: sjkc reports it and leaves no file behind.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
faults=$(realpath "${TOOLS:-build/cc/tests/jvm/lib}/../../tools/faults.so" 2>/dev/null)
[ -e "${faults:-none}" ] || { echo 'no faults.so'; exit 77; }
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }

# starved N: attaches to a JVM without attach socket; allocation N and all later
# ones fail
starved() {
	rm -f "/tmp/.java_pid$pid"
	FAULT_ALLOC=$1 LD_PRELOAD=$faults timeout 300 "$sjkc" jcmd --timeout 5s \
		"$pid" VM.version >"$scratch/out" 2>"$scratch/err"
	status=$?
	case $status in
	0) return 1 ;;
	1) said 'out of memory' || exit 1 ;;
	# A function of libc failed.
	2 | 3 | 4 | 5 | 7) ;;
	# glibc's lookup of users, getpwuid_r(3), breaks without memory.
	134 | 139) ;;
	*) echo "allocation $1: exit status $status"; cat "$scratch/err"; exit 1 ;;
	esac
	for _ in $(seq 600); do
		[ -e "/tmp/.attach_pid$pid" ] || break
		sleep 0.1
	done
	if ! alive "$pid" || ! attach_left_nothing "$pid"; then
		echo "allocation $1"
		exit 1
	fi
}

target "$jdk" || exit 1
n=1
while starved $n && [ $n -lt 400 ]; do
	n=$((n + 1))
done
[ $n -gt 5 ] || { echo "only $n allocations"; exit 1; }
ask 0 jcmd "$pid" VM.version
