/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition: one thing that must hold before a JVM can be asked or sampled.
 *
 * Tables of conditions explain a refusal, and doctor shows all of them.
 */
#ifndef CORE_BASE_CONDITION_H
#define CORE_BASE_CONDITION_H

#include "core/base/error.h"

enum condition_state {
	CONDITION_HOLDS,
	CONDITION_WAITS, /* not yet: the JVM is starting */
	CONDITION_FAILS,
	CONDITION_UNKNOWN, /* could not be checked */
};

struct condition {
	const char *name; /* "signal handler", "attach mechanism", … */
	enum condition_state state;
	enum error_kind kind; /* of the error that it would be */
	char detail[256];     /* the fact, and why the condition fails */
	char remedy[256];     /* how to fix it; may be empty */
};

#endif
