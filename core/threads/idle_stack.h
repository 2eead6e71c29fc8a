/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_stack: whether a thread waits for work: in a pool's queue, in a
 * selector, in accept(), or as one of the JVM's own threads.
 */
#ifndef CORE_THREADS_IDLE_STACK_H
#define CORE_THREADS_IDLE_STACK_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* True if a thread that waits with this stack trace waits for work. */
bool idle_stack_waits(const struct profile *p, uint32_t stack);

/* True if the samples of a view include threads that wait. */
bool view_has_waits(const struct event_view *view);

/*
 * Marks the samples of idle threads in a view with waits: an array with an
 * element for each cell of the profile, which the caller frees; NULL if there
 * are none. The CPU time of a method that waits counts as idle, too, because
 * wall clock samples do not tell it from the wait.
 */
bool *idle_cells(const struct profile *p, const struct event_view *view);

#endif
