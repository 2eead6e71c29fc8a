#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/lint.sh FLAGS-OF-THE-COMPILER...
#
# What reading tools have to say; each finding is one to mend or to silence
# where it is wrong, with the reason.
cd "$(dirname "$0")/.." || exit 2
bad=0
sources=$(find cmd core jmx_http bpf jvmti render tests/unit tests/tools \
	-name '*.c' 2>/dev/null | sort)

lint() {
	printf '  %-8s %s\n' LINT "$1"
	shift
	"$@" || bad=1
}

# shellcheck disable=SC2046,SC2086 # file names of ours, one word each
{
	lint shellcheck shellcheck -s sh $(find tests render -name '*.sh' \
		! -path 'tests/cli/*') tests/cli/*/*.sh .ci/run
	lint mandoc mandoc -T lint -W warning sjkc.1
	lint cppcheck cppcheck --quiet --std=c11 --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=nullPointerArithmetic -D_GNU_SOURCE \
		--suppress=missingIncludeSystem -I. $sources
	lint format clang-format --dry-run --Werror \
		$(find cmd core render tests -name '*.[ch]')
	lint clang-tidy clang-tidy --quiet --warnings-as-errors='*' \
		--checks='-*,bugprone-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-assignment-in-if-condition,-bugprone-narrowing-conversions' \
		$sources -- "$@"
}
exit $bad
