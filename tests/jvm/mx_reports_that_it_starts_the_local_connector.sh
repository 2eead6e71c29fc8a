# SPDX-License-Identifier: Apache-2.0
# With the PID of a JVM without JMX, mx starts the local JMX connector.  It reports
# that before, and only once.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

listens() {
	ss -ltnpH | grep -c "pid=$pid,"
}

check() {
	target "$1" || return
	[ "$(listens)" -eq 0 ] || { echo 'it listens already'; return 1; }
	ask 0 mx -p "$pid" -b java.lang:type=Runtime -mg -q -f Name &&
		grep -q "^$pid@" "$scratch/out" || return
	# With -q, only errors are printed.
	[ ! -s "$scratch/err" ] || { cat "$scratch/err"; return 1; }
	target_end "$pid" && target "$1" &&
		ask 0 mx -p "$pid" -b java.lang:type=Runtime -mg -f Name &&
		printed "Name $pid@" &&
		said "starting the local JMX connector in JVM $pid; it listens" &&
		[ "$(listens)" -eq 1 ] &&
		ask 0 mxdump "$pid" -q java.lang:type=Runtime &&
		printed '"modelerType":"sun.management.RuntimeImpl"' || return
	[ ! -s "$scratch/err" ] || { echo 'reported twice'; return 1; }
	[ "$(listens)" -eq 1 ] &&
		ask 2 mx -p "$pid" -b a:b=c -mg --user me &&
		said '--user requires -s' && alive "$pid" &&
		target_stop "$pid" &&
		ask 5 mx -p "$pid" -b a:b=c -mg --timeout 1s &&
		said "$pid is stopped by a signal (state T); kill -CONT $pid" &&
		target_end "$pid" &&
		ask 3 mx -p "$pid" -b java.lang:type=Runtime -mg
}

for_each_jdk check

# In a container, as another user.
root_only
target_contained "$(jdks | head -n 1)" &&
	ask 0 mx -p "$pid" -b java.lang:type=Runtime -mg -q -f Name &&
	printed 1@ && ask 0 mxdump "$pid" -q java.lang:type=Runtime &&
	printed '"modelerType":"sun.management.RuntimeImpl"'
