/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_conditions: the preconditions of an attach.
 *
 * One table: attach_open() stops at the first condition that fails, `doctor`
 * prints them all. Checking them changes nothing in the target.
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
 * important first; returns how many there are.
 */
size_t attach_conditions(const struct jvm *jvm, struct condition *list);

/*
 * True for a condition that fails because all threads of the JVM are stopped.
 */
bool condition_stops(const struct condition *c);

/*
 * Checks all conditions; waits until deadline_ns (clock_monotonic_ns()) for
 * those that a starting JVM does not meet yet. Fails with the first condition
 * that fails.
 */
int attach_conditions_met(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err);

/*
 * True when the JVM is ending, even before it is a zombie. The kernel frees a
 * process's memory before it closes its files: the memory is gone by the time a
 * socket is closed.
 */
bool attach_jvm_is_ending(const struct jvm *jvm);

/* Sets *err to ERROR_NO_TARGET: the JVM has ended. Returns -1. */
int attach_fail_ended(const struct jvm *jvm, struct error *err);

/*
 * Sets *err to ERROR_REFUSED: no reply in time, and the likely reason. Returns
 * -1.
 */
int attach_timed_out(const struct jvm *jvm, int64_t timeout_ns,
		     struct error *err);

#endif
