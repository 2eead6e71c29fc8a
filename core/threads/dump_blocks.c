/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/dump_blocks.h"

#define MOST_NAME_LINES 20 /* of a thread's name */

static bool is_header(struct line line)
{
	struct dump_header h;

	return dump_header_parse(line.text, line.len, 0, &h);
}

/*
 * Reads a header that begins at the line given, which l is past; the name may
 * go on in the lines that follow, but not beyond a whole header after a blank
 * line, as the JVM begins them.  False, and l as it was, when it is none.
 */
static bool take_header(struct lines *l, struct line first,
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
		if (!lines_next(&ahead, &line) || (blank && is_header(line)))
			break;
	}
	return false;
}

/* What follows the threads; in a name it would stand behind a quote. */
static bool ends_threads(struct line line)
{
	return line_starts(line, "JNI global ref") ||
	       line_starts(line, "Found one Java-level deadlock");
}

/*
 * Moves on to the next header, or to the end; gives where the lines before it
 * end.
 */
static const char *find_header(struct dump_blocks *b, bool *has_frames)
{
	struct lines before = b->lines;
	struct line line;

	b->has_ahead = false;
	while (lines_next(&b->lines, &line)) {
		if (ends_threads(line)) {
			b->rest = before;
			b->lines.at = b->lines.end;
			return before.at;
		}
		if (take_header(&b->lines, line, &b->ahead)) {
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

	find_header(&b, &unused);
	return b;
}

bool dump_blocks_next(struct dump_blocks *b, struct dump_block *block)
{
	if (!b->has_ahead)
		return false;
	*block = (struct dump_block){ .header = b->ahead, .body = b->lines };
	block->body.end = find_header(b, &block->has_frames);
	return true;
}
