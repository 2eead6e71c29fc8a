/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition: a precondition for attaching to a JVM or for sampling it.
 *
 * Tables of conditions explain why an operation fails; doctor prints all of
 * them.
 */
#ifndef CORE_BASE_CONDITION_H
#define CORE_BASE_CONDITION_H

#include "core/base/error.h"

enum condition_state {
	CONDITION_HOLDS,
	CONDITION_WAITS, /* fails while the JVM is starting, and may hold soon
			  */
	CONDITION_FAILS,
	CONDITION_UNKNOWN, /* could not be checked */
};

struct condition {
	const char *name; /* "signal handler", "attach mechanism", … */
	enum condition_state state;
	enum error_kind kind; /* the kind of the error if the condition fails */
	char detail[256];     /* the fact and why the condition fails */
	char remedy[256];     /* how to fix it; may be "" */
};

#endif
