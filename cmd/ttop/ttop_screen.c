/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen of sjkc ttop on a terminal: takes a sample per interval and reacts
 * to keys and signals in between.
 */
#include "cmd/shared/signals.h"
#include "cmd/ttop/ttop_session.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "render/top/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The first interval is short: the screen is empty until there are rates. */
#define FIRST_INTERVAL_NS (CLOCK_NS_PER_MS * 300)

enum { KEYS_AT_ONCE = 500 };

struct loop {
	struct ttop_session session;
	int64_t sampled_ns;
	bool done;
	bool dirty;  /* the screen must be drawn */
	bool redraw; /* draw all cells: the terminal's contents are unknown */
};

static void loop_draw(struct loop *l)
{
	struct ttop_session *s = &l->session;
	unsigned columns, rows;

	terminal_size(&columns, &rows);
	screen_resize(&s->screen, columns, rows);
	top_draw(&s->top, &s->screen);
	terminal_draw(&s->screen, l->redraw);
	l->dirty = l->redraw = false;
}

static void loop_sample(struct loop *l)
{
	struct ttop_session *s = &l->session;

	l->dirty = true;
	if (!ttop_session_sample(s))
		l->done = true;
	/* ttop ends with the process; a replay stays on its last sample. */
	if (s->top.ended && !s->o->is_replay)
		l->done = true;
	/* --iterations counts rates, which need one sample more. */
	if (s->o->iterations && s->samples > s->o->iterations)
		l->done = true;
	l->sampled_ns = clock_monotonic_ns();
	/* After the first sample, ttop does more while the screen is empty. */
	if (s->samples == 1 && !s->o->is_replay)
		l->sampled_ns = s->sample.monotonic_ns;
}

/* Returns when the next sample is due; INT64_MAX while paused or at the end. */
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
 * Stops the process until ttop is in the foreground. Returns false when a
 * signal asks ttop to end meanwhile.
 */
static bool loop_stop_process(const struct loop *l)
{
	unsigned seen;

	do {
		screen_signals_stop();
		seen = screen_signals_take();
		if (ttop_wait(l->session.o, 0, -1, -1) & TTOP_STOP)
			return false;
		/* An orphaned process group does not stop; go on then. */
	} while (terminal_is_taken() && (seen & SIGNAL_CONTINUED));
	return true;
}

static void loop_take_signals(struct loop *l)
{
	unsigned seen = screen_signals_take();

	if (seen & SIGNAL_SUSPEND)
		terminal_suspend();
	if ((seen & SIGNAL_SUSPEND) ||
	    ((seen & SIGNAL_CONTINUED) && terminal_is_taken())) {
		l->done = !loop_stop_process(l);
		seen |= SIGNAL_CONTINUED;
	}
	if (l->done)
		return;
	if (seen & SIGNAL_CONTINUED)
		terminal_resume();
	/* A terminal that was smaller for a while lost cells. */
	l->dirty |= seen != 0;
	l->redraw |= seen != 0;
}

static void loop_run_actions(struct loop *l)
{
	unsigned actions;

	if (!l->session.top.actions)
		return;
	if (l->session.top.actions &
	    (TOP_ACTION_STACK | TOP_ACTION_DEADLOCKS | TOP_ACTION_CONTENTION))
		loop_draw(l); /* these may take a while */
	actions = ttop_session_run_actions(&l->session);
	l->done |= (actions & TOP_ACTION_QUIT) != 0;
	l->redraw |= (actions & TOP_ACTION_REDRAW) != 0;
	l->dirty = true;
}

/* Handles the typed keys; the limit lets samples go on with a stuck key. */
static void loop_take_keys(struct loop *l)
{
	struct key key;

	for (unsigned i = 0; i < KEYS_AT_ONCE && !l->done; i++) {
		if (!terminal_key(&key))
			l->done = true;
		if (key.code == KEYS_NONE)
			return;
		top_key(&l->session.top, &key);
		l->dirty = true;
		loop_run_actions(l);
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
			loop_take_signals(l);
			loop_take_keys(l);
		}
		if (l->done)
			return;
		if ((why & TTOP_ENDED) || clock_left_ms(loop_due(l)) == 0)
			loop_sample(l);
		loop_run_actions(l);
	}
}

/* Prints the last screen of a process that has ended. */
static void screen_print_last(struct ttop_session *s)
{
	struct text text = { 0 };
	struct error err;

	s->top.message[0] = '\0';
	top_draw(&s->top, &s->screen);
	screen_text(&s->screen, &text);
	output_file("-", text.bytes, text.len, &err);
	text_release(&text);
}

int ttop_screen_run(const struct ttop_options *o, struct error *err)
{
	struct loop l = { 0 };
	int ret;

	ttop_session_open(&l.session, o);
	signals_listen();
	screen_signals_listen();
	ret = terminal_open(output_wants_color("-"), err);
	if (ret == 0) {
		loop_run(&l);
		ret = ttop_session_end(&l.session, err);
	}
	terminal_close();
	screen_signals_release();
	if (l.session.top.ended && l.session.samples && !o->is_replay)
		screen_print_last(&l.session);
	ttop_session_close(&l.session);
	return ret;
}
