/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_fences: which of the agent's events a JVM's build is safe with, and
 * which it has at all, told from its version before the agent is loaded.
 */
#ifndef JVMTI_CLIENT_CLIENT_FENCES_H
#define JVMTI_CLIENT_CLIENT_FENCES_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>

/*
 * Whether the agent may ask this build for the names of methods.  Otherwise
 * *why is appended to: the build, the numbers of the bugs, and the update that
 * fixes them.
 */
bool agent_names_are_safe(const struct jvm_info *about, struct text *why);

/*
 * Whether the JVM has SampledObjectAlloc; also true of an unknown version.
 * Otherwise *why is appended to.
 */
bool agent_has_alloc(const struct jvm_info *about, struct text *why);

#endif
