/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_lines: the lines of a thread dump, out of the log that wraps them.
 *
 * Log collectors put the time, the host or the stream before each line, or
 * make each line a JSON object.  Once the line that a dump begins with shows
 * what stands before it, the same is taken from the lines that follow.
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
	struct line raw;    /* the line last given, as it is in the input */
	struct text prefix; /* what stands before each line; may be empty */
	struct text decoded;
};

/* A UTF-8 byte order mark is passed over. */
void dump_lines_init(struct dump_lines *l, const void *bytes, size_t len);
void dump_lines_release(struct dump_lines *l);

/* The next line; it lives until the next call.  False at the end. */
bool dump_lines_next(struct dump_lines *l, struct line *line);

/* A raw line without its wrapping; lives until the next call of either. */
struct line dump_lines_unwrap(struct dump_lines *l, struct line raw);

/*
 * Takes the first len bytes of a line as what stands before each line from
 * then on, where they look like the beginning of a log's lines.
 */
void dump_lines_prefix(struct dump_lines *l, struct line line, size_t len);

/* Where the walk stands, and back to it: lines can be looked at ahead. */
struct lines dump_lines_mark(const struct dump_lines *l);
void dump_lines_back(struct dump_lines *l, struct lines mark);

#endif
