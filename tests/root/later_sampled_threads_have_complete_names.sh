# SPDX-License-Identifier: Apache-2.0
# The kernel truncates names to 15 bytes.  prof requests complete names from the
# JVM when it samples the first such thread, and uses the reply for threads that
# are sampled later.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

for jdk in $(jdks); do
	target "$jdk" -- named=10 || exit 1
	for _ in 1 2 3; do
		prof 0 -d 1s --show threads -n 0 "$pid" || exit 1
		has "$prof_out" 'a-burner-whose-name-is-long-[0-9]* #' || exit 1
		! grep -q 'a-burner-whose- ' "$prof_out" ||
			{ cat "$prof_out"; exit 1; }
	done
	target_end "$pid"
done
