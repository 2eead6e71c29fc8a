/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_session.h"

#include "cmd/ttop/ttop_jmx.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "render/text/columns.h"
#include "render/top/pager.h"
#include "render/top/top_report.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

void ttop_session_open(struct ttop_session *s, const struct ttop_options *o)
{
	*s = (struct ttop_session){ .o = o };
	/* LC_CTYPE gives the widths of characters; LC_NUMERIC stays "C". */
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

/* Limits the JVM's pauses for blocked threads to 1 % of the time. */
#define BLOCKED_EVERY_NS   (2 * CLOCK_NS_PER_S)
#define BLOCKED_LONGEST_NS (60 * CLOCK_NS_PER_S)
enum { PAUSE_SHARE = 100, CALL_SHARE = 20 };

/*
 * Replays a recording at its own pace unless an interval was given: the time
 * between its first two samples, to a tenth of a second.
 */
static void session_set_pace(struct ttop_session *s,
			     const struct top_rates *rates)
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
		if (s->samples && ttop_tries_again(s->o, &s->end)) {
			top_message(&s->top, true, "%s", s->end.text);
			return true;
		}
		/* The last sample, which the screen borrows, stays valid. */
		s->top.ended = true;
		if (s->samples)
			top_message(&s->top, s->end.kind != ERROR_NO_TARGET,
				    "%s", s->end.text);
		return s->samples > 0;
	}
	s->sample = sample;
	s->samples++;
	rates = thread_rates_update(s->rates, &s->sample);
	session_set_pace(s, rates);
	s->top.title = s->o->source->ops->title(s->o->source);
	top_update(&s->top, &s->sample, rates);
	target = top_note(&s->sample, "target");
	if (target)
		top_message(&s->top, false, "%s", target->text);
	else if (s->o->lost && s->o->lost->is_found)
		top_message(&s->top, false, "connected again");
	return true;
}

static void session_record(struct ttop_session *s, const char *kind, int64_t of,
			   const struct text *text)
{
	struct error err;

	if (text->len &&
	    ttop_shown(s->o, kind, of, text->bytes, text->len, &err))
		top_message(&s->top, true, "%s", err.text);
}

/* Returns the wall clock time of the shown sample: now, or the recording's. */
static int64_t session_wall_ns(const struct ttop_session *s)
{
	return s->o->is_replay ? s->sample.wall_ns : clock_wall_ns();
}

static int session_ask_stack(struct ttop_session *s,
			     const struct thread_row *row, struct text *text,
			     struct error *err)
{
	struct thread_source *source = s->o->source;

	if (!source->ops->stack)
		return fail(err, ERROR_UNAVAILABLE,
			    "this source has no stack traces");
	return source->ops->stack(source, row->thread, text, err);
}

static void session_fetch_stack(struct ttop_session *s)
{
	const struct thread_row *row = top_stack_row(&s->top);
	struct text text = { 0 };
	struct error err;

	if (!row)
		return; /* the thread has ended; keep its last stack trace */
	if (session_ask_stack(s, row, &text, &err) == 0) {
		session_record(s, "stack",
			       row->thread->tid ? row->thread->tid
						: row->thread->java_id,
			       &text);
		top_set_page(&s->top, PAGE_STACK, &text, session_wall_ns(s));
	} else if (s->top.pages[PAGE_STACK].ns) {
		/* Keep the old stack trace on the screen. */
		top_message(&s->top, true, "no stack trace: %s", err.text);
	} else {
		text_clear(&text);
		text_puts(&text, "no stack trace:\n  ");
		columns_wrap(&text, err.text, 2, 2, PAGER_WIDTH);
		top_set_page(&s->top, PAGE_STACK, &text, 0);
	}
	text_release(&text);
}

static int session_ask_deadlocks(struct ttop_session *s, struct text *text,
				 struct error *err)
{
	struct thread_source *source = s->o->source;

	if (!source->ops->deadlocks)
		return fail(err, ERROR_UNAVAILABLE,
			    "unavailable from this source");
	return source->ops->deadlocks(source, text, err);
}

static void session_fetch_deadlocks(struct ttop_session *s)
{
	struct text text = { 0 };
	struct error err;

	if (session_ask_deadlocks(s, &text, &err) == 0) {
		session_record(s, "deadlocks", 0, &text);
		if (!text.len)
			text_puts(&text, "no deadlock found\n");
		top_set_page(&s->top, PAGE_DEADLOCKS, &text,
			     session_wall_ns(s));
	} else {
		text_clear(&text);
		text_puts(&text, "cannot search for deadlocks:\n  ");
		columns_wrap(&text, err.text, 2, 2, PAGER_WIDTH);
		top_set_page(&s->top, PAGE_DEADLOCKS, &text, 0);
	}
	text_release(&text);
}

/* Returns the interval, in whole seconds, given the cost of the last sample. */
static int64_t session_blocked_interval(const struct ttop_session *s,
					int64_t took_ns)
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

/* After a failure, only the user triggers another attempt. */
static void session_fetch_blocked(struct ttop_session *s)
{
	int64_t began = clock_monotonic_ns();
	struct text text = { 0 };
	struct error err;

	if (ttop_blocked(s->o, &s->blocked, &err) == 0) {
		/* A recording has each thread. */
		blocked_text(&s->blocked, 0, &text);
		if (!s->o->is_replay)
			session_record(s, "blocked", 0, &text);
		text_clear(&text);
		blocked_text(&s->blocked, BLOCKED_FEW, &text);
		top_set_blocked(&s->top, &text, session_wall_ns(s),
				session_blocked_interval(
					s, clock_monotonic_ns() - began));
	} else {
		text_puts(&text, "cannot list blocked threads:\n  ");
		columns_wrap(&text, err.text, 2, 2, PAGER_WIDTH);
		top_set_blocked(&s->top, &text,
				s->o->is_replay ? session_wall_ns(s) : 0,
				s->o->is_replay ? 0 : -1);
	}
	text_release(&text);
}

static void session_switch_contention(struct ttop_session *s)
{
	struct error err;

	if (!s->o->over) {
		top_message(
			&s->top, true,
			s->o->is_replay
				? "contention monitoring requires a running JVM"
				: "contention monitoring requires JMX: "
				  "start ttop with -c or --jmx");
		return;
	}
	switch (ttop_jmx_switch_contention(s->o->over, &err)) {
	case TTOP_CONTENTION_ON:
		top_message(
			&s->top, false,
			"contention monitoring enabled; ttop disables it when "
			"it exits");
		break;
	case TTOP_CONTENTION_OFF:
		top_message(&s->top, false, "contention monitoring disabled");
		break;
	case TTOP_CONTENTION_OTHERS:
		top_message(&s->top, false,
			    "contention monitoring was enabled before ttop "
			    "started; it stays enabled");
		break;
	case TTOP_CONTENTION_FAILED:
		top_message(&s->top, true,
			    "cannot change contention monitoring: %s",
			    err.text);
		break;
	}
}

static bool session_is_json(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".json") == 0;
}

static void session_add_report(const struct ttop_session *s, bool json,
			       struct text *out)
{
	const struct top_report report = {
		.pid = s->o->source->pid,
		.rates = s->top.rates,
		.passing = s->top.passed,
		.shown = SIZE_MAX,
		.contention = true,
	};

	if (json) {
		top_json_add(out, &report);
	} else {
		text_puts(out, top_csv_head);
		top_csv_add(out, &report);
	}
}

static int session_write_file(struct ttop_session *s, const char *path,
			      struct error *err)
{
	struct text text = { 0 };
	int ret;

	session_add_report(s, session_is_json(path), &text);
	ret = output_file(path, text.bytes, text.len, err);
	text_release(&text);
	return ret;
}

static void session_write(struct ttop_session *s)
{
	const char *path = s->top.write_to;
	struct error err;

	/* "-" would overwrite the screen. */
	if (!s->top.rates || strcmp(path, "-") == 0)
		return;
	if (session_write_file(s, path, &err))
		top_message(&s->top, true, "%s", err.text);
	else
		top_message(&s->top, false, "wrote %s", path);
}

unsigned ttop_session_run_actions(struct ttop_session *s)
{
	unsigned actions = top_take_actions(&s->top);

	if (actions & TOP_ACTION_STACK)
		session_fetch_stack(s);
	if (actions & TOP_ACTION_DEADLOCKS)
		session_fetch_deadlocks(s);
	if (actions & TOP_ACTION_BLOCKED)
		session_fetch_blocked(s);
	if (actions & TOP_ACTION_CONTENTION)
		session_switch_contention(s);
	if (actions & TOP_ACTION_WRITE)
		session_write(s);
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
