# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Checks that run in an emulated machine with another kernel.  Prints TAP lines
# without numbers, and END.  Shell and tools are busybox's; the test programs
# are in /tools.
release=$(uname -r)
lockdown=$(sed -n 's/.*\[\(.*\)\].*/\1/p' /sys/kernel/security/lockdown)

is_before() {
	[ "$(printf '%s\n' "$1" "$release" | sort -V | head -n 1)" != "$1" ]
}

# check NAME COMMAND…: prints ok if the command succeeds; its output is in
# /tmp/out
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

# ends STATUS TEXT COMMAND…: exits with STATUS and prints one line with TEXT
ends() {
	wanted=$1 text=$2
	shift 2
	"$@" >/tmp/said 2>&1
	status=$?
	cat /tmp/said
	[ $status -eq "$wanted" ] && [ "$(wc -l </tmp/said)" -le 1 ] &&
		grep -q "$text" /tmp/said
}

accepts() {
	kinds=$1
	shift
	timeout 60 /tools/take_samples "kinds=$kinds" "$@" open start
}

# The verifier must accept the programs with each option.
accepts_options() {
	all=cpu,offcpu,alloc,lock,exit,block,fault
	for options in stack=4096 stack=262144 user=0 kernel=0 \
		tid=1; do
		# shellcheck disable=SC2086 # words
		accepts $all $options || { echo "with $options"; return 1; }
	done
	/tools/unshare --pid --fork --mount-proc \
		/tools/take_samples kinds=$all open start
}

without() {
	drop=$1
	shift
	/tools/setpriv --bounding-set="-$drop" --inh-caps="-$drop" "$@"
}

# On some kernels two capabilities are enough, whatever perf_event_paranoid is.
two_capabilities() {
	without sys_admin /tools/take_samples open start ||
		ends 4 'perf rights: .*CAP_SYS_ADMIN' \
			without sys_admin /tools/take_samples open start
}

# Missing requirements, with their names and exit statuses.
refusals() {
	check 'a missing CAP_BPF is named' ends 4 'BPF rights: .*CAP_BPF' \
		without sys_admin,-bpf /tools/take_samples open start
	check 'CAP_BPF and CAP_PERFMON suffice, or the missing right is named' \
		two_capabilities
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	check 'CAP_BPF and CAP_PERFMON suffice if perf_event_paranoid is 2' \
		without sys_admin /tools/take_samples open start
	check 'a seccomp filter is named' ends 4 'seccomp: .*bpf(2)' \
		/tools/without_bpf /tools/take_samples open start
	check 'a user namespace is named' ends 4 'user namespace: ' \
		/tools/unshare --user --map-root-user /tools/take_samples open
	if is_before 5.11; then
		set -- 4 'locked memory: .*ulimit -l'
	else
		set -- 0 ''
	fi
	# shellcheck disable=SC3045 # busybox has it
	ulimit -l 64
	check "64 KiB of locked memory: ${2:-sampling works}" limited "$@"
}

limited() {
	if [ "$1" -eq 0 ]; then
		without sys_resource /tools/take_samples open start
	else
		ends "$@" without sys_resource /tools/take_samples open start
	fi
}

names() {
	# Functions of the kernel itself, without initialization code.
	awk '$2 ~ /^[tT]$/ && $1 ~ /^f/ && !/\[/ && NR % 101 == 0 { print $1 }' \
		/proc/kallsyms >/tmp/begins
	if is_before 5.14; then
		ends 1 "kernel's names: " /tools/name_kernel </tmp/begins
		return
	fi
	/tools/name_kernel </tmp/begins >/tmp/named || return
	[ "$(wc -l </tmp/named)" -gt 100 ] || return
	# An address may have several names.
	awk 'NR == FNR { name[$1] = $2; next }
		$1 in name && name[$1] == $3 { delete name[$1] }
		END { for (at in name) { print at, name[at]; bad = 1 }; exit bad }' \
		/tmp/named /proc/kallsyms
}

# profile OPTION…: samples $pid into /tmp/stacks; the slow machine loses samples
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

# have TEXT…: each text is in a stack
have() {
	for text; do
		grep -q "$text" /tmp/stacks || { echo "no $text"; return 1; }
	done
}

# Of 100 samples, 99 reach the JVM function that threads start with, apart from
# those that prof reports as lost.  Status 2: more than a fifth was lost, which
# proves nothing about the others.
are_whole() {
	lost=$(sed -n 's/.*stack traces lost: \([0-9]*\).*/\1/p' /tmp/told)
	awk -v lost="${lost:-0}" '{ all += $NF }
		/thread_native_entry;|;JavaMain;|;main;/ { whole += $NF }
		END { print whole, "whole of", all, "and", lost, "lost"
			if (lost > .2 * all)
				exit 2
			exit !whole || whole + lost < .99 * all }' /tmp/stacks
}

# see ALSO OPTIONS TEXT…: a profile has stacks with each of the texts, and the
# command ALSO succeeds.  A machine without CPU time has few samples, so the
# profile is repeated up to five times.
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

# The thread "computes" has no samples of Busy.read.
are_separate() {
	are_whole && ! grep '^\[computes .*Busy.read' /tmp/stacks
}

are_of_monitors() {
	are_whole && ! grep 'Busy.rest' /tmp/stacks
}

profiles() {
	check 'prof -e cpu has kernel stacks and names' \
		see are_whole '--no-agent -e cpu' \
		Busy.compute 'Busy.read;.*;vfs_read;' Busy.allocate
	check 'prof with the agent separates threads' \
		see are_separate '-e cpu --threads' \
		'^\[computes .*Busy.compute' '^\[reads .*;vfs_read;'
	check 'prof -e offcpu has stacks' \
		see true '--no-agent -e offcpu' \
		'Busy.rest;.*;do_syscall_64;' Busy.contend
	check 'prof -e wall has stacks' see true '-e wall --threads' \
		'^\[rests .*Busy.rest' '^\[computes .*Busy.compute' \
		'^\[contends, too .*Busy.contend'
	check 'prof -e alloc has stacks' see are_whole '-e alloc --no-class' \
		'Busy.allocate '
	check 'prof -e lock has stacks' see are_of_monitors '-e lock --no-class' \
		'Busy.contend '
}

# No reader, and a small ring buffer.
losses() {
	/tools/take_samples kinds=cpu hz=99 ring=65536 quiet open add="$pid" \
		start sleep=5000 stop counts
	grep -q 'taken=[1-9].* lost=[1-9]' /tmp/out
}

doctor() {
	sjkc doctor "$pid"
	# 8: this JVM has no module for local JMX.
	case $? in 0 | 8) ;; *) return 1 ;; esac
	grep -q '^works: .*prof -p' /tmp/out &&
		! grep '^failed ' /tmp/out | grep -v '^failed *local JMX'
}

# Starts a JVM and runs all checks of prof.
jvm() {
	: >/tmp/busy
	/jre/bin/java -Xmx64m -XX:+UseSerialGC -cp /classes Busy 1800 \
		>/tmp/busy 2>&1 &
	pid=$!
	until grep -q READY /tmp/busy; do
		kill -0 $pid || { echo 'not ok - a JVM starts'; return; }
		sleep 1
	done
	# Wait until the hot methods are compiled.
	sleep 10
	check 'doctor reports that prof works' doctor
	profiles
	check 'lost samples are counted' losses
	check 'the JVM still runs' kill -9 $pid
}

if is_before 5.8; then
	check 'a kernel before 5.8 is refused' ends 8 'kernel: .*5.8 or later' \
		/tools/take_samples open
elif [ "$lockdown" = confidentiality ]; then
	check 'lockdown=confidentiality is refused' ends 8 \
		'lockdown: .*lockdown=integrity' /tools/take_samples open
else
	for kind in cpu offcpu cpu,offcpu alloc lock; do
		check "the verifier accepts the programs for $kind" accepts $kind
	done
	if [ "$lockdown" != integrity ]; then
		check 'the verifier accepts the programs with all options' accepts_options
		check "functions have the names of kallsyms, from 5.14 on" names
		jvm
		( refusals )
		mount -t tmpfs none /sys/kernel/btf
		check 'missing BTF is named' ends 8 'BTF: .*CONFIG_DEBUG_INFO_BTF' \
			/tools/take_samples open
	fi
fi
echo END
