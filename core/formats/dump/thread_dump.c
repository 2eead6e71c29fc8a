/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/thread_dump.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/profile/idle_method.h"
#include "core/profile/java_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- dump_frame: one frame of a thread dump, in each dialect ---- */

static const char native_method[] = "Native Method";

/* The parts of a frame's text; the place is in parentheses. */
struct frame_text {
	struct line name;
	struct line place;
};

/* Returns the position of needle in the line, or NULL. */
static const char *frame_find_text(struct line line, const char *needle)
{
	return memmem(line.text, line.len, needle, strlen(needle));
}

/* Splits "name(place)" at the parenthesis that matches the last character. */
static bool frame_split(const char *text, size_t len, struct frame_text *out)
{
	size_t depth = 0;
	size_t at = len;

	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		at = --len;
	if (!len || text[len - 1] != ')')
		return false;
	while (at--) {
		if (text[at] == ')')
			depth++;
		else if (text[at] == '(' && --depth == 0)
			break;
	}
	if (depth || at == 0 || at == SIZE_MAX || text[at - 1] == ' ')
		return false;
	out->name = (struct line){ text, at };
	out->place = (struct line){ text + at + 1, len - at - 2 };
	return true;
}

/*
 * Removes "java.base@17/", "app//" and the like from a class name. A slash
 * before a digit belongs to the name of a hidden class,
 * Foo$$Lambda/0x0000000091047d20 or, up to JDK 8, Foo$$Lambda$7/1149319664.
 */
static struct line frame_cut_module(struct line name)
{
	size_t from = 0;

	for (size_t i = 0; i + 1 < name.len; i++) {
		if (name.text[i] != '/')
			continue;
		if (is_digit(name.text[i + 1]))
			break;
		from = i + 1;
	}
	return (struct line){ name.text + from, name.len - from };
}

/* Removes the number from the name of a hidden class. */
static size_t frame_cut_number(const char *class_name, size_t len)
{
	for (size_t i = 1; i + 1 < len; i++) {
		if (class_name[i] == '/' && is_digit(class_name[i + 1]))
			return i;
	}
	return len;
}

static void frame_set_name(struct profile *p, struct line name, bool dotted,
			   struct frame *f)
{
	const char *dot = memrchr(name.text, '.', name.len);
	const char *method = dot ? dot + 1 : name.text;
	size_t class_len = dot ? (size_t)(dot - name.text) : 0;

	if (dotted)
		class_len = frame_cut_number(name.text, class_len);
	f->class_name = java_class_name(p, name.text, class_len);
	f->method = profile_string(p, method,
				   (size_t)(name.text + name.len - method));
}

/* Returns the number after the last ':' of a place, "Thread.java:840". */
static uint32_t frame_line(struct line place)
{
	const char *colon = memrchr(place.text, ':', place.len);
	const char *end = place.text + place.len;
	uint32_t line = 0;

	if (!colon || end - colon > 9)
		return 0;
	for (const char *at = colon + 1; at < end; at++) {
		if (!is_digit(*at))
			return 0;
		line = line * 10 + (uint32_t)(*at - '0');
	}
	return line;
}

/* Returns the number after a word such as " line=". */
static uint32_t frame_line_after(struct line text, const char *word)
{
	const char *at = frame_find_text(text, word);
	const char *end = text.text + text.len;
	uint32_t line = 0;

	if (!at)
		return 0;
	at += strlen(word);
	for (size_t i = 0; i < 8 && at < end && is_digit(*at); i++)
		line = line * 10 + (uint32_t)(*at++ - '0');
	return line;
}

static bool frame_parse_java(struct profile *p, struct line text,
			     struct frame *f)
{
	struct frame_text parts;

	if (!frame_split(text.text, text.len, &parts))
		return false;
	*f = (struct frame){ .kind = FRAME_JAVA };
	frame_set_name(p, frame_cut_module(parts.name), true, f);
	if (line_ends(parts.place, native_method))
		f->kind = FRAME_NATIVE;
	else
		f->line = frame_line(parts.place);
	return true;
}

/*
 * Inside of the outer parentheses, "(Compiled Code)" or "(Inlined Compiled
 * Code)" may follow the place; "Bytecode PC:12" is not a line.
 */
static bool frame_parse_j9(struct profile *p, struct line text, struct frame *f)
{
	struct frame_text parts;
	struct frame_text inner;

	if (!frame_split(text.text, text.len, &parts))
		return false;
	*f = (struct frame){ .kind = FRAME_JAVA };
	frame_set_name(p, parts.name, false, f);
	if (frame_split(parts.place.text, parts.place.len, &inner)) {
		if (line_starts(inner.place, "Inlined"))
			f->kind = FRAME_INLINED;
		else if (frame_find_text(inner.place, "Compiled"))
			f->kind = FRAME_JIT;
		parts.place = inner.name;
	}
	if (line_ends(parts.place, native_method))
		f->kind = FRAME_NATIVE;
	else if (!line_starts(parts.place, "Bytecode PC"))
		f->line = frame_line(parts.place);
	return true;
}

static enum frame_kind frame_sa_kind(struct line text)
{
	if (frame_find_text(text, "(Interpreted frame"))
		return FRAME_INTERPRETED;
	if (frame_find_text(text, "(Compiled frame"))
		return FRAME_JIT;
	return FRAME_JAVA;
}

static bool frame_parse_sa(struct profile *p, struct line text, struct frame *f)
{
	const char *bci = frame_find_text(text, " @bci=");
	struct frame_text parts;

	if (!bci || !frame_split(text.text, (size_t)(bci - text.text), &parts))
		return false;
	*f = (struct frame){
		.kind = frame_sa_kind(text),
		.line = frame_line_after(text, ", line="),
	};
	frame_set_name(p, frame_cut_module(parts.name), true, f);
	return true;
}

/* A star marks a Java frame: "0x… * a.B.c(int) bci:1 line:2 (…)". */
static bool frame_parse_mixed(struct profile *p, struct line text,
			      struct frame *f)
{
	const char *end = text.text + text.len;
	const char *at = memchr(text.text, '\t', text.len);
	struct frame_text parts;
	const char *bci;

	if (!at || !line_starts(text, "0x"))
		return false;
	at++;
	text = (struct line){ at, (size_t)(end - at) };
	if (!line_starts(text, "* ")) {
		const char *plus = frame_find_text(text, " + 0x");

		*f = (struct frame){ .kind = FRAME_NATIVE };
		f->method = profile_string(
			p, at, plus ? (size_t)(plus - at) : text.len);
		return text.len != 0;
	}
	text.text += 2;
	text.len -= 2;
	bci = frame_find_text(text, " bci:");
	if (!bci || !frame_split(text.text, (size_t)(bci - text.text), &parts))
		return false;
	*f = (struct frame){
		.kind = frame_sa_kind(text),
		.line = frame_line_after(text, " line:"),
	};
	frame_set_name(p, frame_cut_module(parts.name), true, f);
	return true;
}

static bool (*const parse[])(struct profile *p, struct line text,
			     struct frame *f) = {
	[DUMP_FRAME_JAVA] = frame_parse_java,
	[DUMP_FRAME_J9] = frame_parse_j9,
	[DUMP_FRAME_SA] = frame_parse_sa,
	[DUMP_FRAME_MIXED] = frame_parse_mixed,
};

/*
 * Parses a frame without the "at " or "- " before it. Lines are 0 if the
 * profile does not keep them. False if the text does not have this form.
 */
static bool dump_frame_parse(struct profile *p, enum dump_frame_form form,
			     const char *text, size_t len, struct frame *f)
{
	if (!parse[form](p, (struct line){ text, len }, f))
		return false;
	if (!p->keep_lines)
		f->line = 0;
	return true;
}

#define LAST_YEAR 2261 /* nanoseconds of later years exceed int64_t */

static const struct {
	const char *what;
	bool is_loss;
} oddities[DUMP_ODDITIES] = {
	[DUMP_LINE_OUTSIDE] = { "lines outside thread dumps skipped", false },
	[DUMP_LINE_INSIDE] = { "lines inside thread dumps skipped", false },
	[DUMP_CUT] = { "truncated thread dumps", true },
	[DUMP_HEADLESS] = { "thread dumps without a start", true },
	[DUMP_BAD_THREAD] = { "unrecognized thread headers", true },
	[DUMP_NO_END] = { "thread dumps that may be truncated", false },
	[DUMP_SHORT] = { "stack traces that the JVM truncated", false },
	[DUMP_BAD_FRAME] = { "unrecognized frames", true },
};

void thread_dump_init(struct thread_dump *d, struct profile *p)
{
	*d = (struct thread_dump){
		.profile = p,
		.event = profile_event(p, "thread-dump", UNIT_SAMPLES),
		.is_new = true,
	};
}

void thread_dump_release(struct thread_dump *d)
{
	free(d->frames);
	free(d->locks);
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
			"samples of idle threads omitted (--idle keeps them)",
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
	d->tap = (struct tapped_thread){
		.cpu_ns = h->cpu_ns ? h->cpu_ns : -1,
		.elapsed_ns = h->elapsed_ns ? h->elapsed_ns : -1,
		.is_daemon = h->is_daemon,
		.waits = h->waits,
	};
}

void thread_dump_new(struct thread_dump *d)
{
	thread_dump_end(d);
	d->is_new = true;
	d->vm = 0;
}

static uint32_t dump_line_string(struct thread_dump *d, struct line line)
{
	return profile_string(d->profile, line.text, line.len);
}

void thread_dump_lock(struct thread_dump *d, const struct dump_lock *lock)
{
	if (!d->open)
		return;
	array_add(d->locks, d->tap.lock_count, d->lock_cap,
		  (struct tapped_lock){
			  .kind = lock->kind,
			  .id = dump_line_string(d, lock->id),
			  .class_name = dump_line_string(d, lock->class_name),
			  .owner_id = lock->owner_id,
			  .owner_name = dump_line_string(d, lock->owner_name),
		  });
}

/* Announces the dump to the tap before its first thread or deadlock. */
static const struct thread_tap *dump_announce(struct thread_dump *d)
{
	const struct thread_tap *tap = d->profile->thread_tap;
	const struct tap_dump dump = { .time_ns = d->time_ns,
				       .vm = d->vm,
				       .has_owners = d->has_owners };

	if (d->is_new)
		tap->dump(tap->self, &dump);
	d->is_new = false;
	return tap;
}

void thread_dump_deadlock(struct thread_dump *d, enum tapped_deadlock_kind kind,
			  struct line text)
{
	const struct thread_tap *tap = dump_announce(d);

	tap->deadlock(tap->self, kind, dump_line_string(d, text));
}

static void dump_tap_thread(struct thread_dump *d)
{
	const struct thread_tap *tap = dump_announce(d);

	d->tap.thread = d->thread;
	d->tap.state = d->state;
	d->tap.stack = profile_stack(d->profile, d->frames, d->frame_count);
	d->tap.locks = d->locks;
	tap->thread(tap->self, &d->tap);
}

/* True for RUNNABLE threads that wait for the VM or in native code. */
static bool dump_is_idle(const struct thread_dump *d)
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
	if (d->profile->thread_tap) {
		dump_tap_thread(d);
	} else if (d->profile->leave_out_idle && dump_is_idle(d)) {
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

static void dump_add_frame(struct thread_dump *d, uint32_t frame)
{
	array_add(d->frames, d->frame_count, d->frame_cap, frame);
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
	dump_add_frame(d, d->text_frames[id]);
	return true;
}

void thread_dump_cut(struct thread_dump *d, bool midway, uint64_t line)
{
	thread_dump_odd(d, DUMP_CUT, line);
	if (midway)
		thread_dump_truncate(d);
}

void thread_dump_truncate(struct thread_dump *d)
{
	struct profile *p = d->profile;
	struct frame f = { .kind = FRAME_SYNTHETIC };

	if (!d->open || !d->frame_count)
		return;
	f.method = profile_string(p, "[truncated]", strlen("[truncated]"));
	dump_add_frame(d, profile_frame(p, &f));
}

/*
 * Reads exactly `digits` digits, followed by one of the characters of `after`.
 */
static bool time_fixed_number(const char **at, const char *end, int digits,
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

/* Reads ".781426039" or ":123", the fraction of a second, in nanoseconds. */
static int64_t time_fraction(const char **at, const char *end)
{
	int64_t unit = CLOCK_NS_PER_S;
	int64_t ns = 0;

	if (*at == end || !**at || !strchr(".,:", **at))
		return 0;
	for (++*at; *at < end && is_digit(**at); ++*at) {
		unit /= 10;
		ns += (**at - '0') * unit;
	}
	return ns;
}

static bool time_is_utc(const char *at, const char *end)
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

	if (!time_fixed_number(&at, end, 4, "-/", &tm.tm_year) ||
	    !time_fixed_number(&at, end, 2, "-/", &tm.tm_mon) ||
	    !time_fixed_number(&at, end, 2, " T", &tm.tm_mday))
		return false;
	if (end - at > 3 && memcmp(at, "at ", 3) == 0)
		at += 3;
	if (!time_fixed_number(&at, end, 2, ":", &tm.tm_hour) ||
	    !time_fixed_number(&at, end, 2, ":", &tm.tm_min) ||
	    !time_fixed_number(&at, end, 2, NULL, &tm.tm_sec))
		return false;
	if (tm.tm_year < 1970 || tm.tm_year > LAST_YEAR || tm.tm_mon < 1 ||
	    tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	rest = time_fraction(&at, end);
	seconds = time_is_utc(at, end) ? timegm(&tm) : mktime(&tm);
	*ns = (int64_t)seconds * CLOCK_NS_PER_S + rest;
	return true;
}

int dump_walk(struct dump_walk *w, const struct dump_steps *steps,
	      const uint8_t *bytes, size_t len, struct profile *p,
	      struct error *err)
{
	struct line line;
	int ret = 0;

	thread_dump_init(&w->dump, p);
	w->dump.has_owners = steps->has_owners;
	log_lines_init(&w->lines, bytes, len);
	while (log_lines_next(&w->lines, &line))
		steps->line(w, line);
	steps->end(w);
	thread_dump_finish(&w->dump);
	if (!w->dump.threads)
		ret = fail(err, ERROR_INPUT, "%s", steps->nothing);
	log_lines_release(&w->lines);
	thread_dump_release(&w->dump);
	return ret;
}
