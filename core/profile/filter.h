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
 * A time bound is an argument of --from or --to:
 *
 *   10 10s 500ms 2m 1h                  after the start of the recording
 *   -10s                                before its end
 *   10:32:59[.5]                        local time on the recording's first day
 *   2026-11-21T10:32:59[.5][Z|+01:00]   ISO 8601, local time without a zone
 *   1700000000000                       milliseconds since the epoch
 *
 * Durations are parsed by units_duration(): a plain number is in seconds. From
 * 10^11 on, a plain number is in milliseconds since the epoch.
 */
enum time_base { TIME_EPOCH, TIME_OF_DAY, TIME_FROM_START, TIME_FROM_END };

struct time_bound {
	enum time_base base;
	int64_t ns;
};

/* Fails with ERROR_MISUSE. */
int time_bound_parse(const char *text, struct time_bound *bound,
		     struct error *err);

/* True when the recording's own times must be known to resolve it. */
bool time_bound_is_relative(const struct time_bound *bound);

/* Nanoseconds since the epoch, for a recording of [start_ns, end_ns]. */
int64_t time_bound_resolve(const struct time_bound *bound, int64_t start_ns,
			   int64_t end_ns);

/*
 * A time_period is SJK's --time-range, FROM-TO with each bound
 *
 *   [[[[YYYY.]MM.]DD_]hh:]mm:ss
 *
 * and as much left out of the one as of the other.  What is left out makes it
 * periodic: 05:30-10:30 is those five minutes of each hour.  The upper bound
 * is outside; a lower that comes after it wraps round (50:00-10:00).
 */
#define TIME_FIELDS 6 /* year, month, day, hour, minute, second */

struct time_period {
	int from[TIME_FIELDS], to[TIME_FIELDS];
	int first;  /* the first field that was given */
	bool local; /* in TZ, not UTC */
};

/* Fails with ERROR_MISUSE; leaves .local alone. */
int time_period_parse(const char *text, struct time_period *period,
		      struct error *err);

bool time_period_has(const struct time_period *period, int64_t time_ns);

/*
 * The value of TZ for what Java's TimeZone.getTimeZone() calls name: a name of
 * the time zone database, UTC, or GMT+hh[:mm], which is east, as POSIX has it
 * not.  Fails with ERROR_MISUSE where there is none; *zone is the caller's.
 */
int time_zone_of_java(const char *name, char **zone, struct error *err);

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
