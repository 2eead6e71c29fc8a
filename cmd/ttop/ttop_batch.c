/* SPDX-License-Identifier: Apache-2.0 */
/* ttop -b: prints a report per interval, as text, CSV or JSON. */
#include "cmd/ttop/ttop.h"

#include "cmd/shared/log.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"

#include <errno.h>
#include <unistd.h>

/* Pause before a lost connection is opened again. */
#define AGAIN_NS CLOCK_NS_PER_S

struct batch {
	const struct ttop_options *o;
	top_report_fn *format;
	struct thread_rates *rates;
	struct output out;
	struct text report;
	int64_t due_ns;   /* time of the next report: see batch_now_ns() */
	uint64_t written; /* number of reports */
	bool *ended;
	struct ttop_options watched; /* the options; o points to them */
	struct blocked blocked;
	bool has_warned; /* that blocked threads are unavailable */
};

/* Returns the monotonic time, or for a replay that of the sample. */
static int64_t batch_now_ns(const struct batch *b, const struct top_sample *s)
{
	return b->o->is_replay ? s->monotonic_ns : clock_monotonic_ns();
}

/* Sets the next deadline on the grid of the interval; skips missed ones. */
static void batch_set_due(struct batch *b, int64_t now)
{
	b->due_ns = clock_after(b->due_ns, b->o->interval_ns);
	if (b->due_ns <= now)
		b->due_ns = clock_after(now, b->o->interval_ns);
}

/* Samples the blocked threads; warns once if they are unavailable. */
static void batch_sample_blocked(struct batch *b)
{
	struct error err;

	b->watched.looked = NULL;
	if (ttop_blocked(b->o, &b->blocked, &err) == 0) {
		b->watched.looked = &b->blocked;
		return;
	}
	if (!b->has_warned)
		log_info("cannot list blocked threads: %s", err.text);
	b->has_warned = true;
}

static int batch_write(struct batch *b, struct top_rates *rates,
		       struct error *err)
{
	const struct ttop_options *o = b->o;
	struct top_report report = {
		.pid = o->source->pid,
		.rates = rates,
		.shown = o->rows ? o->rows : SIZE_MAX,
		.contention = o->contention,
	};

	if (o->blocked)
		batch_sample_blocked(b);
	report.blocked = o->looked;
	report.passing = top_rows_select(rates, &o->filter, &o->order);
	b->format(&b->report, &report);
	output_write(&b->out, b->report.bytes, b->report.len);
	text_clear(&b->report);
	b->written++;
	/* Write each report at once. */
	return output_commit(&b->out, err);
}

/* Logs a change of the target, which the report does not show. */
static void batch_log_target(const struct batch *b, const struct top_sample *s)
{
	const struct source_note *note = top_note(s, "target");

	if (note)
		log_info("%s", note->text);
	else if (b->o->lost && b->o->lost->is_found)
		log_info("%s: connected again",
			 b->o->source->ops->title(b->o->source));
}

/* Takes a sample and prints the report when it is due. */
static int batch_report(struct batch *b, struct error *err)
{
	struct top_sample sample;
	struct top_rates *rates;

	if (ttop_sample(b->o, &sample, err)) {
		*b->ended = err->kind == ERROR_NO_TARGET;
		if (!ttop_tries_again(b->o, err))
			return -1;
		if (b->o->lost->is_new)
			log_info("%s", err->text);
		b->due_ns = clock_after(clock_monotonic_ns(), AGAIN_NS);
		return 0;
	}
	*b->ended = false;
	batch_log_target(b, &sample);
	/* A sample of a replay may come too early for a report. */
	if (b->o->is_replay && sample.monotonic_ns < b->due_ns)
		return 0;
	rates = thread_rates_update(b->rates, &sample);
	if (!rates)
		return 0;
	batch_set_due(b, batch_now_ns(b, &sample));
	return batch_write(b, rates, err);
}

/* Takes the first sample; rates need two. */
static int batch_sample_first(struct batch *b, int64_t first_ns,
			      struct error *err)
{
	struct top_sample sample;

	if (ttop_sample(b->o, &sample, err))
		return -1;
	thread_rates_update(b->rates, &sample);
	b->due_ns = clock_after(batch_now_ns(b, &sample), first_ns);
	return 0;
}

/*
 * Returns the terminal: as in SJK, a line ends ttop. Returns -1 when the input
 * is no terminal, and in the background.
 */
static int batch_input_fd(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp()
		       ? STDIN_FILENO
		       : -1;
}

static int batch_run(struct batch *b, struct error *err)
{
	const struct ttop_options *o = b->o;
	char line[4096];

	while (!o->iterations || b->written != o->iterations) {
		int64_t latest_ns = clock_after(clock_monotonic_ns(),
						o->interval_ns);
		unsigned why = TTOP_DUE;

		if (!o->is_replay) {
			/* A wait lasts one interval at most. */
			if (b->due_ns > latest_ns)
				b->due_ns = latest_ns;
			why = ttop_wait(o, b->due_ns, batch_input_fd(), -1);
		}
		if (why & TTOP_CLOSED) {
			errno = EPIPE; /* main() prints nothing */
			return fail_sys(err, ERROR_OUTPUT, "<stdout>");
		}
		/* The shell would execute the typed line otherwise. */
		if (why & TTOP_INPUT)
			(void)!read(STDIN_FILENO, line, sizeof(line));
		if (why & (TTOP_STOP | TTOP_INPUT))
			return 0;
		if (why & TTOP_ENDED) {
			*b->ended = true;
			return fail(err, ERROR_NO_TARGET,
				    "the JVM exited before the first report");
		}
		if ((why & TTOP_DUE) && batch_report(b, err))
			return -1;
	}
	return 0;
}

int ttop_batch_run(const struct ttop_options *o, top_report_fn *format,
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
		ret = batch_sample_first(&b, first_ns, err);
	if (ret == 0)
		ret = batch_run(&b, err);
	/* After a report, the end of the target is no error. */
	if (*ended && b.written)
		ret = 0;
	output_close(&b.out);
	text_release(&b.report);
	thread_rates_free(b.rates);
	blocked_release(&b.blocked);
	return ret;
}
