/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/thread_dump.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/profile/idle_method.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S  INT64_C(1000000000)
#define LAST_YEAR 2261 /* whose nanoseconds fit int64_t */

static const struct {
	const char *what;
	bool is_loss;
} oddities[DUMP_ODDITIES] = {
	[DUMP_LINE_OUTSIDE] = { "lines outside thread dumps skipped", false },
	[DUMP_LINE_INSIDE] = { "lines inside thread dumps skipped", false },
	[DUMP_CUT] = { "thread dumps cut short", true },
	[DUMP_HEADLESS] = { "thread dumps without a beginning", true },
	[DUMP_BAD_THREAD] = { "thread headers not understood", true },
	[DUMP_BAD_FRAME] = { "frames not understood", true },
};

void thread_dump_init(struct thread_dump *d, struct profile *p)
{
	*d = (struct thread_dump){
		.profile = p,
		.event = profile_event(p, "thread-dump", UNIT_SAMPLES),
	};
}

void thread_dump_release(struct thread_dump *d)
{
	free(d->frames);
	free(d->text_frames);
	intern_release(&d->texts);
	*d = (struct thread_dump){ 0 };
}

void thread_dump_finish(struct thread_dump *d)
{
	thread_dump_end(d);
	if (d->idle)
		profile_note(
			d->profile,
			"samples of idle threads left out (--idle keeps them)",
			d->idle, "%s", "");
	for (size_t i = 0; i < DUMP_ODDITIES; i++) {
		unsigned long long line = d->odd[i].line;

		if (!d->odd[i].count)
			continue;
		if (oddities[i].is_loss)
			profile_lost(d->profile, oddities[i].what,
				     d->odd[i].count, "line %llu", line);
		else
			profile_note(d->profile, oddities[i].what,
				     d->odd[i].count, "line %llu", line);
	}
}

void thread_dump_odd(struct thread_dump *d, enum dump_oddity kind,
		     uint64_t line)
{
	if (!d->odd[kind].count++)
		d->odd[kind].line = line;
}

void thread_dump_begin(struct thread_dump *d, const struct dump_header *h)
{
	thread_dump_end(d);
	d->open = true;
	d->state = h->state;
	d->waits = h->waits;
	d->thread = (struct thread){
		.name = profile_string(d->profile, h->name, h->name_len),
		.java_id = h->java_id,
		.os_id = h->os_id,
		.is_virtual = h->is_virtual,
	};
}

/* RUNNABLE, but waiting for the VM, or in native code. */
static bool is_idle(const struct thread_dump *d)
{
	const struct profile *p = d->profile;

	if (d->state != STATE_RUNNABLE || !d->frame_count)
		return false;
	return d->waits || idle_method_is(p, &p->frames[d->frames[0]]);
}

void thread_dump_end(struct thread_dump *d)
{
	struct sample s = {
		.event = d->event,
		.state = d->state,
		.time_ns = d->time_ns,
		.count = 1,
		.weight = 1,
	};

	if (!d->open)
		return;
	if (d->profile->leave_out_idle && is_idle(d)) {
		d->idle++;
	} else {
		s.stack = profile_stack(d->profile, d->frames, d->frame_count);
		s.thread = profile_thread(d->profile, &d->thread);
		profile_add(d->profile, &s);
	}
	d->threads++;
	d->open = d->state_said = false;
	d->frame_count = 0;
}

static void add_frame(struct thread_dump *d, uint32_t frame)
{
	array_reserve(d->frames, d->frame_cap, d->frame_count + 1);
	d->frames[d->frame_count++] = frame;
}

bool thread_dump_frame(struct thread_dump *d, enum dump_frame_form form,
		       const char *text, size_t len)
{
	uint32_t id = intern_find(&d->texts, text, len);
	struct frame f;

	if (!id) {
		if (!dump_frame_parse(d->profile, form, text, len, &f))
			return false;
		id = intern_id(&d->texts, text, len);
		array_reserve(d->text_frames, d->text_cap, (size_t)id + 1);
		d->text_frames[id] = profile_frame(d->profile, &f);
	}
	add_frame(d, d->text_frames[id]);
	return true;
}

void thread_dump_cut(struct thread_dump *d, bool midway, uint64_t line)
{
	struct profile *p = d->profile;
	struct frame f = { .kind = FRAME_SYNTHETIC };

	thread_dump_odd(d, DUMP_CUT, line);
	if (!midway || !d->open || !d->frame_count)
		return;
	f.method = profile_string(p, "[truncated]", strlen("[truncated]"));
	add_frame(d, profile_frame(p, &f));
}

/* Reads exactly `digits` digits and then one of the characters of `after`. */
static bool fixed_number(const char **at, const char *end, int digits,
			 const char *after, int *value)
{
	int sum = 0;

	if (end - *at < digits + (after ? 1 : 0))
		return false;
	for (int i = 0; i < digits; i++) {
		char c = *(*at)++;

		if (!is_digit(c))
			return false;
		sum = sum * 10 + (c - '0');
	}
	*value = sum;
	return !after || (**at && strchr(after, *(*at)++));
}

/* ".781426039", ":123": the fraction of a second in nanoseconds. */
static int64_t fraction(const char **at, const char *end)
{
	int64_t unit = NS_PER_S;
	int64_t ns = 0;

	if (*at == end || !**at || !strchr(".,:", **at))
		return 0;
	for (++*at; *at < end && is_digit(**at); ++*at) {
		unit /= 10;
		ns += (**at - '0') * unit;
	}
	return ns;
}

static bool is_utc(const char *at, const char *end)
{
	return (at < end && *at == 'Z') ||
	       (end - at >= 6 && memcmp(at, " (UTC)", 6) == 0);
}

bool thread_dump_time(const char *text, size_t len, int64_t *ns)
{
	const char *at = text;
	const char *end = text + len;
	struct tm tm = { .tm_isdst = -1 };
	int64_t rest;
	time_t seconds;

	if (!fixed_number(&at, end, 4, "-/", &tm.tm_year) ||
	    !fixed_number(&at, end, 2, "-/", &tm.tm_mon) ||
	    !fixed_number(&at, end, 2, " T", &tm.tm_mday))
		return false;
	if (end - at > 3 && memcmp(at, "at ", 3) == 0)
		at += 3;
	if (!fixed_number(&at, end, 2, ":", &tm.tm_hour) ||
	    !fixed_number(&at, end, 2, ":", &tm.tm_min) ||
	    !fixed_number(&at, end, 2, NULL, &tm.tm_sec))
		return false;
	if (tm.tm_year < 1970 || tm.tm_year > LAST_YEAR || tm.tm_mon < 1 ||
	    tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	rest = fraction(&at, end);
	seconds = is_utc(at, end) ? timegm(&tm) : mktime(&tm);
	*ns = (int64_t)seconds * NS_PER_S + rest;
	return true;
}
