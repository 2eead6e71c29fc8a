/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines: iterates over the lines of a text in memory.
 *
 * A line ends with LF, CR LF or the end of the text; its end is not part of it.
 * Lines are borrowed from the text and not NUL-terminated.
 */
#ifndef CORE_BASE_LINES_H
#define CORE_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines {
	const char *at;
	const char *end;
	uint64_t number; /* of the line last given, from 1 */
};

struct line {
	const char *text;
	size_t len;
};

/* Starts before the first line of a text, which is borrowed. */
struct lines lines_over(const void *bytes, size_t len);

/* Reads the next line into *line; false at the end. */
bool lines_next(struct lines *l, struct line *line);

/* True when the line begins or ends with a text. */
bool line_starts(struct line line, const char *prefix);
bool line_ends(struct line line, const char *suffix);

/* True when the whole line is the text. */
bool line_is(struct line line, const char *text);

/* A line without the blanks and tabs before and after it. */
struct line line_trimmed(struct line line);

#endif
