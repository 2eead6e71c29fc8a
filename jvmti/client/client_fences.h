/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_fences: decides, from a JVM's version and before the agent is loaded,
 * which of the agent's events the JVM has and which are safe.
 */
#ifndef JVMTI_CLIENT_CLIENT_FENCES_H
#define JVMTI_CLIENT_CLIENT_FENCES_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>

/*
 * Returns true if the agent may look up method names in this build.  Otherwise
 * appends to *why: the build, the numbers of the bugs, and the update that
 * fixes them.
 */
bool agent_names_are_safe(const struct jvm_info *about, struct text *why);

/*
 * Likewise for changing classes, which probes of Java methods need.  An unknown
 * version is safe: only old updates of JDK 8 are not.
 */
bool agent_probes_are_safe(const struct jvm_info *about, struct text *why);

/*
 * Returns true if the JVM has SampledObjectAlloc or its version is unknown.
 * Otherwise appends the reason to *why.
 */
bool agent_has_alloc(const struct jvm_info *about, struct text *why);

#endif
