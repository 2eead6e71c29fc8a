/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain text of Thread.dump_to_file (JDK 21): the process id, the time and
 * the version, a line each, then threads and their frames:
 *
 *	#12 "name" virtual WAITING 2026-11-21T08:40:37.791249104Z
 *	    at java.base/java.lang.Object.wait0(Native Method)
 *	    - waiting on <java.lang.Object@cdf057e>
 *
 * JDK 21 has neither state nor time, nor "at", nor locks.
 */
#include "core/formats/dump/thread_dump.h"
#include "core/formats/reader.h"

#include <string.h>

#define MOST_NAME_LINES 20 /* maximum lines of a thread's name */

struct to_file {
	struct dump_walk
		walk; /* must be the first member: the steps get its address */
	struct text joined; /* a header that spans several lines */
	bool gap;           /* the previous line was empty */
};

static uint64_t dump_file_line(const struct to_file *r)
{
	return r->walk.lines.lines.number;
}

static bool line_is_process_id(struct line line)
{
	int64_t id;

	return line.len && dump_decimal(line.text, line.len, &id) == line.len;
}

static bool line_is_instant(struct line line, int64_t *ns)
{
	return line.len > 19 && line.text[10] == 'T' &&
	       line.text[line.len - 1] == 'Z' &&
	       thread_dump_time(line.text, line.len, ns);
}

/*
 * Reads the first lines of a dump, after its process id; false if no dump
 * begins.
 */
static bool file_read_beginning(struct log_lines *lines, struct line first,
				int64_t *ns)
{
	struct lines mark = log_lines_mark(lines);
	struct line line;

	if (line_is_process_id(first) && log_lines_next(lines, &line) &&
	    line_is_instant(line, ns)) {
		log_lines_next(lines, &line); /* the version */
		return true;
	}
	log_lines_back(lines, mark);
	return false;
}

static void file_end_dump(struct dump_walk *w)
{
	struct to_file *r = (struct to_file *)w;

	if (r->walk.dump.open && !r->gap)
		thread_dump_cut(&r->walk.dump, true, dump_file_line(r));
	thread_dump_end(&r->walk.dump);
}

static bool file_read_header(struct to_file *r, struct line line,
			     struct dump_header *h)
{
	struct lines mark = log_lines_mark(&r->walk.lines);

	if (dump_header_to_file(line.text, line.len, 0, h))
		return true;
	text_clear(&r->joined);
	text_add(&r->joined, line.text, line.len);
	for (int i = 0; i < MOST_NAME_LINES; i++) {
		size_t last = r->joined.len + 1;

		if (!log_lines_next(&r->walk.lines, &line) ||
		    line_starts(line, "    ") || line_starts(line, "#"))
			break;
		text_putc(&r->joined, '\n');
		text_add(&r->joined, line.text, line.len);
		if (dump_header_to_file(r->joined.bytes, r->joined.len, last,
					h))
			return true;
	}
	log_lines_back(&r->walk.lines, mark);
	return false;
}

static void file_on_header(struct to_file *r, struct line line)
{
	struct dump_header h;
	bool last = r->walk.lines.lines.at == r->walk.lines.lines.end;

	if (file_read_header(r, line, &h) &&
	    !lines_end_open(&r->walk.lines.lines)) {
		thread_dump_begin(&r->walk.dump, &h);
		return;
	}
	thread_dump_end(
		&r->walk.dump); /* the following frames belong to no thread */
	thread_dump_odd(&r->walk.dump, last ? DUMP_CUT : DUMP_BAD_THREAD,
			dump_file_line(r));
}

/* Only a tap needs locks. */
static void file_on_lock(struct to_file *r, struct line body)
{
	struct dump_lock lock;

	if (r->walk.dump.profile->thread_tap && dump_lock_parse(body, &lock))
		thread_dump_lock(&r->walk.dump, &lock);
}

static void file_on_frame(struct to_file *r, struct line body)
{
	bool last = r->walk.lines.lines.at == r->walk.lines.lines.end;

	if (line_starts(body, "- ")) {
		file_on_lock(r, body);
		return;
	}
	if (line_starts(body, "at ")) {
		body.text += 3;
		body.len -= 3;
	}
	if (!r->walk.dump.open)
		thread_dump_odd(&r->walk.dump, DUMP_LINE_INSIDE,
				dump_file_line(r));
	else if (!thread_dump_frame(&r->walk.dump, DUMP_FRAME_JAVA, body.text,
				    body.len) &&
		 !last)
		thread_dump_odd(&r->walk.dump, DUMP_BAD_FRAME,
				dump_file_line(r));
}

static void file_on_line(struct dump_walk *w, struct line line)
{
	struct to_file *r = (struct to_file *)w;
	struct line body = line_trimmed(line);
	int64_t ns;

	if (!body.len) {
		/* The indentation of a frame may be left of it. */
		r->gap = !lines_end_open(&r->walk.lines.lines);
		return;
	}
	if (file_read_beginning(&r->walk.lines, line, &ns)) {
		file_end_dump(&r->walk);
		thread_dump_new(&r->walk.dump);
		r->walk.dump.time_ns = ns;
	} else if (line.text[0] == '#') {
		file_on_header(r, line);
	} else if (body.text != line.text) {
		file_on_frame(r, body);
	} else {
		thread_dump_odd(&r->walk.dump, DUMP_LINE_INSIDE,
				dump_file_line(r));
	}
	r->gap = false;
}

static int file_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	static const struct dump_steps steps = {
		.line = file_on_line,
		.end = file_end_dump,
		.nothing = "a thread dump without threads",
	};
	struct to_file r = { 0 };
	int ret = dump_walk(&r.walk, &steps, bytes, len, p, err);

	text_release(&r.joined);
	return ret;
}

static bool file_sniff(const uint8_t *head, size_t len)
{
	struct log_lines lines;
	struct line line;
	int64_t ns;
	bool found;

	log_lines_init(&lines, head, len);
	found = log_lines_next(&lines, &line) &&
		file_read_beginning(&lines, line, &ns);
	log_lines_release(&lines);
	return found;
}

const struct reader dump_to_file_dialect = {
	.name = "dump_to_file",
	.summary = "Thread.dump_to_file, plain",
	.sniff = file_sniff,
	.read = file_read,
};
