/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: writes files completely or not at all.
 *
 * Data goes to a temporary file beside the target, which replaces the target
 * when all of it is on disk; until then the old file stays. "-" is standard
 * output; devices and pipes are written in place. A failure is remembered:
 * later writes do nothing, and output_commit() reports it.
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
 * Opens path ("-" is standard output). ERROR_OUTPUT; output_close() is due even
 * then. path is borrowed.
 */
int output_open(struct output *out, const char *path, struct error *err);

/*
 * Fails with ERROR_OUTPUT if output_open() would fail now; does not wait for
 * the reader of a pipe, and leaves an existing file unchanged.
 */
int output_try(const char *path, struct error *err);

/*
 * As output_open(), for a directory that other users may write to, as /tmp: an
 * existing link or pipe of that name is replaced, and never followed or written
 * to.
 */
int output_open_unfollowed(struct output *out, const char *path,
			   struct error *err);

/* Each appends to the file; a failure is remembered. */
void output_write(struct output *out, const void *bytes, size_t len);
void output_puts(struct output *out, const char *text);
void output_printf(struct output *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Fails with ERROR_OUTPUT if a write has failed. */
int output_check(const struct output *out, struct error *err);

/*
 * Flushes, and renames the file to its target. ERROR_OUTPUT; err->sys is EPIPE
 * for a closed pipe, which should not be reported.
 */
int output_commit(struct output *out, struct error *err);

/*
 * Closes the file, and removes it unless it was committed. Zeroed storage is
 * fine.
 */
void output_close(struct output *out);

/*
 * Removes the temporary file of an output that is open, if there is one.
 * Async-signal-safe: for handlers that are about to end the process.
 */
void output_abandon_all(void);

#endif
