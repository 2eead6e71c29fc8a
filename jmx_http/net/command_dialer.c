/* SPDX-License-Identifier: Apache-2.0 */
/* A dialer that runs a command for each connection. */
#include "jmx_http/net/dialer.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/command_line.h"
#include "jmx_http/net/program.h"
#include "jmx_http/net/socket.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#define RECENT_NS CLOCK_NS_PER_S

struct command_dialer {
	struct dialer dialer;
	struct command_dialer_options options;
	struct programs *all;
	struct command_line line;
	char *host;
	TAILQ_HEAD(, command_dial) running;
	struct text last; /* the reason of the last failure */
	int64_t last_ns;  /* and its time */
};

/*
 * A running command: an attempt until it starts, then a connection, of which
 * dial.done is NULL.  The timer limits the start.
 */
struct command_dial {
	struct dial dial;
	struct command_dialer *of;
	TAILQ_ENTRY(command_dial) link;
	struct program *program;
	struct error err;
};

static void command_cancel(struct dial *dial)
{
	struct command_dial *d = (struct command_dial *)dial;

	TAILQ_REMOVE(&d->of->running, d, link);
	program_end(d->program);
	event_free(dial->timer);
	free(d);
}

static void command_dial_on_start(void *self)
{
	struct command_dial *d = self;
	dial_done_fn *done = d->dial.done;

	evtimer_del(d->dial.timer);
	d->dial.done = NULL;
	done(d->dial.self, program_take_fd(d->program), NULL);
}

static void command_dial_on_end(void *self)
{
	struct command_dial *d = self;
	const struct command_dialer_options *o = &d->of->options;
	bool failed = program_failed(d->program);
	struct text why = { 0 };

	program_why(d->program, &why);
	if (d->dial.done) {
		fail(&d->err,
		     program_is_missing(d->program) ? ERROR_UNAVAILABLE
						    : ERROR_REFUSED,
		     "%s", why.bytes);
		dial_finish(&d->dial, -1, &d->err);
	} else {
		if (failed) {
			text_clear(&d->of->last);
			text_add(&d->of->last, why.bytes, why.len);
			d->of->last_ns = clock_monotonic_ns();
			o->report(o->self, why.bytes);
		}
		command_cancel(&d->dial);
	}
	text_release(&why);
}

static void command_dial_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct command_dial *d = self;

	(void)fd;
	(void)what;
	if (d->program)
		fail(&d->err, ERROR_REFUSED,
		     "%s: the command did not start in time",
		     d->of->line.words[0]);
	dial_finish(&d->dial, -1, &d->err);
}

static void command_dial_start(struct command_dial *d, uint16_t port)
{
	struct command_dialer *of = d->of;
	char **words = command_line_words(&of->line, of->host, port, &d->err);
	struct program_plan plan = {
		.words = (const char *const *)words,
		.is_connection = true,
		.on_start = command_dial_on_start,
		.on_end = command_dial_on_end,
		.self = d,
	};

	if (words)
		d->program = program_start(of->all, &plan, &d->err);
	command_words_free(words);
}

static struct dial *command_begin(struct dialer *dialer, uint16_t port,
				  int64_t timeout_ns, dial_done_fn *done,
				  void *self)
{
	struct command_dial *d = xcalloc(1, sizeof(*d));

	dial_begin(&d->dial, dialer, port, timeout_ns, done, self,
		   command_dial_on_timer);
	d->of = (struct command_dialer *)dialer;
	TAILQ_INSERT_HEAD(&d->of->running, d, link);
	command_dial_start(d, port);
	dial_wait(&d->dial, d->program ? timeout_ns : 0);
	return &d->dial;
}

static void command_free(struct dialer *dialer)
{
	struct command_dialer *d = (struct command_dialer *)dialer;

	while (!TAILQ_EMPTY(&d->running))
		command_cancel(&TAILQ_FIRST(&d->running)->dial);
	programs_free(d->all);
	text_release(&d->last);
	command_line_release(&d->line);
	free(d->host);
	free(d);
}

/* Adds the reason of any failed command: commands usually fail alike. */
static void command_add_why(struct dialer *dialer, struct text *out)
{
	const struct command_dialer *of = (struct command_dialer *)dialer;
	struct command_dial *d;

	TAILQ_FOREACH(d, &of->running, link)
	{
		if (d->dial.done || !program_failed(d->program))
			continue;
		program_why(d->program, out);
		return;
	}
	if (of->last.len && clock_monotonic_ns() - of->last_ns < RECENT_NS)
		text_add(out, of->last.bytes, of->last.len);
}

static const struct dialer_ops command_ops = {
	.begin = command_begin,
	.cancel = command_cancel,
	.free = command_free,
	.why = command_add_why,
	.goes_anywhere = true,
};

struct dialer *command_dialer_new(const struct command_dialer_options *options,
				  struct error *err)
{
	struct command_dialer *d = xcalloc(1, sizeof(*d));
	char **words = NULL;

	d->dialer = (struct dialer){ .ops = &command_ops,
				     .base = options->base };
	d->options = *options;
	TAILQ_INIT(&d->running);
	d->all = programs_new(options->base, COMMAND_DIALER_MAX);
	d->host = xstrdup(options->host);
	/* Check the command before the first connection. */
	if (command_line_parse(&d->line, options->command, err) == 0 &&
	    command_line_find(d->line.words[0], err) == 0)
		words = command_line_words(&d->line, d->host, 1, err);
	command_words_free(words);
	if (words)
		return &d->dialer;
	command_free(&d->dialer);
	return NULL;
}
