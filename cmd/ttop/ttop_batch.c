/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop.h"

#include "cmd/log.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"
#include "render/top/top_text.h"

#include <errno.h>
#include <unistd.h>

struct batch {
	const struct ttop_options *o;
	ttop_format_fn *format;
	struct thread_rates *rates;
	struct output out;
	struct text report;
	int64_t due_ns;   /* of the clock, or of a replay's samples */
	uint64_t written; /* reports */
	bool *ended;
	struct ttop_options watched; /* what o is */
	struct blocked blocked;
	bool has_said; /* that no blocked threads could be had */
};

/* The clock that intervals are measured with. */
static int64_t now_ns(const struct batch *b, const struct top_sample *s)
{
	return b->o->is_replay ? s->monotonic_ns : clock_monotonic_ns();
}

/* The next deadline on the grid of the interval; none is made up for. */
static void set_due(struct batch *b, int64_t now)
{
	b->due_ns = clock_after(b->due_ns, b->o->interval_ns);
	if (b->due_ns <= now)
		b->due_ns = clock_after(now, b->o->interval_ns);
}

/* A report without them says so once. */
static void look_blocked(struct batch *b)
{
	struct error err;

	b->watched.looked = NULL;
	if (ttop_blocked(b->o, &b->blocked, &err) == 0) {
		b->watched.looked = &b->blocked;
		return;
	}
	if (!b->has_said)
		log_info("cannot list blocked threads: %s", err.text);
	b->has_said = true;
}

static int write_report(struct batch *b, struct top_rates *rates,
			struct error *err)
{
	size_t passing;

	if (b->o->blocked)
		look_blocked(b);
	passing = top_rows_select(rates, &b->o->filter, &b->o->order);

	b->format(&b->report, rates, passing, b->o);
	output_write(&b->out, b->report.bytes, b->report.len);
	text_clear(&b->report);
	b->written++;
	/* Whoever reads wants to see it now. */
	return output_commit(&b->out, err);
}

static bool is_done(const struct batch *b)
{
	return b->o->iterations && b->written == b->o->iterations;
}

/* True when a sample of a replay comes too early for a report. */
static bool is_early(const struct batch *b, const struct top_sample *s)
{
	return b->o->is_replay && s->monotonic_ns < b->due_ns;
}

/* That it is another target now, which no figure shows. */
static void say_target(const struct top_sample *s)
{
	const struct source_note *note = top_note(s, "target");

	if (note)
		log_info("%s", note->text);
}

/* One sample, and what is to be said of it. */
static int batch_report(struct batch *b, struct error *err)
{
	struct top_sample sample;
	struct top_rates *rates;

	if (ttop_sample(b->o, &sample, err)) {
		*b->ended = err->kind == ERROR_NO_TARGET;
		return -1;
	}
	say_target(&sample);
	if (is_early(b, &sample))
		return 0;
	rates = thread_rates_update(b->rates, &sample);
	if (!rates)
		return 0;
	set_due(b, now_ns(b, &sample));
	return write_report(b, rates, err);
}

/* The first sample, which there is nothing to report of. */
static int prime(struct batch *b, int64_t first_ns, struct error *err)
{
	struct top_sample sample;

	if (ttop_sample(b->o, &sample, err))
		return -1;
	thread_rates_update(b->rates, &sample);
	b->due_ns = clock_after(now_ns(b, &sample), first_ns);
	return 0;
}

/*
 * The user may end it by a line, as with SJK; not a script, whose input may be
 * meant for others, nor who has put it into the background.
 */
static int input_fd(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp()
		       ? STDIN_FILENO
		       : -1;
}

/* What was typed is not left to the shell. */
static void take_input(void)
{
	char line[4096];

	if (read(STDIN_FILENO, line, sizeof(line)) < 0)
		return;
}

/* main() ends silently for it. */
static int nobody_reads(struct error *err)
{
	errno = EPIPE;
	return fail_sys(err, ERROR_OUTPUT, "<stdout>");
}

/* Should the clock be set back, nobody waits until it has come round again. */
static void bound_wait(struct batch *b, int64_t longest_ns)
{
	int64_t now = clock_monotonic_ns();

	if (b->due_ns - now > longest_ns)
		b->due_ns = clock_after(now, longest_ns);
}

static int batch_run(struct batch *b, struct error *err)
{
	while (!is_done(b)) {
		unsigned why = TTOP_DUE;

		if (!b->o->is_replay) {
			bound_wait(b, b->o->interval_ns);
			why = ttop_wait(b->o, b->due_ns, input_fd(), -1);
		}
		if (why & TTOP_CLOSED)
			return nobody_reads(err);
		if (why & TTOP_INPUT)
			take_input();
		if (why & (TTOP_STOP | TTOP_INPUT))
			return 0;
		if (why & TTOP_ENDED) {
			*b->ended = true;
			return fail(err, ERROR_NO_TARGET,
				    "the JVM ended before the first report");
		}
		if ((why & TTOP_DUE) && batch_report(b, err))
			return -1;
	}
	return 0;
}

int ttop_batch_run(const struct ttop_options *o, ttop_format_fn *format,
		   const char *head, int64_t first_ns, bool *ended,
		   struct error *err)
{
	struct batch b = { .format = format, .ended = ended, .watched = *o };
	int ret;

	*ended = false;
	b.o = &b.watched;
	b.watched.output_fd = STDOUT_FILENO;
	b.rates = thread_rates_new();
	ret = output_open(&b.out, "-", err);
	if (ret == 0 && head)
		output_puts(&b.out, head);
	if (ret == 0)
		ret = prime(&b, first_ns, err);
	if (ret == 0)
		ret = batch_run(&b, err);
	/* What was reported stands. */
	if (*ended && b.written)
		ret = 0;
	output_close(&b.out);
	text_release(&b.report);
	thread_rates_free(b.rates);
	blocked_release(&b.blocked);
	return ret;
}
