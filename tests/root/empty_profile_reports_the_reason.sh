# SPDX-License-Identifier: Apache-2.0
# In an idle JVM no thread uses CPU time, allocates or waits for a monitor, and
# prof explains the empty profile of each event.  Sleeping threads have the
# JVM's names even if they are sampled for a very short time.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

target "$(jdks | head -n 1)" || exit 1
prof 1 -e lock -d 100ms "$pid" &&
	has "$prof_err" 'no samples: no thread waited.*-e offcpu' || exit 1
prof 1 -e alloc,lock --alloc-interval 100m -d 100ms "$pid" &&
	has "$prof_err" 'too little was allocated; use a smaller --alloc-interval' || exit 1
prof 0 -e wall,lock -d 200ms "$pid" &&
	has "$prof_err" 'no samples of lock: no thread waited' || exit 1
target_stop "$pid" && prof 1 --no-agent -d 100ms "$pid" &&
	has "$prof_err" "no samples: stopped by a signal.*kill -CONT $pid" ||
	exit 1
kill -CONT "$pid"
# One sample a second of CPU time: the start of a program rarely has one.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	timeout 100 "$sjkc" prof -F 1 -d 100ms -- sleep 1 \
		>"$prof_out" 2>"$prof_err"
	status=$?
	[ $status -eq 0 ] || break
done
[ $status -eq 1 ] || { echo "exit status $status, not 1"; cat "$prof_err"; exit 1; }
has "$prof_err" '-e wall to see' || exit 1
# The thread dump with the names is requested at any of these times.
for _ in 1 2 3 4 5 6; do
	prof 0 -e wall -d 200ms --show threads -n 0 "$pid" || exit 1
	! grep -E '(Reference Handl|VM Periodic Tas) #' "$prof_out" || exit 1
done
