/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_async_page: reads flame graph pages of async-profiler. A page has one
 * event without a name, and draws frames by calls of JavaScript, one in each
 * line:
 *    const cpool = [		names; the first character of each is
 *    'all',			' ' + the number of characters that it
 *    ' ...'			shares with the previous one
 *    ];
 *    f(key,level,left,width)	a frame; key is 8 * name + type
 *    u(key,width)		a callee of the previous frame
 *    n(key,width)		the next callee of its caller
 * The width is missing if it is the previous one.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/formats/frame_text.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum bytes of all names, besides a number per byte of the page: a name
 * shares up to 223 characters with the previous one.
 */
#define NAMES_ROOM  ((size_t)16 << 20)
#define NAMES_RATIO 16

struct apage_name {
	char *text; /* owned */
	size_t len;
	uint32_t frame; /* 0 = not parsed yet: many frames may share it */
};

struct apage {
	struct profile *profile;
	uint32_t event;
	struct text name; /* the current one */
	struct apage_name *names;
	size_t name_count, name_cap, name_bytes, name_room;
	/* The path to the current frame: stack traces, and widths not yet
	 * taken by callees.
	 */
	uint32_t *stacks;
	uint64_t *selfs;
	size_t depth, stack_cap, self_cap;
	uint64_t width;
	size_t level;
	uint64_t frames, line;
};

/* Reads a line 'NAME', with \\ and \' for \ and '. */
static bool apage_read_name(struct apage *a, struct line l)
{
	struct text name = { 0 };
	const char *end = memrchr(l.text, '\'', l.len);
	size_t shared;

	if (l.len < 2 || l.text[0] != '\'' || end == l.text ||
	    a->name_bytes > a->name_room)
		return false;
	for (const char *at = l.text + 1; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		text_putc(&name, *at);
	}
	/* The first name, "all", is whole. */
	shared = a->name_count && name.len
			 ? (size_t)(unsigned char)name.bytes[0] - 32
			 : 0;
	if (a->name_count && name.len) {
		if (shared > a->name.len)
			shared = a->name.len;
		a->name.len = shared;
		text_add(&a->name, name.bytes + 1, name.len - 1);
	} else {
		text_clear(&a->name);
		text_add(&a->name, name.bytes, name.len);
	}
	text_release(&name);
	if (a->name.len > FRAME_LONGEST)
		a->name.len = FRAME_LONGEST;
	array_add(a->names, a->name_count, a->name_cap,
		  (struct apage_name){
			  .text = xstrndup(a->name.bytes ? a->name.bytes : "",
					   a->name.len),
			  .len = a->name.len,
		  });
	a->name_bytes += a->name.len;
	return true;
}

/* Adds the self of the frames below a level, which are complete. */
static void apage_leave(struct apage *a, size_t level)
{
	while (a->depth > level) {
		size_t at = --a->depth;

		if (!a->selfs[at])
			continue;
		profile_add(a->profile, &(struct sample){
						.event = a->event,
						.stack = a->stacks[at],
						.count = a->selfs[at],
						.weight = a->selfs[at],
					});
	}
}

/* Returns the frame of a name. */
static uint32_t apage_name_frame(struct apage *a, uint64_t index)
{
	struct apage_name *name = index < a->name_count ? &a->names[index]
							: NULL;

	if (!name)
		return frame_text_id(a->profile, "", 0, 0);
	if (!name->frame) {
		bool ok = !memchr(name->text, '\0', name->len);

		name->frame = frame_text_id(a->profile, name->text,
					    ok ? name->len : 0, 0);
	}
	return name->frame;
}

static uint32_t apage_frame(struct apage *a, uint64_t key)
{
	static const enum frame_kind kinds[] = {
		FRAME_INTERPRETED, FRAME_JIT,    FRAME_INLINED, FRAME_NATIVE,
		FRAME_CPP,         FRAME_KERNEL, FRAME_C1,      FRAME_NATIVE,
	};
	enum frame_kind kind = kinds[key & 7];
	uint32_t id = apage_name_frame(a, key >> 3);
	struct frame f = a->profile->frames[id];

	/*
	 * A class that was allocated or locked stays one, and a frame without a
	 * name is "[unknown]".
	 */
	if (f.kind == FRAME_CLASS || f.kind == FRAME_SYNTHETIC ||
	    f.kind == kind)
		return id;
	f.kind = kind;
	return profile_frame(a->profile, &f);
}

/* Enters a frame at a level; level 0 is "all", which is not a frame. */
static void apage_enter(struct apage *a, uint64_t key, size_t level)
{
	uint32_t caller;

	if (level > a->depth)
		level = a->depth;
	apage_leave(a, level);
	if (level && a->selfs[level - 1] < a->width) {
		profile_note(a->profile, "callees longer than their caller", 1,
			     "line %" PRIu64, a->line);
		a->selfs[level - 1] = 0;
	} else if (level) {
		a->selfs[level - 1] -= a->width;
	}
	caller = level ? a->stacks[level - 1] : 0;
	array_reserve(a->stacks, a->stack_cap, level + 1);
	array_reserve(a->selfs, a->self_cap, level + 1);
	a->stacks[level] = level ? profile_push(a->profile, caller,
						apage_frame(a, key))
				 : 0;
	a->selfs[level] = a->width;
	a->depth = level + 1;
	a->level = level;
	a->frames++;
}

/* Reads the numbers of "f(1,2,3)"; returns how many there are, at most 4. */
static size_t apage_read_numbers(struct line l, uint64_t numbers[4])
{
	size_t count = 0, i = 2;

	if (l.len < 4 || l.text[1] != '(' || l.text[l.len - 1] != ')')
		return 0;
	while (i < l.len && count < 4) {
		size_t from = i;
		uint64_t value = 0;

		for (; i < l.len && is_digit(l.text[i]); i++) {
			if (i - from > 17)
				return 0;
			value = value * 10 + (uint64_t)(l.text[i] - '0');
		}
		if (i == from || (l.text[i] != ',' && l.text[i] != ')'))
			return 0;
		numbers[count++] = value;
		i++;
	}
	return count;
}

/* Reads a line of a frame; false if it is another line. */
static bool apage_read_frame(struct apage *a, struct line l)
{
	uint64_t n[4];
	size_t count = apage_read_numbers(l, n);
	size_t level = a->level;
	bool is_far = count && l.text[0] == 'f';

	if (!count || !strchr("fun", l.text[0]) || (is_far && count < 3))
		return false;
	if (is_far)
		level = n[1] < SIZE_MAX / 2 ? (size_t)n[1] : 0;
	else if (l.text[0] == 'u')
		level++;
	if (is_far ? count > 3 : count > 1)
		a->width = n[is_far ? 3 : 1];
	apage_enter(a, n[0], level);
	return true;
}

static void apage_read_lines(struct apage *a, struct lines lines)
{
	struct line line = { "", 0 };
	bool is_whole = false;

	while (lines_next(&lines, &line) && line.len && line.text[0] == '\'') {
		a->line = lines.number;
		if (!apage_read_name(a, line))
			profile_lost(a->profile, "lines skipped", 1, "%s", "");
	}
	/* The names end with "];", a call of unpack() and an empty line. */
	while (lines_next(&lines, &line)) {
		a->line = lines.number;
		if (apage_read_frame(a, line))
			continue;
		is_whole = a->frames && line_starts(line, "search(");
		if (is_whole)
			break;
		if (a->frames && line.len && !line_starts(line, "d="))
			profile_lost(a->profile, "lines skipped", 1,
				     "line %" PRIu64, lines.number);
	}
	if (!is_whole)
		profile_lost(a->profile, "truncated pages", 1, "%s", "");
	apage_leave(a, 0);
}

static int apage_read(const uint8_t *bytes, size_t len, struct profile *p,
		      struct error *err)
{
	struct lines lines = lines_over(bytes, len);
	struct line line = { "", 0 };
	struct apage a = { .profile = p };

	while (lines_next(&lines, &line) && !line_starts(line, "const cpool"))
		;
	a.name_room = NAMES_ROOM + (size_t)(lines.end - lines.at) * NAMES_RATIO;
	a.event = profile_event(p, "samples", UNIT_SAMPLES);
	apage_read_lines(&a, lines);
	for (size_t i = 0; i < a.name_count; i++)
		free(a.names[i].text);
	free(a.names);
	free(a.stacks);
	free(a.selfs);
	text_release(&a.name);
	if (!a.frames)
		return fail(
			err, ERROR_INPUT,
			"the HTML flame graph has no frames, or is truncated");
	return 0;
}

const struct reader async_page_dialect = {
	.name = "html",
	.summary = "HTML flame graph of async-profiler",
	.read = apage_read,
};
