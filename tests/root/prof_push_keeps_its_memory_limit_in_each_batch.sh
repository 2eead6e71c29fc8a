# SPDX-License-Identifier: Apache-2.0
# Threads wait at the ends of deep stacks, each time at another one, and hundreds sleep
# there.  A window of 5 minutes would take hundreds of MB: it ends before, and the
# peak of the memory, by the kernel's account, is at most 48 MB above the limit: at the
# end, all samples in the ring buffer are read, and become a request, at once.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target_program=Deep
target "$jdk" -- 20 500 1000 || exit 1
mkdir "$scratch/dir"
prof_start -p "$pid" -e wall -d 5s --interval 5m --memory-limit 48m \
	-o "$scratch/dir/" || exit 1
# Without the pages of files: those of sjkc itself and of the kernel's ring buffer,
# whose number is the same while it samples.
while [ -e "/proc/$prof_pid/status" ]; do
	awk '/^VmHWM/ { most = $2 }
		/^RssFile|^RssShmem/ { files += $2 }
		END { if (most) print most, files }' "/proc/$prof_pid/status" \
		2>/dev/null >>"$scratch/peaks"
	sleep 0.05
done
wait "$prof_job" || [ $? -eq 7 ] || { cat "$prof_err"; exit 1; }
peak=$(awk '$1 > most { most = $1 } $2 > files { files = $2 }
	END { print int((most - files) / 1024) }' "$scratch/peaks")
windows=$(find "$scratch/dir" -name '*.gz' | wc -l)
echo "# $peak MB, $windows windows"
[ "$peak" -le 96 ] && [ "$windows" -ge 2 ] || { cat "$prof_err"; exit 1; }
