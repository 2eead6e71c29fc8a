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

#define PROGRAM_LINE_MAX 512 /* bytes of a line; longer lines are truncated */

/* All programs of a proxy. */
struct programs;

/* At most max programs run at a time. */
struct programs *programs_new(struct event_base *base, size_t max);

/* Ends all programs, within two seconds; NULL is fine. */
void programs_free(struct programs *all);

/* The number of programs that run or are still ending. */
size_t programs_count(const struct programs *all);

struct program_plan {
	const char *const
		*words; /* the program, as execvp(3) finds it; NULL ends */
	/*
	 * Standard input and output are one socket, program_take_fd(), and the
	 * program is ended when that is closed.  Otherwise standard input is
	 * empty, and on_line gets each line of standard output.
	 */
	bool is_connection;
	/* A line of standard output without newline; foreign.  Or NULL. */
	void (*on_line)(void *self, const char *line);
	/* The program runs.  May be NULL. */
	void (*on_start)(void *self);
	/*
	 * The program has ended, or could not be started; program_why() has the
	 * reason.  program_end() is still due, and may be called here; it is
	 * not called after program_end().  May be NULL.
	 */
	void (*on_end)(void *self);
	void *self;
};

struct program;

/*
 * Starts a program; one that cannot be started reports that by on_end.  NULL
 * and *err: ERROR_REFUSED when too many run, ERROR_FAILED.
 */
struct program *program_start(struct programs *all,
			      const struct program_plan *plan,
			      struct error *err);

/* Returns the connection, non-blocking, which the caller owns; once. */
int program_take_fd(struct program *p);

/*
 * Appends why the program ended and its last lines of standard error, two at
 * most, foreign: "nc: exit status 1: Connection refused", "nc: No such file or
 * directory"; while it runs, only the latter.  Appends nothing if it has
 * neither.
 */
void program_why(struct program *p, struct text *out);

/* True when the program ended by itself with a failure. */
bool program_failed(struct program *p);

/* True when the program does not exist. */
bool program_is_missing(const struct program *p);

/* Ends the program and frees it later; no callback is called any more. */
void program_end(struct program *p); /* NULL is fine */

#endif
