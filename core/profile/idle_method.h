/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_method: native methods in which a thread waits.
 *
 * Java calls a thread in native code RUNNABLE, whether it computes or waits
 * for a connection, for input, or for a process to end.
 */
#ifndef CORE_PROFILE_IDLE_METHOD_H
#define CORE_PROFILE_IDLE_METHOD_H

#include "core/profile/profile.h"

#include <stdbool.h>

/* True if a thread with this leaf frame waits. */
bool idle_method_is(const struct profile *p, const struct frame *leaf);

/*
 * True for a frame of one of these methods, separated by spaces.  "*" matches
 * the start of a class name.
 */
bool frame_is_call(const struct profile *p, const struct frame *f,
		   const char *class_name, const char *methods);

#endif
