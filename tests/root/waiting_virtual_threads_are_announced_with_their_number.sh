# SPDX-License-Identifier: Apache-2.0
# Newest JDK: JDK 25 has a number of virtual threads that wait with a timeout.
# prof -e wall prints that waiting virtual threads are not included, and with the
# agent the least number of them.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
message='waiting virtual threads are not included'

root_only
jdk=$(jdks | tail -n 1)
target "$jdk" -- timedvirtual=21 || exit 1
! grep 'NO VIRTUAL' "$said" || exit 77
ask 0 jcmd "$pid" Thread.vthread_scheduler && grep -q 'delayed = ' "$scratch/out" ||
	exit 77
prof 0 -e wall -d 200ms "$pid" &&
	has "$prof_err" "$message \(at least 21 now\): use" || exit 1
prof 0 -e wall -d 200ms --no-agent "$pid" && has "$prof_err" "$message: use" &&
	alive "$pid"
