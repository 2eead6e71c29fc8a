/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/program.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAREWELL_NS (2 * CLOCK_NS_PER_S)

/* A pipe that is read by the line. */
struct stream {
	struct event *event; /* NULL: closed */
	int fd;
	struct text line; /* what has come of it */
	struct program *of;
	void (*take)(struct program *c, const char *line);
};

struct program {
	struct programs *all;
	struct program *before, *after;
	struct program_plan plan;
	char *name;
	pid_t warden;
	int line;              /* to the warden */
	struct event *on_line; /* what that says */
	int fd;                /* -1: taken, or none */
	struct stream out, errors;
	struct text last, last_but_one; /* lines of stderr */
	struct supervisor_word word;
	bool has_started, has_word;
	bool is_told_start, is_told_end, is_ending;
};

struct programs {
	struct event_base *base;
	struct program *first;
	size_t count, max;
};

struct programs *programs_new(struct event_base *base, size_t max)
{
	struct programs *all = xcalloc(1, sizeof(*all));

	all->base = base;
	all->max = max;
	return all;
}

size_t programs_count(const struct programs *all) { return all->count; }

static void stream_close(struct stream *s)
{
	if (s->event) {
		event_free(s->event);
		close(s->fd);
	}
	s->event = NULL;
	text_release(&s->line);
}

/* Hands on the line that has come, and forgets it. */
static void stream_end_line(struct stream *s)
{
	struct text line = s->line;

	s->line = (struct text){ 0 };
	if (line.len)
		s->take(s->of, line.bytes);
	text_release(&line);
}

/*
 * Takes what there is, within reason: a program that never stops talking does
 * not keep others waiting.
 */
static void stream_read(struct stream *s)
{
	char bytes[4096];
	ssize_t got = -1;

	for (int i = 0; i < 16 && s->event; i++) {
		got = read(s->fd, bytes, sizeof(bytes));
		if (got <= 0)
			break;
		/* take() may end the program, but does not free it. */
		for (ssize_t at = 0; at < got && s->event; at++) {
			if (bytes[at] == '\n')
				stream_end_line(s);
			else if (bytes[at] && bytes[at] != '\r' &&
				 s->line.len < PROGRAM_LINE_MAX)
				text_putc(&s->line, bytes[at]);
		}
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0 && s->event) {
		stream_end_line(s);
		stream_close(s);
	}
}

static void on_readable(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	stream_read(self);
}

static void stream_open(struct stream *s, struct program *c, int fd,
			void (*take)(struct program *c, const char *line))
{
	*s = (struct stream){ .fd = fd, .of = c, .take = take };
	s->event = event_new(c->all->base, fd, EV_READ | EV_PERSIST,
			     on_readable, s);
	event_add(s->event, NULL);
}

static void take_out(struct program *c, const char *line)
{
	if (!c->is_ending && c->plan.on_line)
		c->plan.on_line(c->plan.self, line);
}

/* ssh and kubectl say why first, and then that it failed. */
static void take_error(struct program *c, const char *line)
{
	struct text before = c->last;

	c->last = c->last_but_one;
	c->last_but_one = before;
	text_clear(&c->last);
	text_puts(&c->last, line);
}

static void release(struct program *c)
{
	int status;

	event_free(c->on_line);
	close(c->line);
	/* Its end of the line is closed: it is a zombie, or about to be. */
	while (waitpid(c->warden, &status, 0) < 0 && errno == EINTR)
		;
	*(c->before ? &c->before->after : &c->all->first) = c->after;
	if (c->after)
		c->after->before = c->before;
	c->all->count--;
	text_release(&c->last);
	text_release(&c->last_but_one);
	free(c->name);
	free(c);
}

/* Reads what the warden says; false when it has gone. */
static bool hear(struct program *c)
{
	struct supervisor_word word;
	ssize_t got;

	while ((got = recv(c->line, &word, sizeof(word), MSG_DONTWAIT)) ==
	       sizeof(word)) {
		if (word.kind == WARDEN_STARTED) {
			c->has_started = true;
			continue;
		}
		/* That we hung up comes before that it ended. */
		if (!c->has_word)
			c->word = word;
		c->has_word = true;
	}
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Either callback may end the program; it is freed later. */
static void tell(struct program *c)
{
	if (c->has_started && !c->is_told_start) {
		c->is_told_start = true;
		if (c->plan.on_start)
			c->plan.on_start(c->plan.self);
	}
	if (!c->has_word || c->is_told_end || c->is_ending)
		return;
	c->is_told_end = true;
	stream_read(&c->out);
	stream_read(&c->errors);
	if (!c->is_ending && c->plan.on_end)
		c->plan.on_end(c->plan.self);
}

static void on_warden(evutil_socket_t fd, short what, void *self)
{
	struct program *c = self;
	bool is_there = hear(c);

	(void)fd;
	(void)what;
	if (c->is_ending) {
		if (!is_there)
			release(c);
		return;
	}
	if (!is_there) {
		event_del(c->on_line);
		/* Without a word, somebody has killed it. */
		if (!c->has_word)
			c->word.kind = WARDEN_GONE;
		c->has_word = true;
	}
	tell(c);
}

static void add(struct programs *all, struct program *c,
		const struct program_plan *plan,
		const struct supervisor_ends *ours)
{
	c->all = all;
	c->plan = *plan;
	c->plan.words = NULL;
	c->name = xstrdup(plan->words[0]);
	c->line = ours->line;
	c->on_line = event_new(all->base, c->line, EV_READ | EV_PERSIST,
			       on_warden, c);
	event_add(c->on_line, NULL);
	c->fd = plan->is_connection ? ours->io : -1;
	if (!plan->is_connection)
		stream_open(&c->out, c, ours->io, take_out);
	stream_open(&c->errors, c, ours->errors, take_error);
	c->after = all->first;
	if (c->after)
		c->after->before = c;
	all->first = c;
	all->count++;
}

struct program *program_start(struct programs *all,
			      const struct program_plan *plan,
			      struct error *err)
{
	struct supervisor_ends ours;
	struct program *c;
	pid_t warden;

	if (all->count >= all->max) {
		fail(err, ERROR_REFUSED, "%zu commands run already",
		     all->count);
		return NULL;
	}
	warden = supervisor_start(plan->words, plan->is_connection, &ours, err);
	if (warden < 0)
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->warden = warden;
	add(all, c, plan, &ours);
	return c;
}

int program_take_fd(struct program *c)
{
	int fd = c->fd;

	c->fd = -1;
	return fd;
}

static void catch_up(struct program *c)
{
	hear(c);
	stream_read(&c->errors);
}

bool program_failed(struct program *c)
{
	catch_up(c);
	return c->has_word && c->word.kind != WARDEN_HUNG_UP &&
	       (c->word.kind != WARDEN_EXITED || c->word.value != 0);
}

bool program_is_missing(const struct program *c)
{
	return c->has_word && c->word.kind == WARDEN_NO_START &&
	       c->word.value == ENOENT;
}

static void add_word(const struct program *c, struct text *out)
{
	switch (c->word.kind) {
	case WARDEN_NO_START:
		text_puts(out, strerror(c->word.value));
		break;
	case WARDEN_EXITED:
		text_printf(out, "it ended with status %d", c->word.value);
		break;
	case WARDEN_KILLED:
		text_printf(out, "it was ended by signal %d", c->word.value);
		break;
	case WARDEN_HUNG_UP:
		text_puts(out, "the connection was closed");
		break;
	case WARDEN_STARTED:
	case WARDEN_GONE:
		text_puts(out, "somebody ended it");
		break;
	}
}

static void add_part(struct text *out, const struct text *part, size_t begin)
{
	if (!part->len)
		return;
	text_puts(out, out->len > begin ? ": " : "");
	text_add(out, part->bytes, part->len);
}

void program_why(struct program *c, struct text *out)
{
	size_t begin;

	catch_up(c);
	if (!c->has_word && !c->last.len && !c->errors.line.len)
		return;
	text_printf(out, "%s: ", c->name);
	begin = out->len;
	if (c->has_word)
		add_word(c, out);
	add_part(out, &c->last_but_one, begin);
	add_part(out, &c->last, begin);
	/* A line without its end may be all that it has said. */
	add_part(out, &c->errors.line, begin);
}

void program_end(struct program *c)
{
	if (!c)
		return;
	c->is_ending = true;
	/* The warden sees the end of its line. */
	shutdown(c->line, SHUT_WR);
	event_add(c->on_line, NULL);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	stream_close(&c->out);
	stream_close(&c->errors);
}

void programs_free(struct programs *all)
{
	int64_t deadline_ns = clock_monotonic_ns() + FAREWELL_NS;

	if (!all)
		return;
	for (struct program *c = all->first; c; c = c->after)
		if (!c->is_ending)
			program_end(c);
	while (all->first) {
		struct program *c = all->first;
		struct pollfd gone = { .fd = c->line, .events = POLLIN };

		while (hear(c) && poll(&gone, 1, clock_left_ms(deadline_ns)))
			;
		/* What it was for ends with it. */
		kill(c->warden, SIGKILL);
		release(c);
	}
	free(all);
}
