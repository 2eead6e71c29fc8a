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

/* Methods of a class; "*" matches the start of a class name. */
struct method_call {
	const char *class_name, *methods; /* separated by spaces */
	int value;
};

/* Returns the value of the first row that has the method; or another one. */
int method_call_find(const struct method_call *all, size_t count,
		     const struct profile *p, const struct frame *f, int other);

#endif
