/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop_session: connects a source and the screen, without a terminal.
 *
 * The screen on a terminal and the printed screen both run it.
 */
#ifndef CMD_TTOP_TTOP_SESSION_H
#define CMD_TTOP_TTOP_SESSION_H

#include "cmd/ttop/ttop.h"
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"
#include "render/top/screen.h"
#include "render/top/top.h"

struct ttop_session {
	const struct ttop_options *o;
	struct top top;
	struct screen screen;
	struct thread_rates *rates;
	struct top_sample sample;
	uint64_t samples; /* so far */
	struct blocked blocked;
	struct error end; /* why sampling ended; kind ERROR_NONE: it goes on */
};

/* Sets LC_CTYPE from the environment. Call ttop_session_close() in the end. */
void ttop_session_open(struct ttop_session *s, const struct ttop_options *o);
void ttop_session_close(struct ttop_session *s);

/*
 * Takes a sample and updates the screen's contents. On failure, s->end has the
 * reason and the screen keeps the last sample; returns false if there is none.
 */
bool ttop_session_sample(struct ttop_session *s);

/* Runs the queued actions; returns those that the caller must run. */
unsigned ttop_session_run_actions(struct ttop_session *s);

/* Returns the result of the command: 0 when the end was expected. */
int ttop_session_end(const struct ttop_session *s, struct error *err);

#endif
