#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/sampler.sh SJKC
#
# Measures the cost of a sample in the kernel for several stack depths (at most
# 15 us), from the kernel's statistics of BPF programs, without the ticks that
# yield no sample.  Then measures the CPU time of loading the programs.
# shellcheck disable=SC2154 # set by workload
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d)
TOOLS=build/cc/tests/root/lib
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh
setting=kernel.bpf_stats_enabled
before=$(sysctl -n $setting 2>/dev/null)
trap 'target_end_all; rm -rf "$scratch"
	[ -z "$before" ] || sysctl -qw "$setting=$before"' EXIT

if [ "$(id -u)" -ne 0 ] || [ -z "$before" ]; then
	echo 'sampler: skipped: not root'
	exit
fi
make -s $TOOLS/take_samples $TOOLS/workload || exit 1
sysctl -qw $setting=1

# value NAME: prints a value of the last counts
value() {
	tr ' ' '\n' <"$scratch/counts" | sed -n "s/^$1=//p"
}

# stack_end PID: prints the end of the stack of its only thread, which has 8 MiB
stack_end() {
	python3 -c 'import sys
for line in sys.stdin:
    at, rights, *_ = line.split()
    first, end = (int(x, 16) for x in at.split("-"))
    if rights == "rw-p" and end - first >= 8 << 20:
        print(end)' <"/proc/$1/maps" | tail -n 1
}

# cost FRAMES: prints the time per sample in us
cost() {
	workload threads=1 "depth=$1" burn=2000 || exit 1
	(sleep 0.5; begin_work) &
	"$TOOLS/take_samples" hz=999 quiet open "add=$pid" \
		"end=$(tids):$(stack_end "$pid")" start read=4000 stop \
		read=100 counts >"$scratch/counts" || exit 1
	target_wait "$work.out" DONE && end_work
	awk -v taken="$(value taken)" -v runs="$(value runs)" \
		-v ns="$(value runs_ns)" -v idle="$idle" -v frames="$1" 'BEGIN {
		printf "  %3d frames: %5.1f us a sample (of %d)\n", frames,
			(ns - (runs - taken) * idle) / taken / 1e3, taken }'
}

echo 'a sample in the kernel (at most 15 us):'
# An idle CPU has no ticks.
timeout 2 sh -c 'while :; do :; done' &
"$TOOLS/take_samples" hz=999 quiet open start read=1000 stop counts \
	>"$scratch/counts" || exit 1
idle=$(($(value runs_ns) / $(value runs)))
wait
echo "  a tick of another process, without sample: $idle ns"
for frames in 15 64 250; do
	cost $frames
done
python3 - "$TOOLS/take_samples" <<"EOF"
import os
import subprocess
import sys
times = []
for _ in range(9):
    p = subprocess.Popen([sys.argv[1], "hz=99", "open"])
    _, p.returncode, used = os.wait4(p.pid, 0)
    times.append(used.ru_utime + used.ru_stime)
print(f"  to load and unload: {sorted(times)[4] * 1e3:.0f} ms of CPU")
EOF
