/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/time_period.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)
#define ZONES     "/usr/share/zoneinfo/"

/* What ends each field but the last. */
static const char ends[TIME_FIELDS - 1] = { '.', '.', '_', ':', ':' };

static int two_digits(const char *at)
{
	return (at[0] - '0') * 10 + (at[1] - '0');
}

/*
 * Reads a bound of len bytes from its end; gives the first field that is
 * there, or -1.
 */
static int parse_bound(const char *text, size_t len, int *fields)
{
	int at = TIME_FIELDS;

	while (len && at-- > 0) {
		size_t width = at == 0 ? 4 : 2;

		if (at < TIME_FIELDS - 1 && text[--len] != ends[at])
			return -1;
		if (len < width)
			return -1;
		len -= width;
		for (size_t i = 0; i < width; i++) {
			if (!is_digit(text[len + i]))
				return -1;
		}
		fields[at] = two_digits(text + len);
		if (width == 4)
			fields[at] = fields[at] * 100 +
				     two_digits(text + len + 2);
	}
	/* Minutes and seconds have to be there. */
	return len || at > TIME_FIELDS - 2 ? -1 : at;
}

int time_period_parse(const char *text, struct time_period *period,
		      struct error *err)
{
	size_t len = strcspn(text, "-");
	int from, to = -1;

	from = parse_bound(text, len, period->from);
	if (text[len])
		to = parse_bound(text + len + 1, strlen(text + len + 1),
				 period->to);
	if (from < 0 || to < 0)
		return fail(
			err, ERROR_MISUSE,
			"'%s' is no time range; there is "
			"[[[[YYYY.]MM.]DD_]hh:]mm:ss, twice, with - between",
			text);
	if (from != to)
		return fail(err, ERROR_MISUSE,
			    "'%s' leaves out more of one bound than of the "
			    "other",
			    text);
	period->first = from;
	return 0;
}

static int compare(const int *a, const int *b, int first)
{
	for (int i = first; i < TIME_FIELDS; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

bool time_period_has(const struct time_period *period, int64_t time_ns)
{
	time_t second = time_ns / SECOND_NS - (time_ns % SECOND_NS < 0);
	int first = period->first;
	bool after, before;
	struct tm tm = { 0 };

	if (!(period->local ? localtime_r : gmtime_r)(&second, &tm))
		return false;
	const int now[TIME_FIELDS] = {
		tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		tm.tm_hour,        tm.tm_min,     tm.tm_sec,
	};
	after = compare(now, period->from, first) >= 0;
	before = compare(now, period->to, first) < 0;
	if (compare(period->from, period->to, first) > 0)
		return after || before;
	return after && before;
}

/* GMT+2, GMT-0330, UTC+05:30: as Java reads them; false for all else. */
static bool put_offset(struct text *zone, const char *name)
{
	int hour, minute = 0;
	const char *at = name + 4;
	size_t digits;

	if ((strncmp(name, "GMT", 3) != 0 && strncmp(name, "UTC", 3) != 0) ||
	    (name[3] != '+' && name[3] != '-'))
		return false;
	digits = strspn(at, "0123456789");
	if (digits == 0 || digits == 3 || digits > 4)
		return false;
	hour = digits == 1 ? *at - '0' : two_digits(at);
	if (digits == 4)
		minute = two_digits(at + 2);
	at += digits;
	if (digits < 3 && at[0] == ':' && strspn(at + 1, "0123456789") == 2) {
		minute = two_digits(at + 1);
		at += 3;
	}
	if (*at || hour > 23 || minute > 59)
		return false;
	/* POSIX counts westward. */
	text_printf(zone, "<GMT>%c%d:%02d", name[3] == '+' ? '-' : '+', hour,
		    minute);
	return true;
}

static bool put_known_zone(struct text *zone, const char *name)
{
	struct text path = { 0 };
	bool known;

	/* A name, and no way out of the folder. */
	if (!*name || *name == '.' || *name == '/' || strstr(name, ".."))
		return false;
	text_printf(&path, "%s%s", ZONES, name);
	known = access(path.bytes, R_OK) == 0;
	if (known)
		text_printf(zone, ":%s", name);
	text_release(&path);
	return known;
}

int time_zone_of_java(const char *name, char **zone, struct error *err)
{
	static const char *const utc[] = { "UTC", "GMT", "Z", "UT" };
	struct text value = { 0 };

	for (size_t i = 0; i < sizeof(utc) / sizeof(*utc); i++) {
		if (strcmp(name, utc[i]) == 0)
			text_puts(&value, "UTC0");
	}
	if (!value.len && !put_offset(&value, name) &&
	    !put_known_zone(&value, name))
		return fail(err, ERROR_MISUSE,
			    "'%s' is no time zone; there are: UTC, GMT+02:00, "
			    "and the names of " ZONES,
			    name);
	*zone = value.bytes;
	return 0;
}
