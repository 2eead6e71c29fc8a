#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/run.sh SJKC [ROUNDS]
#
# Compares rendering with the budgets and with similar tools: CPU seconds (user
# and system, median of several interleaved runs) and maximum resident
# memory. The large inputs are created under build/bench and kept.
set -eu
cd "$(dirname "$0")/../.."
sjkc=$1
rounds=${2:-3}
lib=build/cc/libsjkc.a
out=build/bench
own=../shared/data/own/jfr

event_bytes=331000000
collapsed_bytes=40000000
flags="-std=c11 -D_GNU_SOURCE -O2 -I."
mkdir -p "$out"

build_tools() {
	make --no-print-directory "$lib" >/dev/null
	for tool in measure walk_jfr make_jfr make_collapsed; do
		# shellcheck disable=SC2086 # they are words
		${CC:-cc} $flags -o "$out/$tool" "tests/bench/$tool.c" \
			tests/bench/workload.c "$lib" -lz -ldeflate -llzma -lzstd -llz4
	done
}

size_of() {
	wc -c <"$1"
}

# Concatenates recordings of the JVM up to the requested size.
make_events() {
	[ -e "$out/events.jfr" ] && return
	set -- "$own/busy25-profile.jfr" "$own/busy17-multichunk.jfr" \
		"$own/busy17-default-depth16.jfr"
	if [ ! -e "$1" ]; then
		[ -e build/demo/demo.jfr ] ||
			sh tests/demo/run.sh "$sjkc" build/demo >/dev/null
		set -- build/demo/demo.jfr
	fi
	cat "$@" >"$out/once.jfr"
	times=$((event_bytes / $(size_of "$out/once.jfr")))
	: >"$out/events.part"
	while [ "$times" -ge 0 ]; do
		cat "$out/once.jfr" >>"$out/events.part"
		times=$((times - 1))
	done
	mv "$out/events.part" "$out/events.jfr"
	rm "$out/once.jfr"
}

# Repeats the logs of the unit tests, which have a record in every four lines.
make_gc_log() {
	[ -e "$out/gc.log" ] && return
	for _ in $(seq 2000); do
		cat tests/data/gc/jdk*.log
	done >"$out/gc.part"
	mv "$out/gc.part" "$out/gc.log"
}

make_inputs() {
	make_events
	make_gc_log
	[ -e "$out/stacks.jfr" ] ||
		"$out/make_jfr" "$out/stacks.jfr" 3 215000 2>/dev/null
	[ -e "$out/stacks.collapsed" ] ||
		"$out/make_collapsed" bytes $collapsed_bytes \
			>"$out/stacks.collapsed"
	[ -e "$out/million.collapsed" ] ||
		"$out/make_collapsed" nodes 1000000 >"$out/million.collapsed"
	small=$own/ap-busy25-cpu1ms.jfr
	[ -e "$small" ] || small=build/demo/demo.jfr
}

has() {
	command -v "$1" >/dev/null 2>&1
}

# The newest JDK's `jfr`, if installed.
find_jfr() {
	for jdk in /usr/lib/jvm/*; do
		[ -x "$jdk/bin/jfr" ] && jfr=$jdk/bin/jfr
	done
	[ -n "${jfr:-}" ] || { has jfr && jfr=jfr; } || jfr=
}

# Prints one table: a title, the budget and the input, then pairs of tool and
# command, sjkc first.
table() {
	title=$1 budget=$2 input=$3
	shift 3
	: >"$out/names"
	commands=
	while [ $# -gt 0 ]; do
		echo "$1" >>"$out/names"
		commands="$commands '$2'"
		shift 2
	done
	echo
	echo "$title: $(size_of "$input") bytes"
	eval "$out/measure $rounds $commands" |
		paste "$out/names" - |
		awk -F '\t' -v budget="$budget" -v size="$(size_of "$input")" '
		$2 == "failed" { printf "  %-16s failed\n", $1; next }
		{
			split($2, used, " ")
			if (NR == 1)
				ours = used[1]
			above = used[2] / 1024 - size / 1048576
			printf "  %-16s %8.3f CPU s %7.0f MiB", $1, used[1], used[2] / 1024
			printf NR == 1 ? "   budget: %s; %.0f MiB above the file\n" : \
				"   %.2f x ours\n", NR == 1 ? budget : \
				(ours > 0 ? used[1] / ours : 0), above
		}'
}

# Skips other tools that are not installed.
bench_recording() {
	input=$3
	set -- "$1" "$2" "$3" sjkc "$sjkc flame -q -i $3 -o $out/page.html"
	set -- "$@" "bare walk" "$out/walk_jfr $input" md5sum "md5sum $input"
	[ -z "$jfr" ] || set -- "$@" "jfr summary" "$jfr summary $input"
	! has jfrconv ||
		set -- "$@" jfrconv "jfrconv -o html $input $out/peer.html"
	table "$@"
}

# The input of other tools has each stack trace with all its callers.
bench_exports() {
	input=$out/stacks.jfr
	set -- "for pprof and speedscope" "none" "$input" \
		"pprof" "$sjkc flame -q -i $input -o $out/export.pb.gz" \
		"speedscope" "$sjkc flame -q -i $input -o $out/export.json"
	! has jfrconv ||
		set -- "$@" "jfrconv -o pprof" \
			"jfrconv -o pprof $input $out/peer.pb"
	table "$@"
	for file in export.pb.gz export.json peer.pb; do
		[ ! -e "$out/$file" ] ||
			echo "  $file: $(size_of "$out/$file") bytes"
	done
}

# Compares a recording with a copy. Merging them into collapsed stack traces that
# a filter drops reads both without writing much.
bench_diff() {
	kind=$1 input=$2
	[ -e "$out/before-$kind.jfr" ] ||
		cp "$input" "$out/before-$kind.jfr"
	both="$out/before-$kind.jfr $input"
	table "difference of two recordings, $kind-heavy" \
		"1.2 x reading both" "$input" \
		diff "$sjkc diff -q $both >/dev/null" \
		"reading both" "$sjkc flame -q --output-format collapsed \
			--thread-name ^none$ -o - $both 2>/dev/null || true"
}

bench_collapsed() {
	input=$out/stacks.collapsed
	set -- "collapsed stack traces" "0.25 CPU s" "$input" \
		sjkc "$sjkc flame -q -i $input -o $out/page.html" \
		md5sum "md5sum $input"
	! has jfrconv ||
		set -- "$@" jfrconv "jfrconv -o html $input $out/peer.html"
	! has flamegraph.pl ||
		set -- "$@" flamegraph.pl "flamegraph.pl $input >$out/peer.svg"
	table "$@"
}

bench_million() {
	input=$out/million.collapsed
	table "a page of 10^6 nodes" "none" "$input" \
		sjkc "$sjkc flame -q --min-width 0 -i $input -o $out/million.html" \
		"at most 10^6" "$sjkc flame -q -i $input -o $out/page.html" \
		"as collapsed" "$sjkc flame -q -i $input -o $out/page.collapsed"
	echo "  the page: $(size_of "$out/million.html") bytes, $out/million.html"
}

# Pages of the same stack traces, without threads and times.
bench_sizes() {
	echo
	echo "page of the collapsed stack traces:" \
		"budget: 0.6 x async-profiler's"
	"$sjkc" flame -q -i "$out/stacks.collapsed" -o "$out/page.html"
	echo "  sjkc             $(size_of "$out/page.html") bytes"
	has jfrconv || return 0
	jfrconv -o html "$out/stacks.collapsed" "$out/peer.html"
	echo "  jfrconv          $(size_of "$out/peer.html") bytes"
}

bench_gc_log() {
	table "GC logs of JDK 8 to 25" "200 MB per CPU s" "$out/gc.log" \
		sjkc "$sjkc gc -q --min 1h -i $out/gc.log >/dev/null" \
		md5sum "md5sum $out/gc.log"
}

# Measures the page with 10^6 nodes in the browser.
bench_browser() {
	echo
	echo "the page of 10^6 nodes in Chromium: budget: opens in 500 ms," \
		"search 50 ms, zoom and hover 16 ms"
	if has node && has chromium &&
	   [ -d build/browser/node_modules/playwright-core ]; then
		NODE_PATH=build/browser/node_modules \
			node tests/browser/bench.js "$out/million.html" |
			sed 's/^/  /'
	else
		echo "  not run: Chromium and its driver come with 'make setup'"
	fi
}

build_tools
make_inputs
find_jfr
echo "medians of $rounds runs"
bench_recording "event-heavy recording" "0.35 CPU s, 100 MiB above the file" \
	"$out/events.jfr"
bench_recording "stack-heavy recording" "1.5 CPU s, 1 GiB" "$out/stacks.jfr"
bench_diff event "$out/events.jfr"
bench_diff stack "$out/stacks.jfr"
bench_exports
bench_recording "small recording" "0.015 CPU s" "$small"
bench_collapsed
bench_gc_log
bench_million
bench_sizes
bench_browser
