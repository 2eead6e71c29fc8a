/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen of sjkc ttop on a terminal: samples come at the interval, keys
 * when they come.
 */
#include "cmd/signals.h"
#include "cmd/ttop/ttop_session.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "render/top/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Until there are rates there is little to see. */
#define FIRST_INTERVAL_NS (CLOCK_NS_PER_MS * 300)

enum { KEYS_AT_ONCE = 500 };

struct loop {
	struct ttop_session session;
	int64_t sampled_ns;
	bool done;
	bool dirty; /* what is shown is not what there is to show */
	bool anew;  /* nothing of what the terminal shows can be relied on */
};

static void loop_draw(struct loop *l)
{
	struct ttop_session *s = &l->session;
	unsigned columns, rows;

	terminal_size(&columns, &rows);
	screen_resize(&s->screen, columns, rows);
	top_draw(&s->top, &s->screen);
	terminal_draw(&s->screen, l->anew);
	l->dirty = l->anew = false;
}

static void loop_sample(struct loop *l)
{
	struct ttop_session *s = &l->session;

	l->dirty = true;
	if (!ttop_session_sample(s))
		l->done = true;
	/* Nobody wants to look at a process that is not there any more. */
	if (s->top.ended && !s->o->is_replay)
		l->done = true;
	/* With --iterations, as many as reports are written otherwise. */
	if (s->o->iterations && s->samples > s->o->iterations)
		l->done = true;
	l->sampled_ns = clock_monotonic_ns();
}

/* When the next sample is due; never, while there is none to be taken. */
static int64_t loop_due(const struct loop *l)
{
	const struct top *t = &l->session.top;
	int64_t interval = t->interval_ns;

	if (t->paused || t->ended)
		return INT64_MAX;
	if (l->session.samples < 2)
		interval = l->session.o->is_replay        ? 0
			   : interval < FIRST_INTERVAL_NS ? interval
							  : FIRST_INTERVAL_NS;
	return clock_after(l->sampled_ns, interval);
}

/*
 * Stops until the terminal is ours again; false: until we were told to end,
 * which is done without it.
 */
static bool come_back(const struct loop *l)
{
	unsigned seen;

	do {
		screen_signals_stop();
		seen = screen_signals_take();
		if (ttop_wait(l->session.o, 0, -1, -1) & TTOP_STOP)
			return false;
		/* Where no shell is that could continue it, nothing stops. */
	} while (terminal_is_taken() && (seen & SIGNAL_CONTINUED));
	return true;
}

static void take_signals(struct loop *l)
{
	unsigned seen = screen_signals_take();

	if (seen & SIGNAL_SUSPEND)
		terminal_suspend();
	if ((seen & SIGNAL_SUSPEND) ||
	    ((seen & SIGNAL_CONTINUED) && terminal_is_taken())) {
		l->done = !come_back(l);
		seen |= SIGNAL_CONTINUED;
	}
	if (l->done)
		return;
	if (seen & SIGNAL_CONTINUED)
		terminal_resume();
	/* It may have been smaller for a while, and lost what was there. */
	l->dirty |= seen != 0;
	l->anew |= seen != 0;
}

static void run_actions(struct loop *l)
{
	unsigned actions;

	if (!l->session.top.actions)
		return;
	if (l->session.top.actions &
	    (TOP_ACTION_STACK | TOP_ACTION_DEADLOCKS | TOP_ACTION_CONTENTION))
		loop_draw(l); /* it may take a while */
	actions = ttop_session_run_actions(&l->session);
	l->done |= (actions & TOP_ACTION_QUIT) != 0;
	l->anew |= (actions & TOP_ACTION_REDRAW) != 0;
	l->dirty = true;
}

/* Those there are, but not for ever: something may lie upon the keyboard. */
static void take_keys(struct loop *l)
{
	struct key key;

	for (unsigned i = 0; i < KEYS_AT_ONCE && !l->done; i++) {
		if (!terminal_key(&key))
			l->done = true;
		if (key.code == KEYS_NONE)
			return;
		top_key(&l->session.top, &key);
		l->dirty = true;
		run_actions(l);
	}
}

static void loop_run(struct loop *l)
{
	loop_draw(l);
	loop_sample(l);
	while (!l->done) {
		unsigned why;

		if (l->dirty)
			loop_draw(l);
		why = ttop_wait(l->session.o, loop_due(l), terminal_fd(),
				screen_signals_fd());
		if (why & TTOP_STOP)
			return;
		if (why & TTOP_INPUT) {
			take_signals(l);
			take_keys(l);
		}
		if (l->done)
			return;
		if ((why & TTOP_ENDED) || clock_left_ms(loop_due(l)) == 0)
			loop_sample(l);
		run_actions(l);
	}
}

/* The last figures of a process that has ended stay to be read. */
static void leave_behind(struct ttop_session *s)
{
	struct text text = { 0 };
	struct output out;
	struct error err;

	s->top.said[0] = '\0';
	top_draw(&s->top, &s->screen);
	screen_text(&s->screen, &text);
	if (output_open(&out, "-", &err) == 0) {
		output_write(&out, text.bytes, text.len);
		output_commit(&out, &err);
	}
	output_close(&out);
	text_release(&text);
}

/* https://no-color.org: set, and not empty. */
static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !no || !*no;
}

int ttop_screen_run(const struct ttop_options *o, struct error *err)
{
	struct loop l = { 0 };
	int ret;

	ttop_session_open(&l.session, o);
	signals_listen();
	screen_signals_listen();
	ret = terminal_open(wants_colour(), err);
	if (ret == 0) {
		loop_run(&l);
		ret = ttop_session_end(&l.session, err);
	}
	terminal_close();
	screen_signals_release();
	if (l.session.top.ended && l.session.samples && !o->is_replay)
		leave_behind(&l.session);
	ttop_session_close(&l.session);
	return ret;
}
