/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_session.h"

#include "cmd/ttop/ttop_jmx.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "render/top/top_csv.h"
#include "render/top/top_json.h"
#include "render/top/top_text.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

void ttop_session_open(struct ttop_session *s, const struct ttop_options *o)
{
	*s = (struct ttop_session){ .o = o };
	/* For the widths of characters; numbers stay as they are. */
	setlocale(LC_CTYPE, "");
	s->screen.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	s->rates = thread_rates_new();
	top_init(&s->top, &o->order);
	top_set_glob(&s->top, o->filter.glob ? o->filter.glob : "");
	s->top.filter.hide_idle = o->filter.hide_idle;
	s->top.filter.java_only = o->filter.java_only;
	s->top.source = o->source->ops->name;
	s->top.title = o->source->ops->title(o->source);
	if (o->interval_ns)
		s->top.interval_ns = o->interval_ns;
}

void ttop_session_close(struct ttop_session *s)
{
	top_release(&s->top);
	screen_release(&s->screen);
	thread_rates_free(s->rates);
	blocked_release(&s->blocked);
}

/* A look costs the JVM one part in a hundred of its time at most. */
#define BLOCKED_EVERY_NS   (2 * CLOCK_NS_PER_S)
#define BLOCKED_LONGEST_NS (60 * CLOCK_NS_PER_S)
enum { PAUSE_SHARE = 100, CALL_SHARE = 20 };

/*
 * A recording is shown in its own time, unless another was asked for: that of
 * its first two samples, to a tenth of a second.
 */
static void keep_time(struct ttop_session *s, const struct top_rates *rates)
{
	const int64_t step = CLOCK_NS_PER_S / 10;
	int64_t steps;

	if (!s->o->is_replay || s->o->interval_ns || s->samples != 2 || !rates)
		return;
	steps = (int64_t)(rates->interval_s * 10 + 0.5);
	if (__builtin_mul_overflow(steps ? steps : 1, step,
				   &s->top.interval_ns))
		s->top.interval_ns = INT64_MAX;
}

bool ttop_session_sample(struct ttop_session *s)
{
	const struct source_note *target;
	struct top_rates *rates;
	struct top_sample sample;

	if (ttop_sample(s->o, &sample, &s->end)) {
		/* What is shown borrows from the last sample, which is valid
		   until there is another. */
		s->top.ended = true;
		if (s->samples)
			top_say(&s->top, s->end.kind != ERROR_NO_TARGET, "%s",
				s->end.text);
		return s->samples > 0;
	}
	s->sample = sample;
	s->samples++;
	rates = thread_rates_update(s->rates, &s->sample);
	keep_time(s, rates);
	s->top.title = s->o->source->ops->title(s->o->source);
	top_update(&s->top, &s->sample, rates);
	target = top_note(&s->sample, "target");
	if (target)
		top_say(&s->top, false, "%s", target->text);
	return true;
}

static void record(struct ttop_session *s, const char *what, int64_t of,
		   const struct text *text)
{
	struct error err;

	if (text->len &&
	    ttop_shown(s->o, what, of, text->bytes, text->len, &err))
		top_say(&s->top, true, "%s", err.text);
}

/* Returns the wall clock time of the shown sample: now, or the recording's. */
static int64_t wall_now(const struct ttop_session *s)
{
	return s->o->is_replay ? s->sample.wall_ns : clock_wall_ns();
}

static int ask_stack(struct ttop_session *s, const struct thread_row *row,
		     struct text *text, struct error *err)
{
	struct thread_source *source = s->o->source;

	if (!source->ops->stack)
		return fail(err, ERROR_UNAVAILABLE,
			    "this source has no stack traces");
	return source->ops->stack(source, row->thread, text, err);
}

static void fetch_stack(struct ttop_session *s)
{
	const struct thread_row *row = top_stack_row(&s->top);
	struct text text = { 0 };
	struct error err;

	if (!row)
		return; /* it has ended; its last stack trace stays */
	if (ask_stack(s, row, &text, &err) == 0) {
		record(s, "stack",
		       row->thread->tid ? row->thread->tid
					: row->thread->java_id,
		       &text);
		top_give_stack(&s->top, &text, wall_now(s));
	} else if (s->top.stack_ns) {
		/* An old one says more than none. */
		top_say(&s->top, true, "no stack trace: %s", err.text);
	} else {
		text_clear(&text);
		text_puts(&text, "no stack trace:\n  ");
		pager_wrap(&text, 2, err.text);
		top_give_stack(&s->top, &text, 0);
	}
	text_release(&text);
}

static int ask_deadlocks(struct ttop_session *s, struct text *text,
			 struct error *err)
{
	struct thread_source *source = s->o->source;

	if (!source->ops->deadlocks)
		return fail(err, ERROR_UNAVAILABLE,
			    "unavailable from this source");
	return source->ops->deadlocks(source, text, err);
}

static void fetch_deadlocks(struct ttop_session *s)
{
	struct text text = { 0 };
	struct error err;

	if (ask_deadlocks(s, &text, &err) == 0) {
		record(s, "deadlocks", 0, &text);
		if (!text.len)
			text_puts(&text, "no deadlock found\n");
		top_give_deadlocks(&s->top, &text, wall_now(s));
	} else {
		text_clear(&text);
		text_puts(&text, "cannot search for deadlocks:\n  ");
		pager_wrap(&text, 2, err.text);
		top_give_deadlocks(&s->top, &text, 0);
	}
	text_release(&text);
}

/* How often to look, given what the last look cost; in whole seconds. */
static int64_t blocked_every(const struct ttop_session *s, int64_t took_ns)
{
	int64_t every = BLOCKED_EVERY_NS;

	if (s->o->is_replay)
		return 0;
	if (s->top.interval_ns > every)
		every = s->top.interval_ns;
	if (took_ns > every / CALL_SHARE)
		every = took_ns * CALL_SHARE;
	if (s->blocked.pause_ns > every / PAUSE_SHARE)
		every = s->blocked.pause_ns * PAUSE_SHARE;
	if (every > BLOCKED_LONGEST_NS)
		every = BLOCKED_LONGEST_NS;
	return (every + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S * CLOCK_NS_PER_S;
}

int ttop_blocked(const struct ttop_options *o, struct blocked *blocked,
		 struct error *err)
{
	struct thread_source *source = o->source;

	if (!source->ops->blocked)
		return fail(err, ERROR_UNAVAILABLE,
			    "unavailable from this source");
	return source->ops->blocked(source, blocked, err);
}

/* Once it failed, it is asked for again only when the user asks. */
static void fetch_blocked(struct ttop_session *s)
{
	int64_t began = clock_monotonic_ns();
	struct text text = { 0 };
	struct error err;

	if (ttop_blocked(s->o, &s->blocked, &err) == 0) {
		blocked_text(&s->blocked, &text);
		if (!s->o->is_replay)
			record(s, "blocked", 0, &text);
		top_give_blocked(
			&s->top, &text, wall_now(s),
			blocked_every(s, clock_monotonic_ns() - began));
	} else {
		text_puts(&text, "cannot list blocked threads:\n  ");
		pager_wrap(&text, 2, err.text);
		top_give_blocked(&s->top, &text,
				 s->o->is_replay ? wall_now(s) : 0,
				 s->o->is_replay ? 0 : -1);
	}
	text_release(&text);
}

static void switch_contention(struct ttop_session *s)
{
	struct error err;

	if (!s->o->over) {
		top_say(&s->top, true,
			s->o->is_replay
				? "contention monitoring requires a running JVM"
				: "contention monitoring requires JMX: "
				  "start ttop with -c or --jmx");
		return;
	}
	switch (ttop_jmx_switch_contention(s->o->over, &err)) {
	case TTOP_CONTENTION_ON:
		top_say(&s->top, false,
			"contention monitoring enabled; ttop disables it when "
			"it exits");
		break;
	case TTOP_CONTENTION_OFF:
		top_say(&s->top, false, "contention monitoring disabled");
		break;
	case TTOP_CONTENTION_OTHERS:
		top_say(&s->top, false,
			"contention monitoring was enabled before ttop "
			"started; it stays enabled");
		break;
	case TTOP_CONTENTION_FAILED:
		top_say(&s->top, true,
			"cannot change contention monitoring: %s", err.text);
		break;
	}
}

static bool is_json(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".json") == 0;
}

static void add_report(const struct ttop_session *s, bool json,
		       struct text *out)
{
	const struct top_report report = {
		.rates = s->top.rates,
		.passing = s->top.passed,
		.shown = SIZE_MAX,
		.contention = true,
	};

	if (json) {
		top_json_add(out, &report, s->o->source->pid);
	} else {
		text_puts(out, top_csv_head);
		top_csv_add(out, &report, s->o->source->pid);
	}
}

static int write_file(struct ttop_session *s, const char *path,
		      struct error *err)
{
	struct text text = { 0 };
	struct output out;
	int ret = output_open(&out, path, err);

	if (ret == 0) {
		add_report(s, is_json(path), &text);
		output_write(&out, text.bytes, text.len);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	text_release(&text);
	return ret;
}

static void write_shown(struct ttop_session *s)
{
	const char *path = s->top.write_to;
	struct error err;

	/* "-" would be written across the screen. */
	if (!s->top.rates || strcmp(path, "-") == 0)
		return;
	if (write_file(s, path, &err))
		top_say(&s->top, true, "%s", err.text);
	else
		top_say(&s->top, false, "wrote %s", path);
}

unsigned ttop_session_run_actions(struct ttop_session *s)
{
	unsigned actions = top_take_actions(&s->top);

	if (actions & TOP_ACTION_STACK)
		fetch_stack(s);
	if (actions & TOP_ACTION_DEADLOCKS)
		fetch_deadlocks(s);
	if (actions & TOP_ACTION_BLOCKED)
		fetch_blocked(s);
	if (actions & TOP_ACTION_CONTENTION)
		switch_contention(s);
	if (actions & TOP_ACTION_WRITE)
		write_shown(s);
	return actions & (unsigned)~(TOP_ACTION_STACK | TOP_ACTION_DEADLOCKS |
				     TOP_ACTION_WRITE | TOP_ACTION_BLOCKED |
				     TOP_ACTION_CONTENTION);
}

int ttop_session_end(const struct ttop_session *s, struct error *err)
{
	if (s->end.kind == ERROR_NONE ||
	    (s->end.kind == ERROR_NO_TARGET && s->samples))
		return 0;
	*err = s->end;
	return -1;
}
