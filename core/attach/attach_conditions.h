/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_conditions: everything that must hold before a JVM may be asked.
 *
 * One table: attach_open() stops at the first that does not hold, `doctor`
 * shows them all.  Looking at them changes nothing in the target.
 */
#ifndef CORE_ATTACH_ATTACH_CONDITIONS_H
#define CORE_ATTACH_ATTACH_CONDITIONS_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum condition_state {
	CONDITION_HOLDS,
	CONDITION_WAITS, /* not yet: the JVM is starting */
	CONDITION_FAILS,
	CONDITION_UNKNOWN, /* could not be looked at */
};

struct condition {
	const char *name; /* "signal handler", "attach mechanism", … */
	enum condition_state state;
	enum error_kind kind; /* of the error that it would be */
	char detail[256];     /* what holds, or what does not and why */
	char remedy[256];     /* what to do about it; may be empty */
};

enum { ATTACH_CONDITIONS_MAX = 24 };

/* Fills list (of ATTACH_CONDITIONS_MAX) in the order in which they matter. */
size_t attach_conditions(const struct jvm *jvm, struct condition *list);

/* Whether it does not hold, and keeps all threads of the JVM from running. */
bool condition_stops(const struct condition *c);

/*
 * Waits, until the deadline (clock_monotonic_ns()), for those that are still to
 * come; fails with the first that does not hold.
 */
int attach_conditions_met(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err);

#endif
