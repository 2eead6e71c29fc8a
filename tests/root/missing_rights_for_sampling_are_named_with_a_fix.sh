# SPDX-License-Identifier: Apache-2.0
# Each missing requirement has an exit status and a fix, from the sampler and
# from `doctor`, and commands that do not need it still work.
#
# Real: capabilities, a user namespace, a system call filter, no BTF. Simulated:
# Linux 4.18, Linux 5.10 that charges locked memory, lockdown, Debian's
# perf_event_paranoid.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
tools=$(realpath "${TOOLS:?}")
other_kernel=$(dirname "$(dirname "$tools")")/tools/other_kernel.so
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
target "$(jdks | head -n 1)" || exit 1

# refused STATUS NAME TEXT COMMAND…: the sampler exits with STATUS and prints
# NAME and TEXT in one line; doctor prints a line NAME with a fix, and that prof
# does not work.
refused() {
	wanted=$1 name=$2 text=$3
	shift 3
	"$@" "$tools/take_samples" open start >"$scratch/out" 2>&1
	status=$?
	if [ $status -ne "$wanted" ] ||
		! grep -q "$name: .*$text" "$scratch/out" ||
		[ "$(wc -l <"$scratch/out")" -ne 1 ]; then
		failed "$*: exit status $status, not $wanted, '$name: …$text'"
	fi
	"$@" "$sjkc" doctor "$pid" >"$scratch/out" 2>&1
	status=$?
	grep -A1 "^failed *$name " "$scratch/out" | grep -q -- '-> ' ||
		failed "$* doctor: exit status $status: no remedy of $name"
	grep -q "^does not work: .*prof -p ($name)" "$scratch/out" ||
		failed "$* doctor: prof works without $name"
	grep -q '^works: jps' "$scratch/out" || failed "$* doctor: no jps"
}

failed() {
	echo "$1:"
	cat "$scratch/out"
	exit 1
}

without() {
	echo "setpriv --bounding-set=-$1 --inh-caps=-$1"
}

env="env LD_PRELOAD=$other_kernel"
# shellcheck disable=SC2046,SC2086 # words
{
	refused 4 'BPF rights' 'with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE' \
		$(without sys_admin,-bpf,-perfmon)
	refused 4 'BPF rights' 'CAP_PERFMON is missing' $(without sys_admin,-perfmon)
	refused 4 'BPF rights' 'CAP_BPF is missing' $(without sys_admin,-bpf)
	# These two capabilities are enough.
	$(without sys_admin) "$tools/take_samples" open start ||
		{ echo 'CAP_BPF and CAP_PERFMON are not enough'; exit 1; }
	refused 4 seccomp 'bpf(2).*seccomp profile' "$tools/without_bpf"
	refused 4 seccomp 'perf_event_open(2).*seccomp profile' \
		"$tools/without_bpf" -p
	# doctor does not report that perf events are allowed, since the filter
	# blocks them.
	grep -q '^unknown *perf rights .*unknown' "$scratch/out" ||
		failed 'with a filter: perf rights'
	# No agent is loaded if there are no perf events.
	for event in cpu alloc; do
		! "$tools/without_bpf" -p "$sjkc" prof "$pid" -e $event -d 1s \
			>"$scratch/out" 2>&1 && grep -q seccomp "$scratch/out" &&
			! grep -q '/\.sjkc-' "/proc/$pid/maps" ||
			failed "prof -e $event with a filter of perf_event_open(2)"
	done
	echo 3 >"$scratch/paranoid"
	refused 4 'perf rights' 'CAP_SYS_ADMIN.*perf_event_paranoid to 2' \
		$env OTHER_PARANOID="$scratch/paranoid"
	echo 2 >"$scratch/paranoid"
	refused 4 'perf rights' 'paranoid is 2, .*or with CAP_PERFMON' \
		$env OTHER_PARANOID="$scratch/paranoid"
	# Names of kernel functions do not matter here: this kernel looks them
	# up one by one, a kernel before 5.14 not at all.
	for look in 'ok:env' "warning:$env OTHER_RELEASE=5.13.0"; do
		$(without syslog) ${look#*:} "$sjkc" doctor "$pid" \
			>"$scratch/out" || failed 'doctor without CAP_SYSLOG'
		grep -q "^${look%%:*} *kernel symbols " "$scratch/out" ||
			failed "without CAP_SYSLOG, ${look#*:}: kernel symbols"
		grep -q '^works: .*prof -p' "$scratch/out" ||
			failed 'without CAP_SYSLOG, prof does not work'
	done
}

# With too little memory, the program fails to load, or libbpf fails with an
# unrelated message.  sjkc crashes with no limit.
for kib in 8000 10000 12000 14000 16000 20000 24000 32000; do
	prlimit --as=$((kib * 1024)) "$sjkc" doctor "$pid" >"$scratch/out" 2>&1
	status=$?
	[ $status -lt 128 ] ||
		! prlimit --as=$((kib * 1024)) "$sjkc" --version \
			>/dev/null 2>&1 ||
		failed "ulimit -v $kib: exit status $status"
	! grep '^failed *BPF programs' "$scratch/out" |
		grep -v 'address space is limited to [0-9]* MiB; use .ulimit -v' ||
		failed "ulimit -v $kib"
done

cat >"$scratch/no_btf.sh" <<-END
	mount -t tmpfs tmpfs /sys/kernel/btf && exec "\$@"
END
refused 8 BTF 'CONFIG_DEBUG_INFO_BTF' \
	unshare --mount sh "$scratch/no_btf.sh"
# shellcheck disable=SC2046,SC2086 # words
{
	refused 8 kernel 'Linux 4.18.0 has no BPF ring.*5.8 or later' \
		$env OTHER_RELEASE=4.18.0
	refused 4 'locked memory' 'ulimit -l unlimited' \
		prlimit --memlock=65536:65536 $(without sys_resource) $env OTHER_RELEASE=5.10.0
	# This kernel does not charge locked memory.
	prlimit --memlock=65536:65536 $(without sys_resource) \
		"$tools/take_samples" open start || exit 1
	echo 'none integrity [confidentiality]' >"$scratch/lockdown"
	refused 8 lockdown 'lockdown=integrity' \
		$env OTHER_LOCKDOWN="$scratch/lockdown"
}

# A filter of process_vm_readv(2) is not reported as a missing capability.
# shellcheck disable=SC2086 # words
$env OTHER_NO_READV=1 "$sjkc" doctor "$pid" >"$scratch/out" 2>&1
grep -A1 '^failed *Java stacks ' "$scratch/out" >"$scratch/stacks"
grep -q 'a filter (seccomp) blocks process_vm_readv(2)' "$scratch/stacks" ||
	failed 'without process_vm_readv: Java stacks'
! grep -q CAP_SYS_PTRACE "$scratch/stacks" ||
	failed 'without process_vm_readv: advice about CAP_SYS_PTRACE'

# Exhausted descriptors are reported as such, not as missing rights, which
# cannot be checked then.
for files in 8 16 24; do
	timeout 50 prlimit --nofile=$files "$sjkc" prof --no-agent -d 100ms "$pid" \
		>"$scratch/out" 2>&1
	status=$?
	{ [ $status -eq 8 ] && grep -q "and $files are allowed" "$scratch/out"; } ||
		failed "with $files open files: exit status $status"
	! grep -q 'BPF rights\|tmpfs' "$scratch/out" ||
		failed "with $files open files"
done
# The limit in the message is enough, also for the descriptors of pauses.
for events in wall wall,gc; do
	prlimit --nofile=24 "$sjkc" prof --no-agent -e $events -d 100ms "$pid" \
		>"$scratch/out" 2>&1
	needed=$(sed -n 's/.* \([0-9]*\) file descriptors.*ulimit -n \1`.*/\1/p' \
		"$scratch/out")
	timeout 50 prlimit --nofile="${needed:-1}" "$sjkc" prof --no-agent \
		-e $events -d 100ms "$pid" >"$scratch/out" 2>&1 ||
		failed "-e $events with the ${needed:-unknown} open files that are needed"
	! grep -q 'pauses .* are not measured' "$scratch/out" ||
		failed "-e $events with $needed open files"
done
# prof raises the soft limit for itself, but not for the program that it starts.
prlimit --nofile=16:1024 "$sjkc" prof -e wall -d 10s -o "$scratch/out.txt" -- \
	sh -c 'ulimit -n; sleep 0.3' >"$scratch/out" 2>&1
status=$?
{ [ $status -eq 0 ] && grep -qx 16 "$scratch/out" && [ -s "$scratch/out.txt" ]; } ||
	failed "with 16 open files of 1024: exit status $status"
head -n 1 "$scratch/out.txt" | grep -q '^wall of sh ([0-9]*): ' ||
	failed "the title is $(head -n 1 "$scratch/out.txt")"
# Uprobes report allocations.
# shellcheck disable=SC2046 # words
$(without sys_admin) "$sjkc" prof -e alloc -d 100ms "$pid" >"$scratch/out" 2>&1
status=$?
{ [ $status -eq 4 ] && grep -q 'uprobes require CAP_SYS_ADMIN' "$scratch/out"; } ||
	failed "-e alloc: exit status $status"
# A file size limit is an error and does not kill prof, which must remove a
# directory in the target's /tmp.
prlimit --fsize=600 "$sjkc" prof -e wall -d 1s -o "$scratch/page.html" \
	"$pid" >"$scratch/out" 2>&1
status=$?
{ [ $status -eq 9 ] && grep -q 'File too large' "$scratch/out"; } ||
	failed "with files of 600 bytes: exit status $status"
grep -q '(/tmp: File too large.*ulimit -f' "$scratch/out" ||
	failed 'with files of 600 bytes: the folder'

# In a user namespace, root has all capabilities but no rights.
unshare --user --map-root-user "$tools/take_samples" open >"$scratch/out" 2>&1
status=$?
[ $status -eq 4 ] || failed "in a user namespace: exit status $status"
grep -q 'user namespace: not the initial one' "$scratch/out" ||
	failed 'in a user namespace'
