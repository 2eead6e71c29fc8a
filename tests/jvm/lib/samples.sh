# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # variables of the caller
# Sourced after target.sh by tests of thread samples.  $jdk and $scratch are
# variables of the test.

: "${TOOLS:=build/cc/tests/jvm/lib}"

# samples PID ARGUMENT…: runs show_samples.c and ends the test if it fails.
# $got is the file with its output.
samples() {
	got=$scratch/samples
	"$TOOLS/show_samples" "$@" >"$got" 2>&1 && return
	echo "$jdk: show_samples $*:"
	cat "$got"
	exit 1
}

# samples_fail STATUS PID ARGUMENT…: runs show_samples.c and ends the test
# unless it exits with STATUS.
samples_fail() {
	wanted=$1
	shift
	got=$scratch/samples
	"$TOOLS/show_samples" "$@" >"$got" 2>&1
	[ $? -ne "$wanted" ] || return 0
	echo "$jdk: exit status not $wanted: show_samples $*:"
	cat "$got"
	exit 1
}

# samples_have TEXT: ends the test unless the samples contain TEXT
samples_have() {
	grep -qF -- "$1" "$got" && return
	echo "$jdk: no '$1' in:"
	cat "$got"
	exit 1
}

# samples_lack TEXT: ends the test if the samples contain TEXT
samples_lack() {
	grep -qF -- "$1" "$got" || return 0
	echo "$jdk: '$1' in:"
	cat "$got"
	exit 1
}

# java_threads: prints "NS-TID JAVA-ID NAME" of each Java thread, sorted
java_threads() {
	sed -n 's/^thread [0-9]* ns=\([0-9]*\) id=\([1-9][0-9]*\) .* name=/\1 \2 /p' \
		"$got" | sort
}
