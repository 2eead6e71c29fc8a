/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/foreign.h"

#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/lines.h"
#include "core/profile/frame_name.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct profile *foreign_read(const struct reader *r, const void *bytes,
			     size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	p->keep_lines = true;
	if (r->read(bytes, len, p, &err))
		fail_msg("%s", err.text);
	return p;
}

void foreign_refuse(const struct reader *r, const void *bytes, size_t len,
		    const char *message)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	assert_int_equal(r->read(bytes, len, p, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_string_equal(err.text, message);
	profile_free(p);
}

struct foreign_row {
	struct text name;
	uint64_t count, weight;
};

static int foreign_compare(const void *a, const void *b)
{
	const struct foreign_row *x = a, *y = b;

	return strcmp(x->name.bytes, y->name.bytes);
}

/* Appends the frames of a stack trace, root first. */
static void foreign_add_path(struct text *out, const struct profile *p,
			     uint32_t stack)
{
	const struct style style = { .annotate = true, .lines = true };
	uint32_t path[4096];
	size_t depth = 0;

	for (; stack && depth < 4096; stack = p->stacks[stack].caller)
		path[depth++] = p->stacks[stack].frame;
	while (depth) {
		frame_name(out, p, &p->frames[path[--depth]], &style);
		if (depth)
			text_putc(out, ';');
	}
}

static void foreign_name(struct text *out, const struct profile *p,
			 const struct cell *c)
{
	const struct event *e = &p->events[c->event];

	text_printf(out, "%s: ", profile_text(p, e->name));
	foreign_add_path(out, p, c->stack);
	text_putc(out, '|');
	if (c->thread)
		thread_frame_name(out, p, c->thread);
	if (c->state)
		text_printf(out, " %s", thread_state_names[c->state]);
	text_printf(out, "|");
}

struct text foreign_lines(const struct profile *p)
{
	struct foreign_row *rows = xcalloc(p->cell_count + 1, sizeof(*rows));
	struct text out = { 0 };

	for (size_t i = 0; i < p->cell_count; i++) {
		foreign_name(&rows[i].name, p, &p->cells[i]);
		rows[i].count = p->cells[i].count;
		rows[i].weight = p->cells[i].weight;
	}
	qsort(rows, p->cell_count, sizeof(*rows), foreign_compare);
	for (size_t i = 0; i < p->cell_count; i++) {
		struct foreign_row *next = &rows[i + 1];

		if (i + 1 < p->cell_count &&
		    strcmp(rows[i].name.bytes, next->name.bytes) == 0) {
			next->count += rows[i].count;
			next->weight += rows[i].weight;
		} else {
			text_printf(&out, "%s%" PRIu64 " %" PRIu64 "\n",
				    rows[i].name.bytes, rows[i].count,
				    rows[i].weight);
		}
		text_release(&rows[i].name);
	}
	free(rows);
	return out;
}

void foreign_expect(const struct profile *p, const char *lines)
{
	struct text got = foreign_lines(p);

	assert_string_equal(got.len ? got.bytes : "", lines);
	text_release(&got);
}

static uint64_t foreign_samples(const struct profile *p)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < p->event_count; i++)
		samples += p->events[i].samples;
	return samples;
}

/* Each cut is read; these are compared with the whole, which takes longer. */
enum { STEP = 7 };

/*
 * Fails the test if a frame, thread or state is not one of the whole.  A stack
 * trace may lack callers, and a thread without frames also its ids and state.
 */
static void foreign_check_part(const struct profile *p,
			       const struct text *whole, size_t cut,
			       bool has_end)
{
	static const char mark[] = "[truncated];";
	struct text text = foreign_lines(p);
	struct lines lines = lines_over(text.bytes, text.len);
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line event = line_cut(&line, ':');
		const char *bar = memrchr(line.text, '|', line.len);
		size_t skip = line_starts(line, " ");

		line.len = (size_t)(bar - line.text);
		line.text += skip;
		line.len -= skip;
		if (line_starts(line, mark)) {
			line.text += sizeof(mark) - 1;
			line.len -= sizeof(mark) - 1;
		}
		if (line_starts(line, "|[")) {
			const char *id = memmem(line.text, line.len,
						" tid=", 5);

			line = line_cut(&line, ']');
			if (id)
				line.len = (size_t)(id - line.text);
		}
		/* Names and numbers behind the samples may be missing. */
		if (has_end && p->remark_count) {
			if (memmem(line.text, line.len, "[un", 3))
				continue;
			line.len -= line_ends(line, "]");
		}
		if (!memmem(whole->bytes, whole->len, line.text, line.len))
			fail_msg("cut at %zu: %.*s: %.*s", cut, (int)event.len,
				 event.text, (int)line.len, line.text);
	}
	text_release(&text);
}

void foreign_cut_everywhere(const struct reader *r, const void *bytes,
			    size_t len, bool has_end)
{
	struct profile *whole = foreign_read(r, bytes, len);
	uint64_t all = foreign_samples(whole);
	struct text lines = foreign_lines(whole);

	for (size_t cut = 0; cut < len; cut++) {
		/* Its own allocation, so that a read beyond it is found. */
		void *part = xmalloc(cut ? cut : 1);
		struct profile *p = profile_new();
		struct error err = { 0 };
		int ret;

		memcpy(part, bytes, cut);
		ret = r->read(part, cut, p, &err);
		if (ret && (err.kind != ERROR_INPUT || !err.text[0]))
			fail_msg("cut at %zu: %s", cut, err.text);
		if (!ret && foreign_samples(p) > all)
			fail_msg("cut at %zu: more samples", cut);
		if (!has_end && cut &&
		    memchr("\n)", ((const char *)bytes)[cut - 1], 2))
			ret = -1;
		if (!ret && foreign_samples(p) < all && !profile_is_partial(p))
			fail_msg("cut at %zu: %" PRIu64 " of %" PRIu64
				 " samples, and no loss",
				 cut, foreign_samples(p), all);
		/* A text may be cut behind a bracket within a frame. */
		if (ret == 0 && cut % STEP == 0)
			foreign_check_part(p, &lines, cut, has_end);
		profile_free(p);
		free(part);
	}
	text_release(&lines);
	profile_free(whole);
}

struct text foreign_file(const char *path)
{
	struct text file = { 0 };
	struct input in;
	struct error err;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s: %s", path, err.text);
	text_add(&file, in.bytes, in.len);
	input_close(&in);
	return file;
}
