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
#include <unistd.h>

#define RECENT_NS CLOCK_NS_PER_S

struct command_dialer {
	struct dialer dialer;
	struct command_dialer_options options;
	struct programs *all;
	struct command_line line;
	char *host;
	struct command_dial *first;
	struct text last; /* the reason of the last failure */
	int64_t last_ns;  /* and its time */
};

/* A running command: an attempt until it starts, then a connection. */
struct command_dial {
	struct dial dial;
	struct command_dialer *of;
	struct command_dial *before, *after;
	struct program *program;
	struct event *timer; /* limit for the start */
	struct error err;
	dial_done_fn *done; /* NULL after it was called */
	void *self;
};

static void command_dial_end(struct command_dial *d)
{
	*(d->before ? &d->before->after : &d->of->first) = d->after;
	if (d->after)
		d->after->before = d->before;
	program_end(d->program);
	event_free(d->timer);
	free(d);
}

/* Ends the attempt with its error. */
static void command_dial_fail(struct command_dial *d)
{
	dial_done_fn *done = d->done;
	struct error err = d->err;
	void *self = d->self;

	command_dial_end(d);
	done(self, -1, &err);
}

static void command_dial_on_start(void *self)
{
	struct command_dial *d = self;
	dial_done_fn *done = d->done;

	evtimer_del(d->timer);
	d->done = NULL;
	done(d->self, program_take_fd(d->program), NULL);
}

static void command_dial_on_end(void *self)
{
	struct command_dial *d = self;
	const struct command_dialer_options *o = &d->of->options;
	bool failed = program_failed(d->program);
	struct text why = { 0 };

	program_why(d->program, &why);
	if (d->done) {
		fail(&d->err,
		     program_is_missing(d->program) ? ERROR_UNAVAILABLE
						    : ERROR_REFUSED,
		     "%s", why.bytes);
		command_dial_fail(d);
	} else {
		if (failed) {
			text_clear(&d->of->last);
			text_add(&d->of->last, why.bytes, why.len);
			d->of->last_ns = clock_monotonic_ns();
			o->report(o->self, why.bytes);
		}
		command_dial_end(d);
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
	command_dial_fail(d);
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
	struct timeval limit;

	d->dial.dialer = dialer;
	d->of = (struct command_dialer *)dialer;
	d->done = done;
	d->self = self;
	d->after = d->of->first;
	if (d->after)
		d->after->before = d;
	d->of->first = d;
	d->timer = evtimer_new(d->of->options.base, command_dial_on_timer, d);
	command_dial_start(d, port);
	limit = socket_timeval(d->program ? timeout_ns : 0);
	evtimer_add(d->timer, &limit);
	return &d->dial;
}

static void command_cancel(struct dial *dial)
{
	command_dial_end((struct command_dial *)dial);
}

static void command_free(struct dialer *dialer)
{
	struct command_dialer *d = (struct command_dialer *)dialer;

	for (struct command_dial *c = d->first, *next; c; c = next) {
		next = c->after;
		command_dial_end(c);
	}
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

	for (struct command_dial *d = of->first; d; d = d->after) {
		if (d->done || !program_failed(d->program))
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
