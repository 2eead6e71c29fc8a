# SPDX-License-Identifier: Apache-2.0
# Threads wait at the ends of deep stacks, each time at another one, and hundreds
# sleep there.  A window of 5 minutes would take hundreds of MB: it ends before, and so
# do those of the samples that are read at the end.  By the kernel's account, sjkc and
# its child processes never take more than --memory-limit.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target_program=Deep
target "$jdk" -- 20 500 400 || exit 1
mkdir "$scratch/dir"
prof_start -p "$pid" -e wall -d 3s --interval 5m --memory-limit 48m \
	-o "$scratch/dir/" || exit 1
# The peak of the own memory, in KB: without the pages of files, which are those of
# sjkc itself and of the ring buffer, whose number is the same while it samples.  And
# the proportional memory of all processes, which has the ring buffer once.
while [ -e "/proc/$prof_pid/status" ]; do
	awk '/^VmHWM/ { most = $2 } /^RssFile|^RssShmem/ { files += $2 }
		END { if (most) print "own", most, files }' \
		"/proc/$prof_pid/status"
	for process in "$prof_pid" \
		$(cat "/proc/$prof_pid/task/$prof_pid/children"); do
		cat "/proc/$process/smaps_rollup"
	done | awk '/^Pss:/ { all += $2 } END { print "all", all }'
	sleep 0.05
done >"$scratch/memory" 2>/dev/null
wait "$prof_job" || [ $? -eq 7 ] || { cat "$prof_err"; exit 1; }
windows=$(find "$scratch/dir" -name '*.gz' | wc -l)
awk -v limit=$((48 << 10)) -v windows="$windows" '
	$1 == "own" && $2 > peak { peak = $2 }
	$1 == "own" && $3 > files { files = $3 }
	$1 == "all" && $2 > all { all = $2 }
	END {
		printf "# own: %d MB, all: %d MB, limit: 48 MB, %d windows\n",
			(peak - files) / 1024, all / 1024, windows
		exit !(peak && all && peak - files <= limit && all <= limit &&
			windows >= 2)
	}' "$scratch/memory" || { cat "$prof_err"; exit 1; }
