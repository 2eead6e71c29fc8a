/* SPDX-License-Identifier: Apache-2.0 */
/*
 * talk: what sjkc says on stderr, a line at a time.
 *
 * Every line begins with "sjkc: ".  Foreign names in it are made safe
 * (core/base/safe_text.h).  A progress bar that is on the line gives way.
 */
#ifndef CMD_TALK_H
#define CMD_TALK_H

#include <stdbool.h>
#include <stddef.h>

enum talk_level {
	TALK_QUIET, /* -q: errors and losses only */
	TALK_NORMAL,
	TALK_VERBOSE, /* -v: details, too */
};

void talk_set(enum talk_level level);
bool talk_is_quiet(void); /* -q was given */

/*
 * Writes bytes to stderr, whatever interrupts; gives up when nobody takes them.
 * Async-signal-safe.
 */
void talk_bytes(const char *bytes, size_t len);

/* Said whatever the level: an error, or that something was lost. */
void talk_always(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Said unless -q was given. */
void talk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Said when -v was given. */
void talk_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
