# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for a JVM.
# The table of mounts has thousands of lines on a node with many containers.
# prof opens mapped libraries by their device alone and reads no such table.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

command -v strace >/dev/null || { echo 'no strace'; exit 77; }
target "$(jdks | head -n 1)" -- burners=1 || exit 1
timeout 60 strace -f -q -e trace=open,openat -o "$scratch/opened" \
	"$sjkc" prof --no-agent -d 2s -o "$scratch/out.collapsed" "$pid" \
	>"$prof_out" 2>"$prof_err" || { cat "$prof_err"; exit 1; }
grep -q "/proc/$pid/map_files/" "$scratch/opened" ||
	{ echo 'no mapped file was opened'; tail "$scratch/opened"; exit 1; }
! grep mountinfo "$scratch/opened" || exit 1
target_end "$pid"
