# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154
# Sourced after target.sh by tests of samples: runs $TOOLS/show_samples.  $jdk
# and $scratch are the test's.

: "${TOOLS:=build/cc/tests/jvm/lib}"

# samples PID ARGUMENT…: what it says, in $got; fails the test when it fails
samples() {
	got=$scratch/samples
	"$TOOLS/show_samples" "$@" >"$got" 2>&1 && return
	echo "$jdk: show_samples $*:"
	cat "$got"
	exit 1
}

# fails STATUS PID ARGUMENT…: the same, and it must fail with that
fails() {
	wanted=$1
	shift
	got=$scratch/samples
	"$TOOLS/show_samples" "$@" >"$got" 2>&1
	[ $? -ne "$wanted" ] || return 0
	echo "$jdk: not $wanted: show_samples $*:"
	cat "$got"
	exit 1
}

# has TEXT: a line of it has the text
has() {
	grep -qF -- "$1" "$got" && return
	echo "$jdk: nothing of '$1' in:"
	cat "$got"
	exit 1
}

has_not() {
	grep -qF -- "$1" "$got" || return 0
	echo "$jdk: '$1' in:"
	cat "$got"
	exit 1
}

# java_threads: "NS-TID JAVA-ID NAME" of those of Java, sorted
java_threads() {
	sed -n 's/^thread [0-9]* ns=\([0-9]*\) id=\([1-9][0-9]*\) .* name=/\1 \2 /p' \
		"$got" | sort
}
