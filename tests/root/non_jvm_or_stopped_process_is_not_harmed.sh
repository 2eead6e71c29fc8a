# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# prof refuses a process without a JVM.  prof loads no agent into a stopped JVM
# and reports it, and shows the stacks of its threads.  The JVM continues
# afterwards.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

sleep 60 &
other=$!
target_jobs="$target_jobs $other"
prof 3 -d 1s "$other" && prof 2 -d 1s -p 0 && prof 3 -d 1s -p 2147483647 ||
	exit 1
kill -0 "$other" || { echo 'it was harmed'; exit 1; }

jdk=$(jdks | head -n 1)
target "$jdk" -- burners=1 || exit 1
target_stop "$pid" || exit 1
prof 0 -e wall -d 1s -o "$scratch/stopped.collapsed" "$pid" || exit 1
has "$prof_err" 'cannot load the sjkc agent.*stopped' &&
	has "$scratch/stopped.collapsed" 'Target\.burn;.*do_signal_stop' || exit 1
kill -CONT "$pid"
prof 0 -d 1s -o "$scratch/runs.collapsed" "$pid" &&
	has "$scratch/runs.collapsed" 'Target\.burn'
