/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: leaves in a profile only the cells that were asked for.
 */
#ifndef CORE_PROFILE_FILTER_H
#define CORE_PROFILE_FILTER_H

#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
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

/*
 * trace_filter.c: leaves out, or cuts, stack traces in the language of SJK's
 * --trace-filter and --trace-trim (trace_filter.c).
 *
 * A pattern is matched against a frame as Throwable.printStackTrace() writes
 * it, a.b.Class.method(File.java:12).  A profile holds no files: File is the
 * outermost class, as the compiler wants it of public ones.
 */
#define TRACE_PATTERNS 63 /* of an expression, at most */

struct trace_filter;

/*
 * Fails with NULL, ERROR_MISUSE and the place.  With trim it leaves of each
 * stack trace the part that the expression opens, and drops those without one.
 */
struct trace_filter *trace_filter_new(const char *expression, bool trim,
				      struct error *err);
void trace_filter_free(struct trace_filter *f); /* NULL is fine */

/* True when profile.keep_lines has to be set for it to match anything. */
bool trace_filter_wants_lines(const struct trace_filter *f);

/* How many frames were too costly to decide (core/base/pattern.h). */
size_t trace_filter_undecided(const struct trace_filter *f);

void trace_filter_apply(struct profile *p, struct trace_filter *f);

#endif
