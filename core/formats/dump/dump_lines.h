/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_lines: the lines of a thread dump without the log format around them.
 *
 * Log collectors prepend the time, the host or the stream to each line, or make
 * each line a JSON object. The first line of a dump reveals the prefix, which
 * is then removed from the following lines.
 */
#ifndef CORE_FORMATS_DUMP_DUMP_LINES_H
#define CORE_FORMATS_DUMP_DUMP_LINES_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dump_lines {
	struct lines lines;
	struct line raw;    /* the last line as it is in the input */
	struct text prefix; /* the prefix of each line; may be empty */
	struct text decoded;
};

/* Skips a UTF-8 byte order mark. */
void dump_lines_init(struct dump_lines *l, const void *bytes, size_t len);
void dump_lines_release(struct dump_lines *l);

/* Reads the next line, valid until the next call; false at the end. */
bool dump_lines_next(struct dump_lines *l, struct line *line);

/*
 * Returns a raw line without the log format; valid until the next call of
 * either.
 */
struct line dump_lines_unwrap(struct dump_lines *l, struct line raw);

/*
 * Uses the first len bytes of a line as the prefix of the following lines, if
 * they look like one.
 */
void dump_lines_prefix(struct dump_lines *l, struct line line, size_t len);

/* Return and restore the position, for callers that read lines ahead. */
struct lines dump_lines_mark(const struct dump_lines *l);
void dump_lines_back(struct dump_lines *l, struct lines mark);

#endif
