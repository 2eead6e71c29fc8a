/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output: writes files completely or not at all.
 *
 * Data goes to a temporary file beside the target, which replaces the target
 * once all data is on disk; until then the old file stays. "-" is standard
 * output; devices and pipes are written in place. After a failure, later writes
 * do nothing and output_commit() reports the failure.
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
	int dir;         /* the directory of the next two names, or -1 */
	char *temporary; /* name of the file until it is renamed, or NULL */
	char *target;    /* the name after following links */
	bool is_shared;  /* other users may create files in the directory */
	uint8_t *buffer;
	size_t used;
	uint64_t written; /* bytes that the kernel has accepted */
	int sys;          /* errno of the first failure */
};

/*
 * Opens path ("-" is standard output). Fails with ERROR_OUTPUT; even then,
 * output_close() must follow. path is borrowed. In a directory where others may
 * write, another user's link, file or pipe is refused. A named pipe waits five
 * seconds for a reader. At most one file may be open at a time.
 */
int output_open(struct output *out, const char *path, struct error *err);

/*
 * Fails with ERROR_OUTPUT if output_open() would fail now. Does not wait for
 * the reader of a pipe and leaves an existing file unchanged.
 */
int output_try(const char *path, struct error *err);

/*
 * Opens a device or a pipe as output_open() does. Returns its descriptor, which
 * is the caller's; OUTPUT_NO_DEVICE for any other path; or -1 and *err.
 */
enum { OUTPUT_NO_DEVICE = -2 };
int output_open_device(const char *path, struct error *err);

/*
 * Like output_open(), for directories that other users may write to, such as
 * /tmp. Replaces an existing link or pipe instead of following it or writing to
 * it.
 */
int output_open_unfollowed(struct output *out, const char *path,
			   struct error *err);

/* Each appends to the file and records a failure for output_check(). */
void output_write(struct output *out, const void *bytes, size_t len);
void output_puts(struct output *out, const char *text);
void output_printf(struct output *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Fails with ERROR_OUTPUT if a write has failed. */
int output_check(const struct output *out, struct error *err);

/*
 * Flushes, and renames the file to its target. ERROR_OUTPUT; err->sys is EPIPE
 * for a closed pipe, which callers do not report.
 */
int output_commit(struct output *out, struct error *err);

/*
 * Closes the file, and removes it unless it was committed. Zeroed storage is
 * allowed.
 */
void output_close(struct output *out);

/* Writes all bytes of a file at once. Fails like output_commit(). */
int output_file(const char *path, const void *bytes, size_t len,
		struct error *err);

/*
 * Returns the width in columns of the terminal that path, "-", is written to;
 * 0 if it is a file, or standard output is no terminal.
 */
size_t output_terminal_width(const char *path);

/*
 * Returns true if path, "-", is written to a terminal where the user wants
 * colors: NO_COLOR is unset or empty (https://no-color.org).
 */
bool output_wants_color(const char *path);

/*
 * Removes the temporary file of an open output, if any. Async-signal-safe, for
 * handlers that end the process.
 */
void output_abandon_all(void);

#endif
