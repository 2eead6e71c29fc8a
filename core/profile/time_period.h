/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_period: SJK's --time-range, FROM-TO with each bound
 *
 *   [[[[YYYY.]MM.]DD_]hh:]mm:ss
 *
 * and as much left out of the one as of the other.  What is left out makes it
 * periodic: 05:30-10:30 is those five minutes of each hour.  The upper bound
 * is outside; a lower that comes after it wraps round (50:00-10:00).
 */
#ifndef CORE_PROFILE_TIME_PERIOD_H
#define CORE_PROFILE_TIME_PERIOD_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

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
