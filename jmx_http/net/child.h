/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: a program that runs beside the proxy, and ends before it does.
 *
 * Between the two stands a warden, a process that does nothing but wait: for
 * the program to end, which it reports, or for the proxy to have gone, however
 * it was ended.  Then it kills the program and the group of what that has
 * started, and reaps them.  A program has no terminal, so it cannot ask.
 */
#ifndef JMX_HTTP_NET_CHILD_H
#define JMX_HTTP_NET_CHILD_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>

#define CHILD_LINE_MAX 512 /* bytes of a line; what is longer is cut */

/* All of a proxy's children. */
struct children;

/* At most max of them run at a time. */
struct children *children_new(struct event_base *base, size_t max);

/* Ends all that run and waits for that, two seconds at most; NULL is fine. */
void children_free(struct children *all);

/* Those that run, or have been told to end and have not yet. */
size_t children_count(const struct children *all);

struct child_plan {
	const char *const
		*words; /* the program, as execvp(3) finds it; NULL ends */
	/*
	 * stdin and stdout are one socket, child_take_fd(), and when that is
	 * closed the program is ended; else stdin is empty and each line of
	 * stdout is given to on_line.
	 */
	bool is_connection;
	/* A line of stdout, foreign, without its end.  May be NULL. */
	void (*on_line)(void *self, const char *line);
	/* It runs.  Not called for what cannot be started.  May be NULL. */
	void (*on_start)(void *self);
	/*
	 * It has ended; child_why() says why.  Not called once child_end() was,
	 * which is still due, and may be called here.  May be NULL.
	 */
	void (*on_end)(void *self);
	void *self;
};

struct child;

/*
 * Starts a program.  What cannot be started ends (on_end) as soon as it was.
 * NULL and *err: ERROR_REFUSED when there are too many, ERROR_FAILED.
 */
struct child *child_start(struct children *all, const struct child_plan *plan,
			  struct error *err);

/* The socket, non-blocking; the caller's from now on.  Once. */
int child_take_fd(struct child *c);

/*
 * Says why it ended and what its last lines on stderr were, two at most,
 * foreign: "nc: it ended with status 1: Connection refused", "nc: No such file
 * or directory"; when it runs, or nobody has heard of its end yet, only the
 * latter.  Appends nothing when there is nothing to say.
 */
void child_why(struct child *c, struct text *out);

/* True when it ended by itself, and not well. */
bool child_failed(struct child *c);

/* True when there is no such program. */
bool child_is_missing(const struct child *c);

/* Ends it, and frees it in a while; nothing more is heard of it. */
void child_end(struct child *c); /* NULL is fine */

#endif
