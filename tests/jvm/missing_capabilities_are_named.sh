# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo 'not root'; exit 77; }
target "$(jdks | head -n 1)" || exit 1
chmod 755 "$scratch"
cp "$1" "$scratch/sjkc"

# refused TEXT COMMAND…: fails unless the command exits with 4 and prints TEXT,
# and the JVM is still running
refused() {
	what=$1
	shift
	said=$("$@" 2>&1)
	status=$?
	[ $status -eq 4 ] || { echo "$*: exit status $status: $said"; exit 1; }
	echo "$said" | grep -q -- "$what" || { echo "$*: $said"; exit 1; }
	kill -0 "$pid" || { echo "$* killed it"; exit 1; }
}

other='setpriv --reuid=1234 --regid=1234 --clear-groups'
root='setpriv --reuid=0 --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace'
# shellcheck disable=SC2086 # words
{
	refused 'run as that user or as root' $other "$scratch/sjkc" doctor $pid
	refused 'run as that user or as root' $other "$scratch/sjkc" jcmd $pid
	refused 'run as root to see all' $other "$scratch/sjkc" jps
	refused 'run as root to see all' $other "$scratch/sjkc" jcmd -l
	target_end $pid

	within='setpriv --reuid=1 --regid=1 --clear-groups'
	target "$(jdks | head -n 1)" || exit 1
	refused 'with CAP_SYS_PTRACE.*profile=general' $root "$scratch/sjkc" doctor $pid
	# In a container, root may lack the rights to become another user, to signal it,
	# and to place uprobes.
	only='setpriv --inh-caps=-all --bounding-set=-all,+sys_ptrace'
	fix='CAP_SETUID, CAP_SETGID and CAP_KILL (kubectl debug --profile=general)'
	for command in 'jcmd PID VM.uptime' 'jstack PID' 'doctor PID'; do
		refused "without CAP_SETUID and CAP_SETGID" $only \
			"$scratch/sjkc" ${command%PID*} $pid ${command#*PID}
		echo "$said" | grep -Fq "$fix" || { echo "$command: $said"; exit 1; }
	done
	refused 'without CAP_KILL; .*profile=general' $only,+setuid,+setgid \
		"$scratch/sjkc" jcmd $pid VM.uptime
	refused 'without CAP_KILL' $only,+setuid,+setgid "$scratch/sjkc" doctor $pid
	bpf=+bpf,+perfmon
	refused 'uprobes require CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH; .*profile=sysadmin' \
		$only,$bpf "$scratch/sjkc" gc $pid 1s --source uprobes
	refused 'uprobes require CAP_DAC_READ_SEARCH; ' $only,$bpf,+sys_admin \
		"$scratch/sjkc" gc $pid 1s --source uprobes
	$only,$bpf "$scratch/sjkc" doctor $pid >"$scratch/got" 2>&1
	grep -q '^failed *uprobe rights .*CAP_SYS_ADMIN' "$scratch/got" &&
		grep -q '^works: .*gc (in part: uprobe rights)' "$scratch/got" ||
		{ cat "$scratch/got"; exit 1; }
	# These rights are enough.
	$only,$bpf,+sys_admin,+dac_read_search "$scratch/sjkc" gc $pid 1s --source uprobes \
		>"$scratch/got" 2>&1 || { cat "$scratch/got"; exit 1; }
	$only,+setuid,+setgid,+kill "$scratch/sjkc" jcmd $pid VM.uptime >"$scratch/got" 2>&1 ||
		{ cat "$scratch/got"; exit 1; }
	# The JVM's own user needs no capability.
	setpriv --reuid=1 --regid=1 --clear-groups \
		"$scratch/sjkc" doctor $pid >"$scratch/got" 2>&1 ||
		{ cat "$scratch/got"; exit 1; }
	target_end $pid

	# The kernel hides a JVM with more capabilities or another group from
	# its own user: the JVM is found by its counters.
	user='setpriv --reuid=1 --regid=1 --clear-groups --inh-caps=-all'
	within='setpriv --reuid=1 --regid=1 --clear-groups
		--inh-caps=+net_bind_service --ambient-caps=+net_bind_service'
	target "$(jdks | head -n 1)" || exit 1
	for command in "jcmd $pid VM.uptime" "jcmd $pid VM.uptime" \
		"jstat -gc $pid"; do
		$user "$scratch/sjkc" $command >"$scratch/got" 2>&1 ||
			{ echo "$command:"; cat "$scratch/got"; exit 1; }
	done
	$user "$scratch/sjkc" jps 2>&1 | tee "$scratch/got" |
		grep -q "^ *$pid .* Target" &&
		$user "$scratch/sjkc" doctor $pid 2>&1 | tee "$scratch/got" |
		grep -q 'lacks (cap_net_bind_service); run as root' ||
		{ cat "$scratch/got"; exit 1; }
	target_end $pid
	within='setpriv --reuid=1 --regid=2 --clear-groups'
	target "$(jdks | head -n 1)" || exit 1
	refused 'JVM runs with gid 2, sjkc with gid 1' \
		$user "$scratch/sjkc" jcmd $pid VM.uptime
	target_end $pid
	target "$(jdks | head -n 1)" -XX:-UsePerfData || exit 1
	refused 'process runs with gid 2, sjkc with gid 1' \
		$user "$scratch/sjkc" jcmd $pid VM.uptime
}
exit 0
