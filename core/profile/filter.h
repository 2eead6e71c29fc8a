/* SPDX-License-Identifier: Apache-2.0 */
/* filter: removes cells from a profile that the options exclude. */
#ifndef CORE_PROFILE_FILTER_H
#define CORE_PROFILE_FILTER_H

#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed filter passes everything. The caller owns the patterns. */
struct filter {
	struct pattern *thread_name; /* matches the name of the cell's thread */
	uint32_t states;             /* result of filter_states(); 0 = all */
	struct pattern
		*include; /* matches at least one frame of the stack trace */
	struct pattern *exclude; /* matches no frame of the stack trace */
};

/*
 * Removes the cells that do not pass and updates the events' totals. Patterns
 * match the full frame_name() without the line.
 */
void filter_apply(struct profile *p, const struct filter *f);

/* Removes the allocated or locked class from stack traces that end with one. */
void filter_drop_classes(struct profile *p);

/*
 * Parses a comma-separated list of thread states (any case) into a bit mask.
 * "sleeping" means all waiting states, "busy" RUNNABLE without leaf frames that
 * are known to wait (idle_method.h). Fails with ERROR_MISUSE and the valid
 * names.
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

/* True if resolving the bound requires the recording's own times. */
bool time_bound_is_relative(const struct time_bound *bound);

/*
 * Converts a bound to nanoseconds since the epoch, for a recording of
 * [start_ns, end_ns].
 */
int64_t time_bound_resolve(const struct time_bound *bound, int64_t start_ns,
			   int64_t end_ns);

/*
 * A time_period is SJK's --time-range, FROM-TO. Each bound reads
 *
 *    [[[[YYYY.]MM.]DD_]hh:]mm:ss
 *
 * and both omit the same fields. An omitted field makes the period recur:
 * 05:30-10:30 is these five minutes of each hour. The upper bound is exclusive;
 * a lower bound after it wraps around (50:00-10:00).
 */
#define TIME_FIELDS 6 /* year, month, day, hour, minute, second */

struct time_period {
	int from[TIME_FIELDS], to[TIME_FIELDS];
	int first;  /* index of the first field given */
	bool local; /* in the time zone TZ, not UTC */
};

/* Fails with ERROR_MISUSE; does not change .local. */
int time_period_parse(const char *text, struct time_period *period,
		      struct error *err);

bool time_period_has(const struct time_period *period, int64_t time_ns);

/*
 * Returns in *zone, which the caller frees, the value of TZ for a name of
 * Java's TimeZone.getTimeZone(): a name of the time zone database, UTC, or
 * GMT+hh[:mm], whose sign is the opposite of POSIX's. Fails with ERROR_MISUSE.
 */
int time_zone_of_java(const char *name, char **zone, struct error *err);

/*
 * trace_filter.c: removes or trims stack traces by expressions of SJK's
 * --trace-filter and --trace-trim.
 *
 * A pattern is matched against a frame as Throwable.printStackTrace() prints
 * it, a.b.Class.method(File.java:12). A profile has no file names, so File is
 * the outermost class, as the compiler requires for public classes.
 */
#define TRACE_PATTERNS 63 /* maximum in an expression */

struct trace_filter;

enum trace_flags {
	/*
	 * Keep of each stack trace the part that the expression selects, and
	 * drop stack traces without such a part.
	 */
	TRACE_TRIM = 1,
	/*
	 * The operators for the frame nearest the root exclude that frame, like
	 * those for the frame nearest the leaf. SJK includes it.
	 */
	TRACE_EXCLUSIVE = 2,
};

/* Fails with NULL, ERROR_MISUSE and the position. */
struct trace_filter *trace_filter_new(const char *expression, unsigned flags,
				      struct error *err);
void trace_filter_free(struct trace_filter *f); /* NULL is allowed */

/* True if the filter needs line numbers (profile.keep_lines). */
bool trace_filter_wants_lines(const struct trace_filter *f);

/* Number of frames that exceeded the cost limit (core/base/pattern.h). */
size_t trace_filter_undecided(const struct trace_filter *f);

void trace_filter_apply(struct profile *p, struct trace_filter *f);

/* The filter's results for each stack trace of a profile that grows. */
struct trace_verdicts;

/* The filter is borrowed. */
struct trace_verdicts *trace_verdicts_new(const struct trace_filter *f);
void trace_verdicts_free(struct trace_verdicts *v); /* NULL is allowed */

/*
 * True if the filter keeps samples of this stack trace and state, an enum
 * thread_state. Replaces the stack trace by the trimmed one.
 */
bool trace_verdicts_pass(struct trace_verdicts *v, struct profile *p,
			 uint32_t *stack, unsigned state);

#endif
