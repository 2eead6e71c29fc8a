#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/jmx.sh SJKC [ROUNDS]
#
# Compares JMX over RMI with the JDK's own client, interleaved: the time to the
# first attribute (at most 30 ms), and a dump of all attributes of 5,000 MBeans
# as JSON (goal: a fifth of the client's time).  Prints medians of wall-clock
# time and means of CPU time, for sjkc of the whole process, for the client
# without the start of its JVM.  First the client runs in a new JVM each time,
# as if a user typed a command; then in a warm JVM.  All wall-clock times
# include the reply of the target JVM.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
rounds=${2:-9}
scratch=$(mktemp -d)
out=build/bench
mkdir -p "$out"
. tests/jvm/lib/target.sh
. tests/jvm/lib/jmx.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
if [ -z "$(jdks)" ]; then
	echo 'jmx: no JDK'
	exit
fi
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$out/measure" tests/bench/measure.c

# peer_start JDK: starts the client; descriptor 8 is its stdin, 9 its stdout
peer_start() {
	"$1/bin/javac" -nowarn -d "$scratch" tests/bench/JmxPeer.java || return
	mkfifo "$scratch/to" "$scratch/from"
	"$1/bin/java" -Xmx512m -cp "$scratch" JmxPeer "127.0.0.1:$port" \
		'sjkc.many:*' "$scratch/theirs.json" \
		<"$scratch/to" >"$scratch/from" &
	target_pids="$target_pids $!"
	exec 8>"$scratch/to" 9<"$scratch/from"
	rm "$scratch/to" "$scratch/from"
}

# theirs ACTION FILE: appends "WALL-MS CPU-MS" of the client to FILE
theirs() {
	echo "$1" >&8
	read -r took <&9 && echo "$took" >>"$2"
}

# theirs_cold ACTION FILE: the same in a new JVM
theirs_cold() {
	echo "$1" | "$jdk/bin/java" -Xmx512m -cp "$scratch" JmxPeer \
		"127.0.0.1:$port" 'sjkc.many:*' "$scratch/theirs.json" >>"$2"
}

# ours FILE ARGUMENT…: the same for sjkc
ours() {
	to=$1
	shift
	began=$(date +%s%N)
	"$out/measure" 1 "exec $sjkc $*" >"$scratch/measured"
	ended=$(date +%s%N)
	awk -v ns=$((ended - began)) '{ print ns / 1e6, $1 * 1e3 }' \
		"$scratch/measured" >>"$to"
}

median() { # FILE COLUMN
	sort -n -k "$2,$2" "$1" |
		awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

# mean FILE COLUMN: prints the mean.  A JVM counts CPU time in hundredths of a
# second, so a median would be too coarse.
mean() {
	awk -v c="$2" '{ sum += $c } END { print sum / NR }' "$1"
}

# line NAME: prints $scratch/ours and $scratch/theirs
line() {
	echo "$(median "$scratch/ours" 1) $(mean "$scratch/ours" 2)" \
		"$(median "$scratch/theirs" 1) $(mean "$scratch/theirs" 2)" |
		awk -v name="$1" '{ printf \
			"  %-24s %8.1f ms %8.1f ms %8.1f ms %8.1f ms %6.1f %6.1f\n", \
			name, $1, $2, $3, $4, $3 / $1, $4 / $2 }'
	rm "$scratch/ours" "$scratch/theirs"
}

for jdk in $(jdks); do
	target_program=Beans
	jmx_target "$jdk" -XX:TieredStopAtLevel=4 -- many=5000 &&
		peer_start "$jdk" || exit
	for _ in 1 2 3 4 5; do
		theirs first "$scratch/warm"
		theirs dump "$scratch/warm"
	done
	echo "JMX, $(basename "$jdk"), $rounds rounds" \
		"            sjkc: wall      CPU   client: wall       CPU   ratios"
	for client in theirs_cold theirs; do
		temper=warm
		[ $client = theirs ] || temper=new
		for _ in $(seq "$rounds"); do
			ours "$scratch/ours" mx -s "127.0.0.1:$port" \
				-b java.lang:type=Runtime -mg -f Uptime
			$client first "$scratch/theirs"
		done
		line "first attribute, $temper"
		for _ in $(seq "$rounds"); do
			ours "$scratch/ours" mxdump -s "127.0.0.1:$port" \
				-q "'sjkc.many:*'" -o "$scratch/ours.json"
			$client dump "$scratch/theirs"
		done
		line "5,000 MBeans, $temper"
	done
	[ "$(grep -c 'sjkc.many' "$scratch/ours.json")" -ge 5000 ] ||
		echo '  sjkc did not write all MBeans'
	exec 8>&- 9<&-
	target_end_all
done
