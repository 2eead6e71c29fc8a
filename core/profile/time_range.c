/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/time_range.h"

#include "core/base/ascii.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)
#define MS_NS     INT64_C(1000000)

/*
 * A number alone that is less is no moment of a recording (it would be in
 * 1973) but milliseconds after its beginning, as jfrconv takes it.
 */
#define EPOCH_MS INT64_C(100000000000)

/* Reads between min and max digits; false when they are not there. */
static bool digits(const char **at, int min, int max, int64_t *value)
{
	int count = 0;

	*value = 0;
	while (count < max && is_digit((*at)[count]))
		*value = *value * 10 + ((*at)[count++] - '0');
	*at += count;
	return count >= min && !is_digit(**at);
}

/* Reads ".5" into nanoseconds, if it is there; digits beyond 9 are dropped. */
static bool fraction(const char **at, int64_t *ns)
{
	int64_t unit = SECOND_NS;

	*ns = 0;
	if (**at != '.' && **at != ',')
		return true;
	++*at;
	if (!is_digit(**at))
		return false;
	for (; is_digit(**at); ++*at) {
		unit /= 10;
		*ns += (**at - '0') * unit;
	}
	return true;
}

/* hh:mm[:ss[.fraction]] as nanoseconds since midnight. */
static bool time_of_day(const char **at, int64_t *ns)
{
	int64_t hour, minute, second = 0, part = 0;

	if (!digits(at, 1, 2, &hour) || *(*at)++ != ':' ||
	    !digits(at, 2, 2, &minute))
		return false;
	if (**at == ':') {
		++*at;
		if (!digits(at, 2, 2, &second) || !fraction(at, &part))
			return false;
	}
	*ns = ((hour * 60 + minute) * 60 + second) * SECOND_NS + part;
	return hour < 24 && minute < 60 && second < 60;
}

/* Z, +hh, +hh:mm or +hhmm in seconds; *local when there is no zone. */
static bool zone(const char **at, bool *local, int64_t *seconds)
{
	int64_t hour, minute = 0;
	bool west = **at == '-';

	*local = **at == '\0';
	*seconds = 0;
	if (*local)
		return true;
	if (**at == 'Z' || **at == 'z') {
		++*at;
		return true;
	}
	if (**at != '+' && !west)
		return false;
	++*at;
	if (!is_digit((*at)[0]) || !is_digit((*at)[1]))
		return false;
	hour = ((*at)[0] - '0') * 10 + ((*at)[1] - '0');
	*at += 2;
	if (**at == ':')
		++*at;
	if (**at && !digits(at, 2, 2, &minute))
		return false;
	*seconds = (hour * 60 + minute) * 60;
	if (west)
		*seconds = -*seconds;
	return hour < 24 && minute < 60;
}

/* Seconds since the epoch of a calendar day's time, which must exist. */
static bool calendar_seconds(struct tm tm, bool local, int64_t *seconds)
{
	const struct tm asked = tm;
	time_t t;

	tm.tm_isdst = -1;
	t = local ? mktime(&tm) : timegm(&tm);
	*seconds = t;
	/* 31 April has become 1 May; a clock put forward moves hours only. */
	return tm.tm_mday == asked.tm_mday && tm.tm_mon == asked.tm_mon &&
	       tm.tm_year == asked.tm_year;
}

/* yyyy-mm-dd, then T or a blank and the time of day. */
static bool iso_8601(const char *at, int64_t *ns)
{
	int64_t year, month, day, of_day = 0, offset = 0, seconds;
	bool local = true;
	struct tm tm = { 0 };

	if (!digits(&at, 4, 4, &year) || *at++ != '-' ||
	    !digits(&at, 2, 2, &month) || *at++ != '-' ||
	    !digits(&at, 2, 2, &day))
		return false;
	if (*at) {
		if (*at != 'T' && *at != 't' && *at != ' ')
			return false;
		at++;
		if (!time_of_day(&at, &of_day) || !zone(&at, &local, &offset) ||
		    *at)
			return false;
	}
	/* What 64 bits of nanoseconds hold, with a zone to spare. */
	if (year < 1900 || year > 2200 || month < 1 || month > 12 || day < 1 ||
	    day > 31)
		return false;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	tm.tm_hour = (int)(of_day / SECOND_NS / 3600);
	tm.tm_min = (int)(of_day / SECOND_NS / 60 % 60);
	tm.tm_sec = (int)(of_day / SECOND_NS % 60);
	if (!calendar_seconds(tm, local, &seconds))
		return false;
	*ns = (seconds - offset) * SECOND_NS + of_day % SECOND_NS;
	return true;
}

/* A number and a unit, "1.5s"; a number alone is milliseconds. */
static bool span(const char *at, int64_t *ns, bool *bare)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "", MS_NS },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", MS_NS },
		{ "s", SECOND_NS },
		{ "m", 60 * SECOND_NS },
		{ "h", 3600 * SECOND_NS },
		{ "d", 86400 * SECOND_NS },
	};
	int64_t whole, part;

	/* 18 digits of any kind fit; then the unit may overflow. */
	if (!digits(&at, 1, 18, &whole) || !fraction(&at, &part))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(at, units[i].name) != 0)
			continue;
		*bare = i == 0;
		part = (int64_t)((__int128)part * units[i].ns / SECOND_NS);
		return !__builtin_mul_overflow(whole, units[i].ns, ns) &&
		       !__builtin_add_overflow(*ns, part, ns);
	}
	return false;
}

int time_bound_parse(const char *text, struct time_bound *bound,
		     struct error *err)
{
	const char *at = text;
	bool bare;

	if (*text == '-' && span(text + 1, &bound->ns, &bare)) {
		bound->base = TIME_FROM_END;
		return 0;
	}
	if (span(text, &bound->ns, &bare)) {
		bound->base = bare && bound->ns >= EPOCH_MS * MS_NS
				      ? TIME_EPOCH
				      : TIME_FROM_START;
		return 0;
	}
	if (time_of_day(&at, &bound->ns) && !*at) {
		bound->base = TIME_OF_DAY;
		return 0;
	}
	if (iso_8601(text, &bound->ns)) {
		bound->base = TIME_EPOCH;
		return 0;
	}
	return fail(err, ERROR_MISUSE,
		    "'%s' is no time; there are: 10s, -10s (before the end), "
		    "10:32:59, 2026-11-21T10:32:59[Z], milliseconds since 1970",
		    text);
}

bool time_bound_is_relative(const struct time_bound *bound)
{
	return bound->base != TIME_EPOCH;
}

static int64_t saturated(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* The local time of day on the day of start_ns. */
static int64_t on_day_of(int64_t start_ns, int64_t of_day)
{
	int64_t second = start_ns / SECOND_NS - (start_ns % SECOND_NS < 0);
	time_t start = second;
	struct tm tm;
	int64_t ns;

	if (!localtime_r(&start, &tm))
		return saturated(start_ns, of_day);
	tm.tm_hour = (int)(of_day / SECOND_NS / 3600);
	tm.tm_min = (int)(of_day / SECOND_NS / 60 % 60);
	tm.tm_sec = (int)(of_day / SECOND_NS % 60);
	tm.tm_isdst = -1;
	/* A file may claim the last day that nanoseconds can name. */
	if (__builtin_mul_overflow(mktime(&tm), SECOND_NS, &ns))
		return start_ns;
	return saturated(ns, of_day % SECOND_NS);
}

int64_t time_bound_resolve(const struct time_bound *bound, int64_t start_ns,
			   int64_t end_ns)
{
	switch (bound->base) {
	case TIME_OF_DAY:
		return on_day_of(start_ns, bound->ns);
	case TIME_FROM_START:
		return saturated(start_ns, bound->ns);
	case TIME_FROM_END:
		return saturated(end_ns, -bound->ns);
	case TIME_EPOCH:
		break;
	}
	return bound->ns;
}
