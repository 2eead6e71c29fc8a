/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program: runs a program that never outlives the proxy.
 *
 * A supervisor process starts the program and reports its end.  When the proxy
 * ends, even by SIGKILL, the supervisor kills the program and all processes
 * that the program has started.  A program has no terminal, so it cannot
 * prompt.
 */
#ifndef JMX_HTTP_NET_PROGRAM_H
#define JMX_HTTP_NET_PROGRAM_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of a line; longer lines are truncated.  In messages of kubectl, the
 * reason is behind two names of 64 digits.
 */
#define PROGRAM_LINE_MAX 2048

/* All programs of a proxy. */
struct programs;

/* Runs at most max programs at a time. */
struct programs *programs_new(struct event_base *base, size_t max);

/* Ends all programs, within two seconds; NULL is fine. */
void programs_free(struct programs *all);

/* The number of programs that are running or ending. */
size_t programs_count(const struct programs *all);

struct program_plan {
	/* The arguments for execvp(3), ending with NULL. */
	const char *const *words;
	/*
	 * If set, standard input and output are one socket, see
	 * program_take_fd(), and closing the socket ends the program.
	 * Otherwise standard input is empty, and on_line receives each line of
	 * standard output.
	 */
	bool is_connection;
	/* Receives a line without newline; foreign.  May be NULL. */
	void (*on_line)(void *self, const char *line);
	/* The program runs.  May be NULL. */
	void (*on_start)(void *self);
	/*
	 * The program has ended or failed to start; program_why() has the
	 * reason.  The callee may call program_end(), which is required at some
	 * time, and after which no callback is called.  May be NULL.
	 */
	void (*on_end)(void *self);
	void *self;
};

struct program;

/*
 * Starts a program.  If execvp(3) fails, on_end is called.  NULL and *err:
 * ERROR_REFUSED if too many programs run, else ERROR_FAILED.
 */
struct program *program_start(struct programs *all,
			      const struct program_plan *plan,
			      struct error *err);

/* Returns the connection, non-blocking, once; the caller owns it. */
int program_take_fd(struct program *p);

/*
 * Appends why the program ended, and its last two lines of standard error,
 * foreign: "nc: exit status 1: Connection refused", "nc: No such file or
 * directory".  While the program runs, appends only the lines, or nothing.
 */
void program_why(struct program *p, struct text *out);

/* True if the program ended by itself with a failure. */
bool program_failed(struct program *p);

/* True if the program does not exist. */
bool program_is_missing(const struct program *p);

/* Ends the program and frees it later; calls no more callbacks. */
void program_end(struct program *p); /* NULL is fine */

#endif
