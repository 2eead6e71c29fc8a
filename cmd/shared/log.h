/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: messages on stderr, one line each.
 *
 * Every line begins with "sjkc: ". Foreign names in it are escaped
 * (core/base/safe_text.h). A message removes the progress bar from its line.
 * With log_set_json(), every line is an object instead.
 */
#ifndef CMD_SHARED_LOG_H
#define CMD_SHARED_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
	LOG_QUIET, /* -q: only errors and losses */
	LOG_NORMAL,
	LOG_VERBOSE, /* -v: also details */
};

void log_set_level(enum log_level level);

/*
 * Writes bytes to stderr, retrying after signals; gives up when a write fails.
 * Async-signal-safe.
 */
void log_bytes(const char *bytes, size_t len);

/*
 * True when stderr and stdout are the same file, such as one terminal. A
 * message that repeats the last line of the output is then superfluous.
 */
bool log_shares_stdout(void);

/*
 * Prints a JSON object per message from now on: "time", in UTC, "level" (error,
 * warning, info, debug), "message", and the fields of log_with().
 */
void log_set_json(bool is_json);

/*
 * Limits repeated messages from now on, for commands that run for days.
 * Messages that differ only in their digits are one kind. The first LOG_REPEATS
 * of a kind are printed, and others only counted for a minute.
 */
enum { LOG_REPEATS = 5 };
void log_limit_repeats(void);

/*
 * Prints how many messages of each kind were not printed, with the last one, if
 * their minute is over at now_ns of clock_monotonic_ns(). Call it often.
 */
void log_flush_repeats(int64_t now_ns);

/* Prints at every level: the error that ends the command. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A number, or a text unless it is NULL, that a JSON object has. */
struct log_field {
	const char *key; /* NULL ends a list */
	uint64_t number;
	const char *text; /* foreign */
};

/* Like log_info(), or log_always() if is_loss, with fields. */
void log_with(bool is_loss, const struct log_field *fields, const char *fmt,
	      ...) __attribute__((format(printf, 3, 4)));

/* Prints at every level: an error or a loss. */
void log_always(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints unless -q was given. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints when -v was given. */
void log_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * progress: a bar on stderr for work that takes over a second.
 *
 * It appears only on a terminal. There is one bar at a time.
 */
/* Starts work with this title ("reading dump.jfr"), which it borrows. */
void progress_start(const char *title);

/* Reports progress; cheap. It can be the callback of a struct profile. */
void progress_show(void *unused, uint64_t done, uint64_t total);

/* Ends the work. */
void progress_end(void);

#endif
