/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_range: --from and --to, in all the ways people write them.
 *
 *   10 10s 500ms 2m 1h                  after the start of the recording
 *   -10s                                before its end
 *   10:32:59[.5]                        local time on the recording's first day
 *   2026-11-21T10:32:59[.5][Z|+01:00]   ISO 8601, local time without a zone
 *   1700000000000                       milliseconds since the epoch
 *
 * Durations are those of units_duration(): a number alone is seconds.  From
 * 10^11 on, it is milliseconds since the epoch.
 */
#ifndef CORE_PROFILE_TIME_RANGE_H
#define CORE_PROFILE_TIME_RANGE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
