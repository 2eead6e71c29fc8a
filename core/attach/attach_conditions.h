/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_conditions: everything that must hold before a JVM may be asked.
 *
 * One table: attach_open() stops at the first that does not hold, `doctor`
 * shows them all.  Looking at them changes nothing in the target.
 */
#ifndef CORE_ATTACH_ATTACH_CONDITIONS_H
#define CORE_ATTACH_ATTACH_CONDITIONS_H

#include "core/base/condition.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * True when the JVM is ending, even if it is not a zombie yet: its memory goes
 * before its files do, so that it has gone by the time a socket is closed.
 */
bool attach_jvm_is_ending(const struct jvm *jvm);

/* Fails with ERROR_NO_TARGET: the JVM has ended. */
int attach_fail_ended(const struct jvm *jvm, struct error *err);

/* Fails with ERROR_REFUSED: no answer in time, and why that may be. */
int attach_timed_out(const struct jvm *jvm, int64_t timeout_ns,
		     struct error *err);

#endif
