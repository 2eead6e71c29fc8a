/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: a file that is whole or not there.
 *
 * What is written goes to a temporary file beside the name and takes the name
 * when all of it is written; the file that had the name stays whole until
 * then.  "-" is stdout; a device or a pipe is written in place.  A failure is
 * remembered: writing goes on in vain, output_commit() tells.
 */
#ifndef CORE_BASE_OUTPUT_H
#define CORE_BASE_OUTPUT_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
	const char *name; /* borrowed; "<stdout>" for "-" */
	int fd;
	char *temporary; /* path that takes the name, or NULL */
	char *target;    /* the name with its links followed */
	uint8_t *buffer;
	size_t used;
	uint64_t written; /* bytes that reached the system */
	int sys;          /* errno of the first failure */
};

/*
 * Opens path ("-" is stdout); what happens to it is said above.  Fails with
 * ERROR_OUTPUT; output_close() is due even then.  path is borrowed.
 */
int output_open(struct output *out, const char *path, struct error *err);

/*
 * Whether output_open() would succeed by now, ERROR_OUTPUT; a pipe's reader is
 * not waited for.  What has the path is as it was.
 */
int output_try(const char *path, struct error *err);

/*
 * As output_open(), for a name in a folder where anybody may put things, as
 * /tmp: what has the name is replaced, be it a link or a pipe, and never
 * followed or written to.
 */
int output_open_unfollowed(struct output *out, const char *path,
			   struct error *err);

/* Each adds to the file; a failure is remembered. */
void output_write(struct output *out, const void *bytes, size_t len);
void output_puts(struct output *out, const char *text);
void output_printf(struct output *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Fails with ERROR_OUTPUT once something could not be written. */
int output_check(const struct output *out, struct error *err);

/*
 * Flushes, and gives the file its name.  Fails with ERROR_OUTPUT; when that was
 * a closed pipe, err->sys is EPIPE and nothing should be said.
 */
int output_commit(struct output *out, struct error *err);

/* Closes; what was not committed is removed.  Zeroed storage is fine. */
void output_close(struct output *out);

/*
 * Removes the temporary file of an output that is open, if there is one.
 * Async-signal-safe: for handlers that are about to end the process.
 */
void output_abandon_all(void);

#endif
