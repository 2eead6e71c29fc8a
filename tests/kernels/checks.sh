# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What is looked at in a machine that has another kernel than ours: lines of TAP
# without numbers, and END.  Shell and tools are busybox's; ours are in /tools.
release=$(uname -r)
lockdown=$(sed -n 's/.*\[\(.*\)\].*/\1/p' /sys/kernel/security/lockdown)

is_before() {
	[ "$(printf '%s\n' "$1" "$release" | sort -V | head -n 1)" != "$1" ]
}

# check NAME COMMAND…: ok when it succeeds; /tmp/out has what it printed.
check() {
	name=$1
	shift
	if "$@" >/tmp/out 2>&1; then
		echo "ok - $name"
	else
		echo "not ok - $name (exit status $?)"
		tail -n 40 /tmp/out | cut -c 1-200 | sed 's/^/# /'
	fi
}

# ends STATUS TEXT COMMAND…: so, and with the text in one line.
ends() {
	wanted=$1 text=$2
	shift 2
	"$@" >/tmp/said 2>&1
	status=$?
	cat /tmp/said
	[ $status -eq "$wanted" ] && [ "$(wc -l </tmp/said)" -le 1 ] &&
		grep -q "$text" /tmp/said
}

takes() {
	kinds=$1
	shift
	timeout 60 /tools/take_samples "kinds=$kinds" "$@" open start
}

# What options make of the programs is another matter to who checks them.
takes_options() {
	all=cpu,offcpu,alloc,lock
	for options in stack=4096 stack=262144 user=0 kernel=0 \
		tid=1; do
		# shellcheck disable=SC2086 # words
		takes $all $options || { echo "with $options"; return 1; }
	done
	/tools/unshare --pid --fork --mount-proc \
		/tools/take_samples kinds=$all open start
}

without() {
	drop=$1
	shift
	/tools/setpriv --bounding-set="-$drop" --inh-caps="-$drop" "$@"
}

# On some kernels these two are enough whatever perf_event_paranoid is.
few_rights() {
	without sys_admin /tools/take_samples open start ||
		ends 4 'perf rights: .*CAP_SYS_ADMIN' \
			without sys_admin /tools/take_samples open start
}

# What is refused, by name and with its exit status.
refusals() {
	check 'without CAP_BPF: BPF rights' ends 4 'BPF rights: .*CAP_BPF' \
		without sys_admin,-bpf /tools/take_samples open start
	check 'with CAP_BPF and CAP_PERFMON: samples, or what is missing' \
		few_rights
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	check 'with them, where perf_event_paranoid is 2' \
		without sys_admin /tools/take_samples open start
	check 'under a filter: seccomp' ends 4 'seccomp: .*bpf(2)' \
		/tools/without_bpf /tools/take_samples open start
	check 'in a user namespace: user namespace' ends 4 'user namespace: ' \
		/tools/unshare --user --map-root-user /tools/take_samples open
	if is_before 5.11; then
		set -- 4 'locked memory: .*ulimit -l'
	else
		set -- 0 ''
	fi
	# shellcheck disable=SC3045 # busybox has it
	ulimit -l 64
	check "with 64 KiB of locked memory: ${2:-samples}" limited "$@"
}

limited() {
	if [ "$1" -eq 0 ]; then
		without sys_resource /tools/take_samples open start
	else
		ends "$@" without sys_resource /tools/take_samples open start
	fi
}

names() {
	# Functions of the kernel's own, and not those of its initialization.
	awk '$2 ~ /^[tT]$/ && $1 ~ /^f/ && !/\[/ && NR % 101 == 0 { print $1 }' \
		/proc/kallsyms >/tmp/begins
	if is_before 5.14; then
		ends 1 "kernel's names: " /tools/name_kernel </tmp/begins
		return
	fi
	/tools/name_kernel </tmp/begins >/tmp/named || return
	[ "$(wc -l </tmp/named)" -gt 100 ] || return
	# An address may have several.
	awk 'NR == FNR { name[$1] = $2; next }
		$1 in name && name[$1] == $3 { delete name[$1] }
		END { for (at in name) { print at, name[at]; bad = 1 }; exit bad }' \
		/tmp/named /proc/kallsyms
}

# profile OPTION…: of $pid, into /tmp/stacks.  Slow as it is, it loses samples.
profile() {
	rm -f /tmp/stacks
	timeout 250 sjkc prof -F 49 -d 3s -o /tmp/stacks --samples \
		--output-format collapsed "$@" "$pid" >/tmp/told 2>&1
	status=$?
	cat /tmp/told
	[ $status -eq 0 ] || [ $status -eq 7 ] || return $status
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); top[$0] += n }
		END { for (leaf in top) print top[leaf], leaf }' /tmp/stacks |
		sort -rn | head -n 20
}

# have TEXT…: stacks, each
have() {
	for text; do
		grep -q "$text" /tmp/stacks || { echo "no $text"; return 1; }
	done
}

# Of a hundred samples, 99 reach the JVM's function that threads begin with; but
# for those that prof says it had no time for.  Where that is a fifth, 2: nothing
# can be said of the others.
are_whole() {
	lost=$(sed -n 's/.*stack traces lost: \([0-9]*\).*/\1/p' /tmp/told)
	awk -v lost="${lost:-0}" '{ all += $NF }
		/thread_native_entry;|;JavaMain;|;main;/ { whole += $NF }
		END { print whole, "whole of", all, "and", lost, "lost"
			if (lost > .2 * all)
				exit 2
			exit !whole || whole + lost < .99 * all }' /tmp/stacks
}

# see ALSO OPTIONS TEXT…: profiles have stacks with each of the texts, and ALSO is
# true of all of them.  Of a machine that has had no time there are few samples:
# then there is another profile.
see() {
	also=$1 options=$2
	shift 2
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086 # words
		profile $options || return
		$also
		case $? in
		0) have "$@" && return ;;
		2) ;;
		*) return 1 ;;
		esac
	done
	return 1
}

# Of threads that do nothing else.
are_apart() {
	are_whole && ! grep '^\[computes .*Busy.read' /tmp/stacks
}

are_of_monitors() {
	are_whole && ! grep 'Busy.rest' /tmp/stacks
}

profiles() {
	check 'prof of CPU time has stacks and names of the kernel' \
		see are_whole '--no-agent -e cpu' \
		Busy.compute 'Busy.read;.*;vfs_read;' Busy.allocate
	check 'prof with the agent tells threads apart' \
		see are_apart '-e cpu --threads' \
		'^\[computes .*Busy.compute' '^\[reads .*;vfs_read;'
	check 'prof of time off the CPU' \
		see true '--no-agent -e offcpu' \
		'Busy.rest;.*;do_syscall_64;' Busy.contend
	check 'prof of wall time' see true '-e wall --threads' \
		'^\[rests .*Busy.rest' '^\[computes .*Busy.compute' \
		'^\[contends, too .*Busy.contend'
	check 'prof of allocations' see are_whole '-e alloc --no-class' \
		'Busy.allocate '
	check 'prof of monitors' see are_of_monitors '-e lock --no-class' \
		'Busy.contend '
}

# Nobody reads, and there is little room.
losses() {
	/tools/take_samples kinds=cpu hz=99 ring=65536 quiet open add="$pid" \
		start sleep=5000 stop counts
	grep -q 'taken=[1-9].* lost=[1-9]' /tmp/out
}

doctor() {
	sjkc doctor "$pid" && grep -q '^works: .*prof -p' /tmp/out
}

# A JVM, and all that prof does with it.
jvm() {
	: >/tmp/busy
	/jre/bin/java -Xmx64m -XX:+UseSerialGC -cp /classes Busy 1800 \
		>/tmp/busy 2>&1 &
	pid=$!
	until grep -q READY /tmp/busy; do
		kill -0 $pid || { echo 'not ok - a JVM starts'; return; }
		sleep 1
	done
	# Until what is compiled is.
	sleep 10
	check 'doctor says that prof works' doctor
	profiles
	check 'samples without room are counted' losses
	check 'the JVM has gone on' kill -9 $pid
}

if is_before 5.8; then
	check 'it is refused as too old' ends 8 'kernel: .*5.8 or later' \
		/tools/take_samples open
elif [ "$lockdown" = confidentiality ]; then
	check 'lockdown=confidentiality is refused' ends 8 \
		'lockdown: .*lockdown=integrity' /tools/take_samples open
else
	for kind in cpu offcpu cpu,offcpu alloc lock; do
		check "the kernel takes what samples $kind" takes $kind
	done
	if [ "$lockdown" != integrity ]; then
		check 'it takes them with all options' takes_options
		check "functions have the names of kallsyms, from 5.14 on" names
		jvm
		( refusals )
		mount -t tmpfs none /sys/kernel/btf
		check 'without BTF: BTF' ends 8 'BTF: .*CONFIG_DEBUG_INFO_BTF' \
			/tools/take_samples open
	fi
fi
echo END
