#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/lint.sh FLAGS-OF-THE-COMPILER...
#
# Runs static analysers. Mend each finding, or suppress a wrong one with a
# reason. cppcheck treats the start and end symbols of the embedded page as
# different objects, and locals of a caller as locals of the callee.
cd "$(dirname "$0")/.." || exit 2
bad=0
# The kernel verifies the BPF programs.
sources=$(find cmd core jmx_http bpf jvmti render -name '*.c' ! -name '*.bpf.c' \
	2>/dev/null | sort)
tests=$(find tests/unit tests/fuzz tests/tools -name '*.c' 2>/dev/null | sort)

lint() {
	printf '  %-8s %s\n' LINT "$1"
	shift
	"$@" || bad=1
}

# shellcheck disable=SC2317 # lint calls it
check_with_cppcheck() {
	cppcheck --quiet --std=c11 --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=nullPointerArithmetic --suppress=comparePointers \
		--suppress=autoVariables --suppress=uninitvar:tests/* \
		--suppress=missingIncludeSystem --library=tests/cppcheck.cfg \
		-I. -D_GNU_SOURCE "$@"
}

# tidy_checks: the checks of two families, with exceptions
tidy_checks() {
	printf '%s' '-*,bugprone-*,clang-analyzer-*'
	# Requires memcpy_s() and similar functions, which glibc lacks.
	printf ',-%s' \
		clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
	# Reports a va_list parameter as uninitialized.
	printf ',-%s' clang-analyzer-valist.Uninitialized
	# Reports sizeof of an array element that is a pointer.
	printf ',-%s' bugprone-sizeof-expression
	# Reports memchr() that looks a character up in a literal.
	printf ',-%s' bugprone-not-null-terminated-result
	# Matters of taste; -Wconversion covers the last.
	printf ',-%s' bugprone-easily-swappable-parameters \
		bugprone-reserved-identifier \
		bugprone-assignment-in-if-condition \
		bugprone-narrowing-conversions \
		clang-analyzer-optin.performance.Padding
}

# shellcheck disable=SC2046,SC2086 # file names of ours, one word each
{
	lint shellcheck shellcheck -x -P SCRIPTDIR -s sh $(find tests render packaging -name '*.sh' \
		! -path 'tests/cli/*') tests/cli/*/*.sh .ci/run
	lint mandoc mandoc -T lint -W warning sjkc.1 docs/man/*
	lint cppcheck check_with_cppcheck $sources
	# Their stand-ins have the names of the functions that they replace.
	lint cppcheck check_with_cppcheck $tests
	lint format clang-format --dry-run --Werror \
		$(find cmd core jmx_http bpf jvmti render packaging tests \
			-name '*.[ch]' 2>/dev/null)
	# Excludes tests: the analyser does not know that failed cmocka
	# assertions do not return.
	lint clang-tidy clang-tidy --quiet --warnings-as-errors='*' \
		--checks="$(tidy_checks)" \
		$sources -- "$@"
}
exit $bad
