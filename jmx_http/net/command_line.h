/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_line: splits a command into words for execvp(3), without a shell.
 *
 * Spaces separate words.  '…' quotes everything; in "…", \" and \\ are escape
 * sequences; outside quotes, a backslash quotes the next character.  {host} and
 * {port} are replaced in all words except the program's name.
 */
#ifndef JMX_HTTP_NET_COMMAND_LINE_H
#define JMX_HTTP_NET_COMMAND_LINE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_WORDS_MAX 64

struct command_line {
	char **words; /* without quotes; ends with NULL */
	size_t count;
};

/*
 * Splits text.  -1 and ERROR_MISUSE for an unterminated quote, no word, too
 * many words, or {host} or {port} in the program's name.  After success, the
 * caller calls command_line_release().
 */
int command_line_parse(struct command_line *c, const char *text,
		       struct error *err);
void command_line_release(struct command_line *c); /* zeroed is fine */

/*
 * Returns the words with {host} and {port} replaced; free them with
 * command_words_free().  The host may come from a JVM, and must be neither an
 * option nor special to a shell: NULL and ERROR_REFUSED unless it consists of
 * letters, digits, '.', ':', '_' and '-', and does not begin with '-'.
 */
char **command_line_words(const struct command_line *c, const char *host,
			  uint16_t port, struct error *err);
void command_words_free(char **words); /* NULL is fine */

/* -1 and ERROR_UNAVAILABLE unless execvp(3) would find the program. */
int command_line_find(const char *program, struct error *err);

#endif
