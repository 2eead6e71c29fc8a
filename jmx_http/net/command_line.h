/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_line: a command as a person writes it, as words for execvp(3).
 *
 * There is no shell.  Blanks part words; '…' keeps what is in it as it is,
 * "…" too, but for \" and \\; outside of both, a backslash keeps the next
 * character.  {host} and {port} stand for where to connect to, anywhere but in
 * the program's own name.
 */
#ifndef JMX_HTTP_NET_COMMAND_LINE_H
#define JMX_HTTP_NET_COMMAND_LINE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_WORDS_MAX 64

struct command_line {
	char **words; /* as written, quotes removed; NULL at the end */
	size_t count;
};

/*
 * ERROR_MISUSE when a quote is not closed, there is no word or too many of
 * them, or {host} or {port} are part of the program's name.
 * command_line_release() is due after success.
 */
int command_line_parse(struct command_line *c, const char *text,
		       struct error *err);
void command_line_release(struct command_line *c); /* zeroed is fine */

/*
 * The words with {host} and {port} replaced, for command_words_free().  The
 * host may be one that a JVM has named: ERROR_REFUSED unless it is made of
 * letters, digits, '.', ':', '_' and '-', and begins with none of the last, so
 * that it is neither an option nor anything that a shell heeds.
 */
char **command_line_words(const struct command_line *c, const char *host,
			  uint16_t port, struct error *err);
void command_words_free(char **words); /* NULL is fine */

/* ERROR_UNAVAILABLE unless execvp(3) would find a program of that name. */
int command_line_find(const char *program, struct error *err);

#endif
