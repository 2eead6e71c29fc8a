/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/dump_blocks.h"

#define MOST_NAME_LINES 20 /* maximum number of lines of a thread name */

static bool line_is_header(struct line line)
{
	struct dump_header h;

	return dump_header_parse(line.text, line.len, 0, &h);
}

/*
 * Reads a header that begins at `first`, the line before l's position. The name
 * may continue in the following lines, but not beyond a complete header after
 * an empty line, where the JVM starts the next thread. Returns false and leaves
 * l unchanged if there is no header.
 */
static bool blocks_read_header(struct lines *l, struct line first,
			       struct dump_header *h)
{
	struct lines ahead = *l;
	struct line line = first;

	if (!line_starts(first, "\""))
		return false;
	for (int i = 0; i < MOST_NAME_LINES; i++) {
		size_t last = (size_t)(line.text - first.text);
		bool blank = line.len == 0;

		if (dump_header_parse(first.text, last + line.len, last, h)) {
			*l = ahead;
			return true;
		}
		if (!lines_next(&ahead, &line) ||
		    (blank && line_is_header(line)))
			break;
	}
	return false;
}

/* True for the text after the threads; in a name, a quote would precede it. */
static bool line_ends_threads(struct line line)
{
	return line_starts(line, "JNI global ref") ||
	       line_starts(line, "Found one Java-level deadlock");
}

/*
 * Advances to the next header or to the end; returns the end of the lines
 * before it.
 */
static const char *blocks_find_header(struct dump_blocks *b, bool *has_frames)
{
	struct lines before = b->lines;
	struct line line;

	b->has_ahead = false;
	while (lines_next(&b->lines, &line)) {
		if (line_ends_threads(line)) {
			b->rest = before;
			b->lines.at = b->lines.end;
			return before.at;
		}
		if (blocks_read_header(&b->lines, line, &b->ahead)) {
			b->has_ahead = true;
			return before.at;
		}
		if (line_starts(line, "\tat "))
			*has_frames = true;
		before = b->lines;
	}
	return before.at;
}

struct dump_blocks dump_blocks_over(const char *reply, size_t len)
{
	struct dump_blocks b = { .lines = lines_over(reply, len) };
	bool unused;

	blocks_find_header(&b, &unused);
	return b;
}

bool dump_blocks_next(struct dump_blocks *b, struct dump_block *block)
{
	if (!b->has_ahead)
		return false;
	*block = (struct dump_block){ .header = b->ahead, .body = b->lines };
	block->body.end = blocks_find_header(b, &block->has_frames);
	return true;
}
