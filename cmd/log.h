/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: messages on stderr, one line each.
 *
 * Every line begins with "sjkc: ".  Foreign names in it are made safe
 * (core/base/safe_text.h).  A progress bar that is on the line gives way.
 */
#ifndef CMD_LOG_H
#define CMD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
	LOG_QUIET, /* -q: errors and losses only */
	LOG_NORMAL,
	LOG_VERBOSE, /* -v: details, too */
};

void log_set_level(enum log_level level);
bool log_is_quiet(void); /* -q was given */

/*
 * Writes bytes to stderr, retrying after signals; gives up when a write fails.
 * Async-signal-safe.
 */
void log_bytes(const char *bytes, size_t len);

/* Prints at every level: an error or a loss. */
void log_always(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints unless -q was given. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints when -v was given. */
void log_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * progress: a bar on stderr for work that takes over a second.
 *
 * Shown on a terminal only; there is one at a time.
 */
/* Begins work called what ("reading dump.jfr"), which is borrowed. */
void progress_start(const char *what);

/* So much is done; cheap.  Has the shape of struct profile's callback. */
void progress_show(void *unused, uint64_t done, uint64_t total);

/* Takes the bar off the screen until the next progress_show(). */
void progress_hide(void);

/* The work is over. */
void progress_end(void);

#endif
