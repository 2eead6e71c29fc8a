# SPDX-License-Identifier: Apache-2.0
# Each JDK: every javac since 9 compiles the source to the same bytes.
# The classes that woven code calls are compiled already, because building sjkc
# requires no JDK.  javac compiles their source to the same bytes, and
# their constants are those of the agent's headers.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# constant NAME: the value of a constant of the helper
constant() {
	sed -n "s/.* $1 = \(.*\);/\1/p" jvmti/helper/SjkcProbe.java
}

cat >"$scratch/layout.c" <<END
#include "jvmti/agent/agent_probe_protocol.h"
#include <stddef.h>
#define SAME(a, b) _Static_assert((long)(a) == (long)(b), #a)
SAME($(constant SLOT), PROBE_SLOT);
SAME($(constant STRIPE), PROBE_STRIPE_LONGS * 8);
SAME($(constant MASK), PROBE_STRIPES / 2 - 1);
SAME(PROBE_STRIPES * PROBE_STRIPE_LONGS * 8 + PROBE_KINDS * 16, PROBE_SLOT);
SAME($(constant SUM), PROBE_AT_SUM * 8);
SAME($(constant THROWN), PROBE_AT_THROWN * 8);
SAME($(constant MAX), PROBE_AT_MAX * 8);
SAME($(constant ENTERED), PROBE_AT_ENTERED * 8);
SAME($(constant SKIPPED), PROBE_AT_SKIPPED * 8);
SAME($(constant OWNER), PROBE_AT_OWNER * 8);
SAME($(constant TOKENS), (long)offsetof(struct probe_control, tokens) - PROBE_BASE);
END

check() {
	gcc -I. -fsyntax-only "$scratch/layout.c" || return
	sh jvmti/helper/build.sh "$1" "$scratch" || return
	diff -r "$scratch/jdk8" jvmti/helper/jdk8 && diff -r "$scratch/jdk9" jvmti/helper/jdk9
}

for_each_jdk check
