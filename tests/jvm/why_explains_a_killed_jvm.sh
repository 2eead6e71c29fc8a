# SPDX-License-Identifier: Apache-2.0
# The fatal error log of a JVM that a signal ended, and of one without memory.
# Each JDK: the format of the log differs between JDKs.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

log=$scratch/hs_err.log

# has TEXT…: ends the test unless sjkc why prints each text of the log
has() {
	"$sjkc" why "$log" >"$scratch/why" 2>&1 ||
		{ echo "$jdk: why fails:"; cat "$scratch/why"; exit 1; }
	for text; do
		grep -qF -- "$text" "$scratch/why" && continue
		echo "$jdk: no '$text' in:"
		cat "$scratch/why"
		exit 1
	done
}

for jdk in $(jdks); do
	rm -f "$log"
	target "$jdk" "-XX:ErrorFile=$log" -Dmy.password=hunter2 \
		-XX:-CreateCoredumpOnCrash -- threads=3 || exit 1
	# The sender is a shell that waits, so that its PID is known.
	sh -c 'echo $$ >"$0"; kill -SEGV "$1"' "$scratch/sender" "$pid"
	target_wait "$log" '^END\.\|^elapsed time' "$pid" || exit 1
	target_end "$pid"
	has "Process $(cat "$scratch/sender") sent SIGSEGV to the JVM" \
		'-Dmy.password=***' 'Target threads=3' 'JVM         '
	# The heap is committed at the start, beyond the limit of data.
	rm -f "$log"
	(
		# shellcheck disable=SC3045 # of dash and bash
		ulimit -d 150000
		ulimit -c 0
		"$jdk/bin/java" "-XX:ErrorFile=$log" -Xms600m -Xmx600m \
			-version >/dev/null 2>&1
	)
	has 'a limit of 150000k for its data (ulimit -d)' \
		'Native memory allocation (mmap) failed'
done
