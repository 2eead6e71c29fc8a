/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines: iterates over the lines of a text in memory.
 *
 * A line ends with LF, CR LF or the end of the text; the end is not part of the
 * line. NUL bytes before a line, which logrotate's copytruncate leaves in logs,
 * are skipped (core/base/plain_text.h). Lines are borrowed from the text and
 * not NUL-terminated.
 */
#ifndef CORE_BASE_LINES_H
#define CORE_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct lines {
	const char *at;
	const char *end;
	uint64_t number; /* number of the last line read, from 1 */
};

struct line {
	const char *text;
	size_t len;
};

/* Starts before the first line of a text, which is borrowed. */
struct lines lines_over(const void *bytes, size_t len);

/* Reads the next line into *line; returns false at the end. */
bool lines_next(struct lines *l, struct line *line);

/*
 * True behind the last line of a text if it has no newline: the line may be
 * truncated. A reader keeps it if it is a whole record, and counts it as a loss
 * and names it if it is the start of one.
 */
static inline bool lines_end_open(const struct lines *l)
{
	return l->number && l->at == l->end && l->end[-1] != '\n';
}

/*
 * True if the line begins or ends with a text. Inline, because readers try many
 * literals, which the compiler then compares without calls.
 */
static inline bool line_starts(struct line line, const char *prefix)
{
	size_t len = strlen(prefix);

	return line.len >= len && memcmp(line.text, prefix, len) == 0;
}

static inline bool line_ends(struct line line, const char *suffix)
{
	size_t len = strlen(suffix);

	return line.len >= len &&
	       memcmp(line.text + line.len - len, suffix, len) == 0;
}

/* True if the whole line equals the text. */
static inline bool line_is(struct line line, const char *text)
{
	return line.len == strlen(text) && line_starts(line, text);
}

/* Returns the line without leading and trailing spaces and tabs. */
struct line line_trimmed(struct line line);

/*
 * Returns the text before the first c and leaves the text behind c in *rest.
 * Without a c, returns all of *rest, which becomes empty.
 */
struct line line_cut(struct line *rest, char c);

#endif
