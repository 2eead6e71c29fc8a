/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor: the process between the proxy and a program that the proxy runs.
 *
 * It leads a session without a terminal, adopts what the program leaves behind,
 * and ends all of it when the other end of its line is closed.
 */
#ifndef JMX_HTTP_NET_SUPERVISOR_H
#define JMX_HTTP_NET_SUPERVISOR_H

#include "core/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* What a warden says on its line: that it started, then how it ended. */
struct supervisor_word {
	enum {
		WARDEN_STARTED,
		WARDEN_NO_START, /* value: the errno of execvp(3) */
		WARDEN_EXITED,   /* its status */
		WARDEN_KILLED,   /* the signal */
		WARDEN_HUNG_UP,  /* our end of its connection was closed */
		WARDEN_GONE,     /* never said: the warden was killed */
	} kind;
	int value;
};

/* Our ends, non-blocking, close-on-exec. */
struct supervisor_ends {
	int line;   /* a socket: words come; it ends all when that is closed */
	int io;     /* the program's stdin and stdout, or its stdout */
	int errors; /* its stderr */
};

/*
 * Starts a warden and its program.  A connection has a socket for both stdin
 * and stdout; else stdin is empty.  That how it ended was said comes before the
 * end of the connection; when our end of that is closed, the program has a
 * moment to end by itself.  Gives the warden's pid, which is to be waited for,
 * or -1 and *err.
 */
pid_t supervisor_start(const char *const *words, bool is_connection,
		       struct supervisor_ends *ours, struct error *err);

#endif
