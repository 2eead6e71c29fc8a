/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/profile/frame_name.h"
#include "core/profile/idle_method.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Results for each stack trace, thread and state, computed before the cells are
 * filtered.
 */
struct verdict {
	const struct profile *profile;
	uint8_t *stacks; /* WANTED and UNWANTED, of all frames from the root */
	bool *threads;   /* NULL: all threads pass */
	uint32_t states; /* 0: all states pass */
	uint8_t must,
		no; /* flags that a stack trace must have or must not have */
};

#define WANTED   1
#define UNWANTED 2

/* Matches each distinct frame once, by its full name without a line. */
static uint8_t *filter_match_frames(const struct profile *p,
				    const struct filter *f)
{
	static const struct style style = { 0 };
	uint8_t *matched = xcalloc(p->frame_count, 1);
	struct text name = { 0 };

	for (size_t i = 1; i < p->frame_count; i++) {
		text_clear(&name);
		frame_name(&name, p, &p->frames[i], &style);
		if (f->include &&
		    pattern_matches(f->include, name.bytes, name.len))
			matched[i] |= WANTED;
		if (f->exclude &&
		    pattern_matches(f->exclude, name.bytes, name.len))
			matched[i] |= UNWANTED;
	}
	text_release(&name);
	return matched;
}

/* A callee's id is greater than its caller's, so one forward loop suffices. */
static uint8_t *filter_judge_stacks(const struct profile *p,
				    const struct filter *f)
{
	uint8_t *frames = filter_match_frames(p, f);
	uint8_t *stacks = array_new(p->stack_count, 1);

	for (size_t i = 1; i < p->stack_count; i++)
		stacks[i] = stacks[p->stacks[i].caller] |
			    frames[p->stacks[i].frame];
	free(frames);
	return stacks;
}

static bool *filter_judge_threads(const struct profile *p,
				  struct pattern *wanted)
{
	bool *threads = xcalloc(p->thread_count, sizeof(*threads));

	for (size_t i = 0; i < p->thread_count; i++) {
		uint32_t name = p->threads[i].name;

		threads[i] = pattern_matches(wanted, profile_text(p, name),
					     intern_len(&p->strings, name));
	}
	return threads;
}

/*
 * RUNNABLE, with a leaf frame that does not wait. The VM's own threads have no
 * stack trace in a thread dump and are always RUNNABLE.
 */
#define BUSY (1U << THREAD_STATES)

static bool filter_has_state(const struct verdict *v, const struct cell *c)
{
	const struct profile *p = v->profile;

	if (v->states >> c->state & 1)
		return true;
	return v->states & BUSY && c->state == STATE_RUNNABLE && c->stack &&
	       !idle_method_is(p, &p->frames[p->stacks[c->stack].frame]);
}

static bool filter_passes(void *self, struct cell *c)
{
	const struct verdict *v = self;

	if (v->threads && !v->threads[c->thread])
		return false;
	if (v->states && !filter_has_state(v, c))
		return false;
	return !v->stacks || ((v->stacks[c->stack] & v->must) == v->must &&
			      !(v->stacks[c->stack] & v->no));
}

void filter_apply(struct profile *p, const struct filter *f)
{
	struct verdict v = { .profile = p, .states = f->states };

	if (!f->thread_name && !f->states && !f->include && !f->exclude)
		return;
	if (f->include || f->exclude)
		v.stacks = filter_judge_stacks(p, f);
	if (f->thread_name)
		v.threads = filter_judge_threads(p, f->thread_name);
	v.must = f->include ? WANTED : 0;
	v.no = f->exclude ? UNWANTED : 0;
	profile_retain(p, filter_passes, &v);
	free(v.stacks);
	free(v.threads);
}

static bool filter_drop_class(void *self, struct cell *c)
{
	c->stack = profile_calls(self, c->stack);
	return true;
}

void filter_drop_classes(struct profile *p)
{
	profile_retain(p, filter_drop_class, p);
}

/* async-profiler uses one word for all waiting states. */
#define SLEEPING                                                               \
	(1u << STATE_BLOCKED | 1u << STATE_WAITING | 1u << STATE_TIMED_WAITING)

/*
 * Returns the bits of a state's name in any case, with '-' or '_'; 0 if
 * unknown.
 */
static uint32_t state_bits(const char *name, size_t len)
{
	char plain[32];

	if (len >= sizeof(plain))
		return 0;
	for (size_t i = 0; i < len; i++)
		plain[i] = name[i] == '-' ? '_' : name[i];
	plain[len] = '\0';
	if (strcasecmp(plain, "sleeping") == 0)
		return SLEEPING;
	if (strcasecmp(plain, "busy") == 0)
		return BUSY;
	for (unsigned i = 0; i < THREAD_STATES; i++) {
		if (strcasecmp(plain, thread_state_names[i]) == 0)
			return 1u << i;
	}
	return 0;
}

static int state_fail_unknown(const char *name, size_t len, struct error *err)
{
	struct text choices = { 0 };

	for (unsigned i = 0; i < THREAD_STATES; i++)
		text_printf(&choices, "%s ", thread_state_names[i]);
	text_puts(&choices, "SLEEPING BUSY");
	nearest_fail_choice("state", name, len, choices.bytes, err);
	text_release(&choices);
	return -1;
}

int filter_states(const char *list, uint32_t *states, struct error *err)
{
	uint32_t bits = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		uint32_t bit = state_bits(list, len);

		if (!bit)
			return state_fail_unknown(list, len, err);
		bits |= bit;
		if (!list[len])
			break;
		list += len + 1;
	}
	*states = bits;
	return 0;
}

/* ---- time ranges ---- */

/*
 * A smaller number would be a time before 1973 in milliseconds since the epoch,
 * before any JVM, so it is a duration.
 */
#define EPOCH_MS INT64_C(100000000000)

/* Reads between min and max digits; false if there are fewer or more. */
static bool time_digits(const char **at, int min, int max, int64_t *value)
{
	int count = 0;

	*value = 0;
	while (count < max && is_digit((*at)[count]))
		*value = *value * 10 + ((*at)[count++] - '0');
	*at += count;
	return count >= min && !is_digit(**at);
}

/* Reads an optional ".5" in nanoseconds; digits after the ninth are ignored. */
static bool time_fraction(const char **at, int64_t *ns)
{
	int64_t unit = CLOCK_NS_PER_S;

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

/* Reads hh:mm[:ss[.fraction]] as nanoseconds since midnight. */
static bool time_of_day(const char **at, int64_t *ns)
{
	int64_t hour, minute, second = 0, part = 0;

	if (!time_digits(at, 1, 2, &hour) || *(*at)++ != ':' ||
	    !time_digits(at, 2, 2, &minute))
		return false;
	if (**at == ':') {
		++*at;
		if (!time_digits(at, 2, 2, &second) ||
		    !time_fraction(at, &part))
			return false;
	}
	*ns = ((hour * 60 + minute) * 60 + second) * CLOCK_NS_PER_S + part;
	return hour < 24 && minute < 60 && second < 60;
}

/*
 * Reads Z, +hh, +hh:mm or +hhmm in seconds; *local is set if there is no zone.
 */
static bool time_zone(const char **at, bool *local, int64_t *seconds)
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
	if (**at && !time_digits(at, 2, 2, &minute))
		return false;
	*seconds = (hour * 60 + minute) * 60;
	if (west)
		*seconds = -*seconds;
	return hour < 24 && minute < 60;
}

/*
 * Converts a calendar time to seconds since the epoch; false for a date that
 * does not exist.
 */
static bool time_calendar(struct tm tm, bool local, int64_t *seconds)
{
	const struct tm asked = tm;
	time_t t;

	tm.tm_isdst = -1;
	t = local ? mktime(&tm) : timegm(&tm);
	*seconds = t;
	/*
	 * 31 April would become 1 May. Daylight saving only changes the hour.
	 */
	return tm.tm_mday == asked.tm_mday && tm.tm_mon == asked.tm_mon &&
	       tm.tm_year == asked.tm_year;
}

/* Reads yyyy-mm-dd, optionally followed by T or a space and the time of day. */
static bool time_iso_8601(const char *at, int64_t *ns)
{
	int64_t year, month, day, of_day = 0, offset = 0, seconds;
	bool local = true;
	struct tm tm = { 0 };

	if (!time_digits(&at, 4, 4, &year) || *at++ != '-' ||
	    !time_digits(&at, 2, 2, &month) || *at++ != '-' ||
	    !time_digits(&at, 2, 2, &day))
		return false;
	if (*at) {
		if (*at != 'T' && *at != 't' && *at != ' ')
			return false;
		at++;
		if (!time_of_day(&at, &of_day) ||
		    !time_zone(&at, &local, &offset) || *at)
			return false;
	}
	/* The range of nanoseconds in 64 bits, with a margin for zones. */
	if (year < 1900 || year > 2200 || month < 1 || month > 12 || day < 1 ||
	    day > 31)
		return false;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	tm.tm_hour = (int)(of_day / CLOCK_NS_PER_S / 3600);
	tm.tm_min = (int)(of_day / CLOCK_NS_PER_S / 60 % 60);
	tm.tm_sec = (int)(of_day / CLOCK_NS_PER_S % 60);
	if (!time_calendar(tm, local, &seconds))
		return false;
	*ns = (seconds - offset) * CLOCK_NS_PER_S + of_day % CLOCK_NS_PER_S;
	return true;
}

/* Reads a plain number that is too large for a duration. */
static bool time_epoch_ms(const char *text, int64_t *ns)
{
	int64_t ms;

	return time_digits(&text, 1, 18, &ms) && !*text && ms >= EPOCH_MS &&
	       !__builtin_mul_overflow(ms, CLOCK_NS_PER_MS, ns);
}

int time_bound_parse(const char *text, struct time_bound *bound,
		     struct error *err)
{
	const char *at = text;

	if (*text == '-' &&
	    units_duration(text + 1, &bound->ns, error_unused()) == 0) {
		bound->base = TIME_FROM_END;
		return 0;
	}
	if (time_epoch_ms(text, &bound->ns)) {
		bound->base = TIME_EPOCH;
		return 0;
	}
	if (units_duration(text, &bound->ns, error_unused()) == 0) {
		bound->base = TIME_FROM_START;
		return 0;
	}
	if (time_of_day(&at, &bound->ns) && !*at) {
		bound->base = TIME_OF_DAY;
		return 0;
	}
	if (time_iso_8601(text, &bound->ns)) {
		bound->base = TIME_EPOCH;
		return 0;
	}
	return fail(err, ERROR_MISUSE,
		    "invalid time '%s' (examples: 10s, -10s before the end, "
		    "10:32:59, 2026-11-21T10:32:59Z)",
		    text);
}

bool time_bound_is_relative(const struct time_bound *bound)
{
	return bound->base != TIME_EPOCH;
}

static int64_t time_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* Returns the local time of day on the day of start_ns. */
static int64_t time_on_day(int64_t start_ns, int64_t of_day)
{
	int64_t second = start_ns / CLOCK_NS_PER_S -
			 (start_ns % CLOCK_NS_PER_S < 0);
	time_t start = second;
	struct tm tm;
	int64_t ns;

	if (!localtime_r(&start, &tm))
		return time_saturated(start_ns, of_day);
	tm.tm_hour = (int)(of_day / CLOCK_NS_PER_S / 3600);
	tm.tm_min = (int)(of_day / CLOCK_NS_PER_S / 60 % 60);
	tm.tm_sec = (int)(of_day / CLOCK_NS_PER_S % 60);
	tm.tm_isdst = -1;
	/* A damaged file may have a start at the end of the range. */
	if (__builtin_mul_overflow(mktime(&tm), CLOCK_NS_PER_S, &ns))
		return start_ns;
	return time_saturated(ns, of_day % CLOCK_NS_PER_S);
}

int64_t time_bound_resolve(const struct time_bound *bound, int64_t start_ns,
			   int64_t end_ns)
{
	switch (bound->base) {
	case TIME_OF_DAY:
		return time_on_day(start_ns, bound->ns);
	case TIME_FROM_START:
		return time_saturated(start_ns, bound->ns);
	case TIME_FROM_END:
		return time_saturated(end_ns, -bound->ns);
	case TIME_EPOCH:
		break;
	}
	return bound->ns;
}

/* ---- periods of --time-range ---- */

#define ZONES "/usr/share/zoneinfo/"

/* The separator after each field except the last. */
static const char ends[TIME_FIELDS - 1] = { '.', '.', '_', ':', ':' };

static int period_two_digits(const char *at)
{
	return (at[0] - '0') * 10 + (at[1] - '0');
}

/*
 * Parses a bound of len bytes from its end; returns the index of the first
 * field given, or -1.
 */
static int period_parse_bound(const char *text, size_t len, int *fields)
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
		fields[at] = period_two_digits(text + len);
		if (width == 4)
			fields[at] = fields[at] * 100 +
				     period_two_digits(text + len + 2);
	}
	/* Minutes and seconds are required. */
	return len || at > TIME_FIELDS - 2 ? -1 : at;
}

int time_period_parse(const char *text, struct time_period *period,
		      struct error *err)
{
	size_t len = strcspn(text, "-");
	int from, to = -1;

	from = period_parse_bound(text, len, period->from);
	if (text[len])
		to = period_parse_bound(text + len + 1, strlen(text + len + 1),
					period->to);
	if (from < 0 || to < 0)
		return fail(err, ERROR_MISUSE,
			    "invalid time range '%s' (FROM-TO, each "
			    "[[[[YYYY.]MM.]DD_]hh:]mm:ss)",
			    text);
	if (from != to)
		return fail(err, ERROR_MISUSE,
			    "invalid time range '%s': both bounds must have "
			    "the same fields",
			    text);
	period->first = from;
	return 0;
}

static int time_compare(const int *a, const int *b, int first)
{
	for (int i = first; i < TIME_FIELDS; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

bool time_period_has(const struct time_period *period, int64_t time_ns)
{
	time_t second = time_ns / CLOCK_NS_PER_S -
			(time_ns % CLOCK_NS_PER_S < 0);
	int first = period->first;
	bool after, before;
	struct tm tm = { 0 };

	if (!(period->local ? localtime_r : gmtime_r)(&second, &tm))
		return false;
	const int now[TIME_FIELDS] = {
		tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		tm.tm_hour,        tm.tm_min,     tm.tm_sec,
	};
	after = time_compare(now, period->from, first) >= 0;
	before = time_compare(now, period->to, first) < 0;
	if (time_compare(period->from, period->to, first) > 0)
		return after || before;
	return after && before;
}

/* Parses GMT+2, GMT-0330, UTC+05:30 like Java; false for other names. */
static bool zone_put_offset(struct text *zone, const char *name)
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
	hour = digits == 1 ? *at - '0' : period_two_digits(at);
	if (digits == 4)
		minute = period_two_digits(at + 2);
	at += digits;
	if (digits < 3 && at[0] == ':' && strspn(at + 1, "0123456789") == 2) {
		minute = period_two_digits(at + 1);
		at += 3;
	}
	if (*at || hour > 23 || minute > 59)
		return false;
	/* The offset in POSIX's TZ is positive to the west. */
	text_printf(zone, "<GMT>%c%d:%02d", name[3] == '+' ? '-' : '+', hour,
		    minute);
	return true;
}

static bool zone_put_known(struct text *zone, const char *name)
{
	struct text path = { 0 };
	bool known;

	/* A zone name must not leave the directory. */
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
	if (!value.len && !zone_put_offset(&value, name) &&
	    !zone_put_known(&value, name))
		return fail(err, ERROR_MISUSE,
			    "'%s' is not a time zone; valid: UTC, GMT+02:00, "
			    "and the names of " ZONES,
			    name);
	*zone = value.bytes;
	return 0;
}
