#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/ttop.sh SJKC [SECONDS]
#
# Measures ttop and its JVM, with 1,000 threads and an interval of 1 s, beside
# pidstat and top, which print no Java names, if they are installed.  Then
# compares the values of busy threads over the same seconds.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
seconds=${2:-20}
scratch=$(mktemp -d)
out=build/bench
mkdir -p "$out"
. tests/jvm/lib/target.sh
. tests/jvm/lib/jmx.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
if [ -z "$(jdks)" ]; then
	echo 'ttop: no JDK'
	exit
fi
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$out/measure" tests/bench/measure.c

has() { command -v "$1" >/dev/null; }

# used: prints the total CPU time of all threads of the JVM, in ms
used() {
	cat /proc/"$pid"/task/*/schedstat | awk '{ s += $1 } END { print s / 1e6 }'
}

# line NAME: converts a line "CPU-SECONDS KIB" of measure
line() {
	awk -v name="$1" -v seconds="$seconds" '
		$1 == "failed" { printf "  %-20s failed\n", name; next }
		{ printf "  %-20s %6.3f s %6.2f %% %7.1f MB\n", name, $1, \
			100 * $1 / seconds, $2 / 1024 }'
}

# cost JDK: prints the CPU time of each tool for the same number of seconds, one
# after the other
cost() {
	target "$1" -- threads=1000 || return
	sleep 2
	echo "  $seconds s                  CPU  of a core     resident"
	for how in '' '-b -o CSW' --json --no-attach; do
		"$out/measure" 1 "exec $sjkc ttop -p $pid -b -ri 1s -si 100ms \
			--iterations $seconds $how" | line "sjkc $how"
	done
	has pidstat && "$out/measure" 1 \
		"exec pidstat -t -p $pid 1 $seconds" | line 'pidstat -t'
	has top && "$out/measure" 1 \
		"exec top -b -H -d 1 -n $seconds -p $pid" | line 'top -H'
	before=$(used)
	sleep "$seconds"
	alone=$(used)
	"$sjkc" ttop -p "$pid" -b -ri 1s >"$scratch/reports" 2>&1 &
	ttop=$!
	target_wait "$scratch/reports" '^\[0'
	sleep 1
	with=$(used)
	sleep "$seconds"
	end=$(used)
	kill $ttop
	wait $ttop
	echo "$before $alone $with $end" | awk -v seconds="$seconds" '{
		printf "  the idle JVM: %.2f ms/s alone, %.2f ms/s with ttop\n", \
			($2 - $1) / seconds, ($4 - $3) / seconds }'
	target_end "$pid"
}

# over JDK: the same over JMX, where the JVM must reply
over() {
	jmx_target "$1" -- threads=1000 || return
	# By now its methods are compiled.
	"$sjkc" ttop -s "127.0.0.1:$port" -b -ri 100ms -si 10ms \
		--iterations 100 >"$scratch/reports" 2>&1
	for how in "-s 127.0.0.1:$port" "-p $pid" "-p $pid -c"; do
		before=$(used)
		"$out/measure" 1 "exec $sjkc ttop $how -b -ri 1s -si 100ms \
			--iterations $seconds" | line "sjkc ${how%:*}"
		used | awk -v before="$before" -v seconds="$seconds" '{
			printf "  %-20s %6.3f s %6.2f %%\n", "  the JVM", \
				($1 - before) / 1e3, \
				($1 - before) / seconds / 10 }'
	done
	target_end "$pid"
}

# Prints the kernel's ID of each busy Java thread and its CPU use in percent.
ours() {
	"$sjkc" ttop -p "$pid" --csv -n 0 -ri 10s -si 10s --iterations 1 -q |
		awk -F , '$5 ~ /burner/ { print $4, $8 }' | sort
}

theirs() {
	LC_ALL=C pidstat -t -p "$pid" 10 1 | awk '
		/^Average:/ && $4 ~ /^[0-9]+$/ { print $4, $9 }' | sort
}

# truth JDK: compares values of the same ten seconds; the start-up times of the
# tools differ
truth() {
	target "$1" -- burners=3 || return
	sleep 2
	ours >"$scratch/ours" &
	theirs >"$scratch/theirs"
	wait $!
	echo '  thread     sjkc  pidstat'
	join "$scratch/ours" "$scratch/theirs" | awk '{
		printf "  %-8d %6.2f %% %6.2f %%\n", $1, $2, $3 }'
	target_end "$pid"
}

for jdk in $(jdks); do
	echo "ttop, 1,000 threads, $(basename "$jdk") (at most 1 % and 15 MB)"
	cost "$jdk"
	echo "ttop over JMX, 1,000 threads, $(basename "$jdk")"
	over "$jdk"
	if has pidstat; then
		echo "ttop, CPU use of threads, $(basename "$jdk")"
		truth "$jdk"
	fi
done
