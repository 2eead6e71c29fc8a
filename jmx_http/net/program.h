/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program: a program that runs beside the proxy, and ends before it does.
 *
 * Between the two runs a supervisor, a process that only waits: for the program
 * to end, which it reports, or for the proxy to end, however that happens.
 * Then it kills the program and the processes that the program has started.  A
 * program has no terminal, so it cannot prompt.
 */
#ifndef JMX_HTTP_NET_PROGRAM_H
#define JMX_HTTP_NET_PROGRAM_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>

#define PROGRAM_LINE_MAX 512 /* bytes of a line; what is longer is cut */

/* All programs of a proxy. */
struct programs;

/* At most max of them run at a time. */
struct programs *programs_new(struct event_base *base, size_t max);

/* Ends all that run and waits for that, two seconds at most; NULL is fine. */
void programs_free(struct programs *all);

/* Those that run, or have been told to end and have not yet. */
size_t programs_count(const struct programs *all);

struct program_plan {
	const char *const
		*words; /* the program, as execvp(3) finds it; NULL ends */
	/*
	 * stdin and stdout are one socket, program_take_fd(), and when that is
	 * closed the program is ended; else stdin is empty and each line of
	 * stdout is given to on_line.
	 */
	bool is_connection;
	/* A line of stdout, foreign, without its end.  May be NULL. */
	void (*on_line)(void *self, const char *line);
	/* It runs.  Not called for what cannot be started.  May be NULL. */
	void (*on_start)(void *self);
	/*
	 * It has ended; program_why() says why.  Not called once program_end()
	 * was, which is still due, and may be called here.  May be NULL.
	 */
	void (*on_end)(void *self);
	void *self;
};

struct program;

/*
 * Starts a program.  What cannot be started ends (on_end) as soon as it was.
 * NULL and *err: ERROR_REFUSED when there are too many, ERROR_FAILED.
 */
struct program *program_start(struct programs *all,
			      const struct program_plan *plan,
			      struct error *err);

/* The socket, non-blocking; the caller's from now on.  Once. */
int program_take_fd(struct program *p);

/*
 * Says why it ended and what its last lines on stderr were, two at most,
 * foreign: "nc: it ended with status 1: Connection refused", "nc: No such file
 * or directory"; when it runs, or nobody has heard of its end yet, only the
 * latter.  Appends nothing when there is nothing to say.
 */
void program_why(struct program *p, struct text *out);

/* True when it ended by itself, and not well. */
bool program_failed(struct program *p);

/* True when there is no such program. */
bool program_is_missing(const struct program *p);

/* Ends it, and frees it in a while; nothing more is heard of it. */
void program_end(struct program *p); /* NULL is fine */

#endif
