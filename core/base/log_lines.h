/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_lines: the lines of a text without the log format around them.
 *
 * Log collectors prepend the time, the host or the stream to each line, or make
 * each line a JSON object. log_lines removes the format of Kubernetes (CRI) and
 * JSON from all lines. The reader of a format recognizes another prefix in the
 * first line of its text; log_lines removes it from the following lines.
 */
#ifndef CORE_BASE_LOG_LINES_H
#define CORE_BASE_LOG_LINES_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_lines {
	struct lines lines;
	struct line raw;    /* the last line as it is in the input */
	struct text prefix; /* the prefix of each line; may be empty */
	size_t cut;         /* bytes of it that the last line had */
	struct text decoded;
	struct text joined; /* a line that a container runtime has split */
	bool is_partial;    /* the last part is not the end of its line */
	bool is_cri;        /* the last line is in the format of CRI */
	bool any_cri;       /* a line was */
};

void log_lines_init(struct log_lines *l, const void *bytes, size_t len);
void log_lines_release(struct log_lines *l);

/* Reads the next line, valid until the next call; false at the end. */
bool log_lines_next(struct log_lines *l, struct line *line);

/*
 * Returns a raw line without the log format; valid until the next call of
 * either.
 */
struct line log_lines_unwrap(struct log_lines *l, struct line raw);

/*
 * Uses the first len bytes of a line as the prefix of the following lines, if
 * they look like one.
 */
void log_lines_prefix(struct log_lines *l, struct line line, size_t len);

/* True if the last line lacks the log format that lines before it have. */
bool log_lines_lacks_format(const struct log_lines *l);

/* Return and restore the position, for callers that read lines ahead. */
struct lines log_lines_mark(const struct log_lines *l);
void log_lines_back(struct log_lines *l, struct lines mark);

#endif
