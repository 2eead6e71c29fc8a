/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_conditions: the preconditions of an attach.
 *
 * All conditions are in one table: attach_open() fails with the first that
 * fails, doctor prints all of them. Checking them does not change the target.
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

/*
 * Checks all conditions and fills list (of ATTACH_CONDITIONS_MAX), the most
 * important first; returns their number.
 */
size_t attach_conditions(const struct jvm *jvm, struct condition *list);

/* True if a condition fails because all threads of the JVM are stopped. */
bool condition_stops(const struct condition *c);

/*
 * Checks all conditions and fails with the first that fails. Waits until
 * deadline_ns (clock_monotonic_ns()) for conditions that a starting JVM does
 * not meet yet.
 */
int attach_conditions_met(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err);

/*
 * True for a HotSpot JVM that has started recently and cannot be woken yet.
 * Attaching would wait for it.
 */
bool attach_is_starting(const struct jvm *jvm);

/*
 * Sets *err to ERROR_REFUSED: the JVM did not respond in time, with the likely
 * reason. Returns -1.
 */
int attach_timed_out(const struct jvm *jvm, int64_t timeout_ns,
		     struct error *err);

#endif
