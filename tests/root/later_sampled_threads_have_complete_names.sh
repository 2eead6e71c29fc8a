# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it waits for names of many threads; thread_names_test has the rules.
# The kernel truncates names to 15 bytes.  prof requests complete names from the
# JVM when it samples the first such thread, and uses the reply for threads that
# are sampled later.  A Java thread may have the truncated name of the JVM's own
# "VM Periodic Task Thread".
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

for jdk in $(jdks); do
	target "$jdk" -- named=3 periodic=1 || exit 1
	for _ in 1 2 3; do
		# A second of the JVM's CPU time has samples of each thread,
		# however long it takes.
		prof_start --show threads -n 0 "$pid"
		target_wait "$prof_err" 'press Ctrl-C' || exit 1
		cpu_second
		kill -INT "$prof_pid"
		prof_end 0 || exit 1
		has "$prof_out" 'a-burner-whose-name-is-long-[0-9]* #' || exit 1
		! grep -q 'a-burner-whose- ' "$prof_out" ||
			{ cat "$prof_out"; exit 1; }
		has "$prof_out" 'VM Periodic Tas #' || exit 1
	done
	# Without another new thread, the name is read at the end.
	prof 0 -d 1s --show threads -n 0 --thread-name '^VM Periodic Tas' \
		"$pid" && has "$prof_out" 'VM Periodic Tas #' || exit 1
	target_end "$pid"
done
