# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced after target.sh by tests of compiled code.

# compiled JDK [OPTION…] [-- ARGUMENT…]: starts Compiled.java, with options that
# fix which methods are inlined.  When it is ready, all its methods are
# compiled.
compiled() {
	home=$1
	shift
	# shellcheck disable=SC2034 # target's
	target_program=Compiled
	target "$home" -Xbatch -XX:TieredStopAtLevel=4 \
		-XX:CompileCommand=quiet \
		-XX:CompileCommand=inline,Compiled.leaf \
		-XX:CompileCommand=inline,Compiled.middle \
		-XX:CompileCommand=dontinline,Compiled.alone \
		-XX:CompileCommand=dontinline,Compiled.outer "$@"
	status=$?
	unset target_program
	return $status
}

# line_of TEXT: prints the number of the line of Compiled.java that has the text
line_of() { grep -n "$1" tests/jvm/lib/Compiled.java | cut -d: -f1; }
