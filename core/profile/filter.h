/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: leaves in a profile only the cells that were asked for.
 */
#ifndef CORE_PROFILE_FILTER_H
#define CORE_PROFILE_FILTER_H

#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/profile/profile.h"

#include <stdint.h>

/* A zeroed filter lets everything pass.  The patterns are the caller's. */
struct filter {
	struct pattern *thread_name; /* of the cell's thread */
	uint32_t states;             /* of filter_states(); 0: all */
	struct pattern *include;     /* some frame of the stack matches */
	struct pattern *exclude;     /* no frame of the stack matches */
};

/*
 * Removes the cells that do not pass and corrects the events' totals.  Frames
 * are matched by what frame_name() makes of them in full, without the line.
 */
void filter_apply(struct profile *p, const struct filter *f);

/* Takes the class allocated or locked off all stack traces that end in one. */
void filter_drop_classes(struct profile *p);

/*
 * Reads a comma-separated list of thread states (any case) into a bit mask.
 * "sleeping" is all states in which a thread waits, "busy" RUNNABLE without
 * leaf frames that are known to wait (idle_method.h).  Fails with ERROR_MISUSE
 * and the list of what there is.
 */
int filter_states(const char *list, uint32_t *states, struct error *err);

#endif
