#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/lint.sh FLAGS-OF-THE-COMPILER...
#
# What reading tools have to say; each finding is one to mend, or to silence
# where it is wrong, with the reason.  cppcheck takes the two ends of the page
# that the binary carries for two objects, and locals of a caller for our own.
cd "$(dirname "$0")/.." || exit 2
bad=0
# Programs that the kernel runs are checked by it.
sources=$(find cmd core jmx_http bpf jvmti render -name '*.c' ! -name '*.bpf.c' \
	2>/dev/null | sort)
tests=$(find tests/unit tests/fuzz tests/tools -name '*.c' 2>/dev/null | sort)

lint() {
	printf '  %-8s %s\n' LINT "$1"
	shift
	"$@" || bad=1
}

# tidy_checks: all of two families but these
tidy_checks() {
	printf '%s' '-*,bugprone-*,clang-analyzer-*'
	# Wants memcpy_s() and kin, which glibc does not have.
	printf ',-%s' \
		clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
	# Takes a va_list that is a parameter for one never started.
	printf ',-%s' clang-analyzer-valist.Uninitialized
	# Takes the size of an array's element, a pointer, for a slip.
	printf ',-%s' bugprone-sizeof-expression
	# Tastes of others; -Wconversion looks after the last.
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
	lint mandoc mandoc -T lint -W warning sjkc.1
	lint cppcheck cppcheck --quiet --std=c11 --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=nullPointerArithmetic -D_GNU_SOURCE \
		--suppress=comparePointers --suppress=autoVariables --suppress=uninitvar:tests/* \
		--suppress=missingIncludeSystem -I. $sources $tests
	lint format clang-format --dry-run --Werror \
		$(find cmd core jmx_http bpf jvmti render packaging tests \
			-name '*.[ch]' 2>/dev/null)
	# Not of the tests: it does not see that a cmocka assertion never returns.
	lint clang-tidy clang-tidy --quiet --warnings-as-errors='*' \
		--checks="$(tidy_checks)" \
		$sources -- "$@"
}
exit $bad
