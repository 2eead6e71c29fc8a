# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# prof accepts options of async-profiler, such as -d 1 -i 10ms -f out.html -e
# cpu.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target "$jdk" -Dtarget.duty=25 -- burners=1 allocators=1 || exit 1
prof 0 -d 1 -i 10ms -f "$scratch/out.html" -e itimer "$pid" || exit 1
has "$scratch/out.html" 'cpu at 100 Hz' || exit 1
# Numbers without a unit are seconds (-d) and nanoseconds (-i).
prof 0 -d 1 -i 5000000 -o flat -e cpu "$pid" &&
	has "$prof_out" '^cpu of Target .* samples at 200 Hz' &&
	has "$prof_out" '^hottest frames' || exit 1
! grep -q '^calls of' "$prof_out" || { echo 'flat has calls'; exit 1; }
prof 0 -d 1 -o collapsed -f "$scratch/out.folded" -e ctimer "$pid" || exit 1
has "$scratch/out.folded" ';Target\.[a-zA-Z]* [0-9]+$' || exit 1
prof 0 -d 1 -o flamegraph -e cpu,alloc "$pid" &&
	has "$prof_out" 'cpu at 99 Hz \(.*\), alloc, ' || exit 1
prof 0 -d 1 -e alloc -i 64k "$pid" &&
	has "$prof_out" '^alloc of .* taken every 64 KB on average' || exit 1
# %p is the PID; a repeated -e adds an event.
prof 0 -d 1 -e cpu -e alloc -f "$scratch/%p-out.txt" "$pid" &&
	has "$scratch/$pid-out.txt" '^cpu of' &&
	has "$scratch/$pid-out.txt" '^alloc of' || exit 1
target_end "$pid"
