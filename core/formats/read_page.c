/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_page: reads flame graph pages of sjkc (render/page/PAGE.md), and detects
 * those of async-profiler.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/base64.h"
#include "core/base/clock.h"
#include "core/base/cursor.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/base/protobuf.h"
#include "core/base/zip.h"
#include "core/formats/frame_text.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SCHEMA   "sjkc.flame/1"
#define PAGE_DATA     "<script id=\"data\" type=\"application/octet-stream\">"
#define PAGE_CELLS    "<script id=\"cells\" type=\"application/octet-stream\">"
#define PAGE_MOMENTS  "<script id=\"moments\" type=\"application/octet-stream\">"
#define EVENTS_MAX    1024
#define EVENT_COLUMNS 6
#define NOTES_MAX     1000
#define STEP_MAX_MS   1000000000 /* 11 days */

/*
 * Maximum bytes of all names, besides a number per byte of the page: a name
 * shares up to 223 characters with the previous one.
 */
#define NAMES_ROOM  ((size_t)16 << 20)
#define NAMES_RATIO 16

/* The columns of the data block, in their order. */
enum {
	COLUMN_NAMES,
	COLUMN_FRAME_NAME,
	COLUMN_FRAME_KIND,
	COLUMN_FRAME_LINE,
	COLUMN_NODE_UP,
	COLUMN_NODE_FRAME,
	COLUMN_EVENTS
};
enum {
	CELL_NODE,
	CELL_THREAD,
	CELL_STATE,
	CELL_BUCKET,
	CELL_COUNT,
	CELL_WEIGHT
};

enum {
	MOMENT_ENTRIES,
	MOMENT_LOW,
	MOMENT_HIGH,
	MOMENT_SAMPLES,
	MOMENT_WEIGHT,
	MOMENT_SPAN,
	MOMENT_COLUMNS
};

struct page_event {
	uint32_t event;
	uint64_t cells;
	struct cursor moments[MOMENT_COLUMNS];
	bool has_entries, has_high, has_samples, has_weight, has_span;
};

struct page_reader {
	struct profile *profile;
	struct page_event *events;
	size_t event_count, event_cap;
	uint32_t *threads;
	size_t thread_count, thread_cap;
	uint64_t *columns; /* lengths */
	size_t column_count, column_cap;
	uint64_t *cell_columns; /* lengths in the block of cells */
	size_t cell_column_count, cell_column_cap;
	int64_t start_ns, bucket_ns;
	uint64_t buckets;
	int64_t from_ns, to_ns; /* of the recording; 0, 0: unknown */
	int64_t step_start_ns, step_ns, lead_ns; /* step_ns 0: no moments */
	uint64_t *moment_columns;                /* lengths */
	size_t moment_column_count, moment_column_cap;
	uint64_t name_count, frame_count, node_count;
	uint32_t *frames, *nodes; /* ids of the profile */
	/*
	 * The frames and classes of the names, each of which is parsed once: a
	 * long one may have many frames. 0 = not parsed yet.
	 */
	uint32_t *named, *classes;
	struct text names;
	size_t *name_ends;
	struct text text;
	bool is_ours;
	bool has_differences; /* steps are relative to the entry before */
	bool is_comparison;   /* of two recordings */
};

static bool page_text_is(const struct text *t, const char *value)
{
	return t->len == strlen(value) && memcmp(t->bytes, value, t->len) == 0;
}

static void page_read_event(struct page_reader *g, struct json_reader *r)
{
	struct text name = { 0 };
	enum unit unit = UNIT_SAMPLES;
	uint64_t cells = 0;
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "name")) {
			json_read_text(r, &name);
		} else if (line_is(key, "unit")) {
			text_clear(&g->text);
			json_read_text(r, &g->text);
			for (int i = 0; i <= UNIT_COUNT; i++)
				if (page_text_is(&g->text, unit_names[i]))
					unit = (enum unit)i;
		} else if (line_is(key, "cells")) {
			cells = json_read_uint(r);
		} else {
			json_skip(r);
		}
	}
	if (!r->failed && g->event_count < EVENTS_MAX) {
		array_add(g->events, g->event_count, g->event_cap,
			  (struct page_event){
				  .event = profile_event(
					  g->profile,
					  name.len ? name.bytes : "", unit),
				  .cells = cells,
			  });
	} else if (!r->failed) {
		profile_lost(g->profile, "events skipped", 1,
			     "more than %d events", EVENTS_MAX);
	}
	text_release(&name);
}

static void page_read_thread(struct page_reader *g, struct json_reader *r)
{
	struct thread t = { 0 };
	struct line key;

	text_clear(&g->text);
	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "name") && !json_accept_null(r))
			json_read_text(r, &g->text);
		else if (line_is(key, "id") && !json_accept_null(r))
			t.java_id = json_read_int(r);
		else if (line_is(key, "tid") && !json_accept_null(r))
			t.os_id = json_read_int(r);
		else if (line_is(key, "virtual"))
			t.is_virtual = json_read_bool(r);
		else if (!line_is(key, "name") && !line_is(key, "id") &&
			 !line_is(key, "tid"))
			json_skip(r);
	}
	t.name = profile_string(g->profile, g->text.len ? g->text.bytes : "",
				g->text.len);
	array_add(g->threads, g->thread_count, g->thread_cap,
		  t.name || t.os_id || t.java_id
			  ? profile_thread(g->profile, &t)
			  : 0);
}

static void page_read_time(struct page_reader *g, struct json_reader *r)
{
	const struct {
		const char *key;
		int64_t *ns;
	} times[] = {
		{ "start_ms", &g->start_ns },
		{ "bucket_ms", &g->bucket_ns },
		{ "from_ms", &g->from_ns },
		{ "to_ms", &g->to_ns },
	};
	struct line key;

	if (json_accept_null(r))
		return;
	json_enter_object(r);
	while (json_next_member(r, &key)) {
		size_t i = 0;
		double ms;

		if (line_is(key, "buckets")) {
			g->buckets = json_read_uint(r);
			continue;
		}
		while (i < 4 && !line_is(key, times[i].key))
			i++;
		if (i == 4) {
			json_skip(r);
			continue;
		}
		ms = json_read_double(r);
		if (!(ms > -9e12 && ms < 9e12))
			ms = 0;
		*times[i].ns = (int64_t)(ms * (double)CLOCK_NS_PER_MS);
	}
}

/* Reads the lengths of the columns of an event's moments. */
static void page_read_moment_event(struct page_reader *g, struct json_reader *r)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (!line_is(key, "columns")) {
			json_skip(r);
			continue;
		}
		json_enter_array(r);
		while (json_next_element(r)) {
			array_add(g->moment_columns, g->moment_column_count,
				  g->moment_column_cap, json_read_uint(r));
		}
	}
}

static void page_read_moments(struct page_reader *g, struct json_reader *r)
{
	int64_t start_ms = 0, step_ms = 0;
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "start_ms")) {
			start_ms = json_read_int(r);
		} else if (line_is(key, "lead_ns")) {
			g->lead_ns = json_read_int(r);
		} else if (line_is(key, "step_ms")) {
			step_ms = json_read_int(r);
		} else if (line_is(key, "differences")) {
			g->has_differences = json_read_bool(r);
		} else if (line_is(key, "events")) {
			json_enter_array(r);
			while (json_next_element(r))
				page_read_moment_event(g, r);
		} else {
			json_skip(r);
		}
	}
	if (step_ms <= 0 || step_ms > STEP_MAX_MS ||
	    __builtin_mul_overflow(start_ms, CLOCK_NS_PER_MS,
				   &g->step_start_ns) ||
	    g->lead_ns < 0 || g->lead_ns >= step_ms * CLOCK_NS_PER_MS)
		return;
	g->step_ns = step_ms * CLOCK_NS_PER_MS;
}

/* Takes "1,234" from the start of a text. */
static uint64_t page_take_count(struct line *rest)
{
	uint64_t count = 0;

	for (; rest->len && (is_digit(*rest->text) || *rest->text == ',');
	     rest->text++, rest->len--) {
		if (*rest->text != ',')
			count = count * 10 + (uint64_t)(*rest->text - '0');
	}
	return count;
}

/*
 * Keeps a note of the page, which flame_remark() wrote:
 * "Lost: samples skipped: 1,234 of 5,678 (first: line 9)".
 */
static void page_read_note(struct page_reader *g, struct json_reader *r)
{
	static const char lost[] = "Lost: ", first[] = " (first: ";
	struct line what, rest, place = { "", 0 };
	const char *at, *name;
	uint64_t count;
	bool is_lost;

	text_clear(&g->text);
	json_read_text(r, &g->text);
	what = (struct line){ g->text.bytes, g->text.len };
	is_lost = line_starts(what, lost);
	if (is_lost)
		line_cut(&what, ' ');
	at = what.len ? memmem(what.text, what.len, first, strlen(first))
		      : NULL;
	if (at && line_ends(what, ")")) {
		place.text = at + strlen(first);
		place.len = (size_t)(what.text + what.len - place.text) - 1;
		what.len = (size_t)(at - what.text);
	}
	at = what.len ? memrchr(what.text, ':', what.len) : NULL;
	if (!at || r->failed || g->profile->remark_count >= NOTES_MAX)
		return;
	rest = line_trimmed((struct line){
		at + 1, (size_t)(what.text + what.len - at) - 1 });
	count = page_take_count(&rest);
	name = profile_text(g->profile,
			    profile_string(g->profile, what.text,
					   (size_t)(at - what.text)));
	(is_lost ? profile_lost : profile_note)(g->profile, name, count, "%.*s",
						(int)place.len, place.text);
	line_cut(&rest, 'f'); /* "of" */
	if (rest.len) {
		rest = line_trimmed(rest);
		profile_remark_of(g->profile, name, page_take_count(&rest));
	}
}

static void page_read_head(struct page_reader *g, struct json_reader *r)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "schema")) {
			text_clear(&g->text);
			json_read_text(r, &g->text);
			g->is_ours = page_text_is(&g->text, PAGE_SCHEMA);
		} else if (line_is(key, "events")) {
			json_enter_array(r);
			while (json_next_element(r))
				page_read_event(g, r);
		} else if (line_is(key, "threads")) {
			json_enter_array(r);
			while (json_next_element(r))
				page_read_thread(g, r);
		} else if (line_is(key, "time")) {
			page_read_time(g, r);
		} else if (line_is(key, "moments")) {
			page_read_moments(g, r);
		} else if (line_is(key, "comparison")) {
			g->is_comparison = true;
			json_skip(r);
		} else if (line_is(key, "notes")) {
			json_enter_array(r);
			while (json_next_element(r))
				page_read_note(g, r);
		} else if (line_is(key, "names")) {
			g->name_count = json_read_uint(r);
		} else if (line_is(key, "frames")) {
			g->frame_count = json_read_uint(r);
		} else if (line_is(key, "nodes")) {
			g->node_count = json_read_uint(r);
		} else if (line_is(key, "columns")) {
			json_enter_array(r);
			while (json_next_element(r)) {
				array_add(g->columns, g->column_count,
					  g->column_cap, json_read_uint(r));
			}
		} else if (line_is(key, "cell_columns")) {
			json_enter_array(r);
			while (json_next_element(r)) {
				array_add(g->cell_columns, g->cell_column_count,
					  g->cell_column_cap,
					  json_read_uint(r));
			}
		} else {
			json_skip(r);
		}
	}
}

/*
 * Reads names, each of which shares a number of leading characters with the
 * previous one; shared characters are ASCII.
 */
static void page_read_names(struct page_reader *g, struct cursor c)
{
	struct lines lines = lines_over(c.at, cursor_left(&c));
	struct line line;
	size_t before = 0, n = 0;
	size_t room = NAMES_ROOM + cursor_left(&c) * NAMES_RATIO;

	g->name_ends = xmalloc((g->name_count + 1) * sizeof(*g->name_ends));
	while (n < g->name_count && lines_next(&lines, &line)) {
		size_t from = g->names.len;

		if (from > room) {
			profile_lost(g->profile, "names skipped",
				     g->name_count - n, "more than %zu bytes",
				     room);
			break;
		}
		size_t shared = line.len ? (unsigned char)line.text[0] - 32u
					 : 0;
		struct text copy = { 0 };

		if (shared > from - before)
			shared = 0;
		if (shared)
			text_add(&copy, g->names.bytes + before, shared);
		if (copy.len)
			text_add(&g->names, copy.bytes, copy.len);
		text_release(&copy);
		if (line.len)
			text_add(&g->names, line.text + 1, line.len - 1);
		before = from;
		g->name_ends[n++] = g->names.len;
	}
	g->name_count = n;
	g->named = xcalloc(n, sizeof(*g->named));
	g->classes = xcalloc(n, sizeof(*g->classes));
}

/* Returns a name, which is empty if it is missing or damaged. */
static struct line page_name(const struct page_reader *g, uint64_t name)
{
	size_t from = name && name <= g->name_count ? g->name_ends[name - 1]
						    : 0;
	struct line text = { "", 0 };

	if (name < g->name_count && g->names.len) {
		text.text = g->names.bytes + from;
		text.len = g->name_ends[name] - from;
	}
	if (text.len > FRAME_LONGEST || memchr(text.text, '\0', text.len))
		text.len = 0;
	return text;
}

static uint32_t page_name_frame(struct page_reader *g, uint64_t name)
{
	struct line text;

	if (name < g->name_count && g->named[name])
		return g->named[name];
	text = page_name(g, name);
	if (name >= g->name_count)
		return frame_text_id(g->profile, text.text, text.len, 0);
	g->named[name] = frame_text_id(g->profile, text.text, text.len, 0);
	return g->named[name];
}

/* Returns the string of a name that is a class alone. */
static uint32_t page_name_class(struct page_reader *g, uint64_t name)
{
	struct line text;

	if (name >= g->name_count)
		return 0;
	if (!g->classes[name]) {
		text = page_name(g, name);
		g->classes[name] = profile_string(g->profile, text.text,
						  text.len);
	}
	return g->classes[name];
}

static uint32_t page_make_frame(struct page_reader *g, uint64_t name,
				uint8_t kind, uint64_t line)
{
	uint32_t id = frame_text_at_line(g->profile, page_name_frame(g, name),
					 line < INT32_MAX ? (uint32_t)line : 0);
	struct frame f;

	f = g->profile->frames[id];
	if (kind >= FRAME_KINDS || f.kind == kind)
		return id;
	f.kind = kind;
	/* A class alone is not split at its last dot. */
	if (kind == FRAME_CLASS && f.method) {
		f.class_name = page_name_class(g, name);
		f.method = 0;
	}
	return profile_frame(g->profile, &f);
}

/* Reads the frames; every count is limited by the bytes of its column. */
static void page_read_frames(struct page_reader *g, struct cursor name,
			     struct cursor kind, struct cursor line)
{
	uint64_t id = 0, count = g->frame_count;
	bool has_lines = cursor_left(&line) > 0;

	if (count > cursor_left(&kind))
		count = cursor_left(&kind);
	g->frames = xmalloc((count + 1) * sizeof(*g->frames));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t number;

		id += protobuf_varint(&name);
		number = has_lines ? protobuf_varint(&line) : 0;
		g->frames[i] = page_make_frame(g, id, cursor_u8(&kind), number);
	}
	g->frame_count = count;
}

static uint64_t page_read_fixed(struct cursor *c, uint64_t frames)
{
	size_t width = frames <= 256 ? 1 : frames <= 65536 ? 2 : 4;
	const uint8_t *bytes = cursor_bytes(c, width);
	uint64_t value = 0;

	for (size_t i = 0; bytes && i < width; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* Reads the stack traces, each of which begins at the root. */
static void page_read_nodes(struct page_reader *g, struct cursor up,
			    struct cursor frame)
{
	uint64_t count = g->node_count;
	uint32_t *path;
	size_t depth = 0;

	if (count > cursor_left(&up))
		count = cursor_left(&up);
	g->nodes = xmalloc((count + 1) * sizeof(*g->nodes));
	path = xmalloc((count + 1) * sizeof(*path));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t levels = protobuf_varint(&up);
		uint64_t id = page_read_fixed(&frame, g->frame_count);

		depth = levels > depth ? 0 : depth - (size_t)levels;
		g->nodes[i] = profile_push(
			g->profile, depth ? path[depth - 1] : 0,
			id < g->frame_count
				? g->frames[id]
				: frame_text_id(g->profile, "", 0, 0));
		path[depth++] = g->nodes[i];
	}
	if (!cursor_ok(&up) || !cursor_ok(&frame))
		profile_lost(g->profile, "truncated stack traces", 1, "%s", "");
	g->node_count = count;
	free(path);
}

/* Returns the next number of a column; an empty column has only zeroes. */
static uint64_t page_next(struct cursor *c)
{
	return cursor_left(c) ? protobuf_varint(c) : 0;
}

/*
 * Returns the start of a bucket. With moments it is exact; "start_ms" of the
 * buckets is rounded.
 */
static bool page_bucket_ns(const struct page_reader *g, uint64_t bucket,
			   int64_t *at_ns)
{
	int64_t start_ns = g->start_ns;

	if (!bucket || bucket > PROFILE_BUCKETS)
		return false;
	if (g->step_ns &&
	    __builtin_add_overflow(g->step_start_ns, g->lead_ns, &start_ns))
		return false;
	return !__builtin_mul_overflow((int64_t)(bucket - 1), g->bucket_ns,
				       at_ns) &&
	       !__builtin_add_overflow(*at_ns, start_ns, at_ns);
}

/* Returns the entry's weight: without a column, its share of the cell. */
static uint64_t page_entry_weight(struct page_event *e, const struct sample *s,
				  uint64_t count)
{
	if (e->has_weight)
		return page_next(&e->moments[MOMENT_WEIGHT]);
	return s->count ? (uint64_t)((unsigned __int128)s->weight * count /
				     s->count)
			: 0;
}

/*
 * Returns the first step of a bucket and its end, or false if the page has
 * numbers that are no times.
 */
static bool page_bucket_steps(const struct page_reader *g, uint64_t bucket,
			      int64_t start_ns, int64_t *first, int64_t *end_ns)
{
	if (__builtin_mul_overflow((int64_t)(bucket - 1), g->bucket_ns,
				   first) ||
	    __builtin_add_overflow(*first, g->lead_ns, first) ||
	    __builtin_add_overflow(start_ns, g->bucket_ns, end_ns))
		return false;
	*first /= g->step_ns;
	return true;
}

/*
 * Sets the times of a part of a cell. A step may begin before the cell's
 * bucket, or end after it. Returns false for a step outside the bucket.
 */
static bool page_place_part(const struct page_reader *g, int64_t step,
			    uint64_t span, int64_t end_ns, struct sample *part)
{
	int64_t from, to;

	if (__builtin_mul_overflow(step, g->step_ns, &from) ||
	    __builtin_add_overflow(from, g->step_start_ns, &from) ||
	    from >= end_ns)
		return false;
	if (from > part->time_ns)
		part->time_ns = from;
	if (!span || span >= UINT16_MAX ||
	    __builtin_mul_overflow((int64_t)span + 1, g->step_ns, &to) ||
	    __builtin_add_overflow(from, to, &to))
		return true;
	if (to > end_ns)
		to = end_ns;
	if (to > part->time_ns)
		part->duration_ns = (uint64_t)to - (uint64_t)part->time_ns;
	return true;
}

/*
 * Adds the parts of a cell that have moments, and takes them from the sample.
 * The parts of a cell without a time are skipped.
 */
static void page_add_entries(struct page_reader *g, struct page_event *e,
			     struct sample *s, uint64_t bucket, bool is_timed)
{
	struct cursor *columns = e->moments;
	uint64_t left = e->has_entries ? page_next(&columns[MOMENT_ENTRIES])
				       : s->count;
	struct sample whole = *s;
	int64_t first = 0, end_ns = 0, offset = 0;

	if (is_timed)
		is_timed = page_bucket_steps(g, bucket, whole.time_ns, &first,
					     &end_ns);
	for (; left && cursor_left(&columns[MOMENT_LOW]); left--) {
		struct sample part = whole;
		uint64_t low = cursor_u8(&columns[MOMENT_LOW]);
		uint64_t high = e->has_high ? cursor_u8(&columns[MOMENT_HIGH])
					    : 0;
		uint64_t span;
		int64_t step;

		offset = (g->has_differences ? offset : 0) +
			 (int64_t)(low | high << 8);
		part.count = e->has_samples
				     ? page_next(&columns[MOMENT_SAMPLES])
				     : 1;
		part.weight = page_entry_weight(e, &whole, part.count);
		span = e->has_span ? page_next(&columns[MOMENT_SPAN]) : 0;
		if (part.count > s->count)
			part.count = s->count;
		if (part.weight > s->weight)
			part.weight = s->weight;
		if (!is_timed || __builtin_add_overflow(first, offset, &step) ||
		    !page_place_part(g, step, span, end_ns, &part))
			continue;
		s->count -= part.count;
		s->weight -= part.weight;
		profile_add(g->profile, &part);
	}
}

/* Keeps the widths of the buckets, in whatever order the cells are. */
static void page_expect_times(const struct page_reader *g)
{
	int64_t first_ns, last_ns;

	if (g->bucket_ns > 0 && page_bucket_ns(g, 1, &first_ns) &&
	    page_bucket_ns(g, g->buckets, &last_ns) &&
	    !__builtin_add_overflow(last_ns, g->bucket_ns - 1, &last_ns))
		profile_expect_times(g->profile, first_ns, last_ns);
}

static void page_read_cells(struct page_reader *g, struct page_event *e,
			    struct cursor columns[EVENT_COLUMNS])
{
	bool has_weights = cursor_left(&columns[CELL_WEIGHT]) > 0;
	uint64_t node = 0, i;

	for (i = 0; i < e->cells && cursor_left(&columns[CELL_NODE]); i++) {
		struct sample s = { .event = e->event };
		uint64_t thread, state, bucket;
		bool is_timed;

		node += page_next(&columns[CELL_NODE]);
		thread = page_next(&columns[CELL_THREAD]);
		state = page_next(&columns[CELL_STATE]);
		bucket = page_next(&columns[CELL_BUCKET]);
		s.count = page_next(&columns[CELL_COUNT]);
		s.weight = has_weights ? page_next(&columns[CELL_WEIGHT])
				       : s.count;
		if (node && node <= g->node_count)
			s.stack = g->nodes[node - 1];
		if (thread < g->thread_count)
			s.thread = g->threads[thread];
		if (state < THREAD_STATES)
			s.state = (enum thread_state)state;
		is_timed = page_bucket_ns(g, bucket, &s.time_ns);
		if (!is_timed)
			s.time_ns = 0;
		if (cursor_left(&e->moments[e->has_entries ? MOMENT_ENTRIES
							   : MOMENT_LOW])) {
			bool had = s.count || s.weight;

			page_add_entries(g, e, &s, bucket, is_timed);
			if (had && !s.count && !s.weight)
				continue;
		}
		profile_add(g->profile, &s);
	}
	if (i < e->cells)
		profile_lost(g->profile, "truncated samples", e->cells - i,
			     "%s", "");
}

/* Samples of an idle program do not cover the recorded period. */
static void page_note_period(const struct page_reader *g)
{
	struct profile *p = g->profile;

	if (!p->earliest_ns || g->from_ns >= g->to_ns)
		return;
	if (g->from_ns < p->earliest_ns)
		p->earliest_ns = g->from_ns;
	if (g->to_ns > p->latest_ns)
		p->latest_ns = g->to_ns;
}

static void page_release(struct page_reader *g)
{
	free(g->events);
	free(g->threads);
	free(g->columns);
	free(g->cell_columns);
	free(g->moment_columns);
	free(g->frames);
	free(g->nodes);
	free(g->name_ends);
	free(g->named);
	free(g->classes);
	text_release(&g->names);
	text_release(&g->text);
}

/* Reads the cells of all events. */
static void page_read_events(struct page_reader *g, const uint64_t *lengths,
			     struct cursor c)
{
	struct cursor cells[EVENT_COLUMNS];

	for (size_t e = 0; e < g->event_count; e++) {
		for (size_t i = 0; i < EVENT_COLUMNS; i++)
			cells[i] = cursor_slice(&c, *lengths++);
		/* Without one of its columns, each cell would be another. */
		if (cursor_ok(&c))
			page_read_cells(g, &g->events[e], cells);
		else
			profile_lost(g->profile, "truncated samples",
				     g->events[e].cells, "%s", "");
	}
}

/*
 * Reads the columns behind the JSON of a data block. The cells of a large page
 * are in a block of their own, which is later NULL otherwise.
 */
static int page_read_columns(struct page_reader *g, struct cursor c,
			     const struct cursor *later, struct error *err)
{
	struct cursor fixed[COLUMN_EVENTS];
	size_t event_columns = g->event_count * EVENT_COLUMNS;
	size_t n = 0;

	if (g->column_count < COLUMN_EVENTS + (later ? 0 : event_columns) ||
	    (later && g->cell_column_count < event_columns))
		return fail(err, ERROR_INPUT,
			    "the HTML flame graph has too few columns");
	while (n < COLUMN_EVENTS) {
		uint64_t len = g->columns[n];

		if (len > cursor_left(&c))
			return fail(err, ERROR_INPUT,
				    "the HTML flame graph is truncated within "
				    "its stack "
				    "traces");
		fixed[n++] = cursor_slice(&c, len);
	}
	if (g->name_count > cursor_left(&fixed[COLUMN_NAMES]))
		g->name_count = cursor_left(&fixed[COLUMN_NAMES]);
	page_read_names(g, fixed[COLUMN_NAMES]);
	page_read_frames(g, fixed[COLUMN_FRAME_NAME], fixed[COLUMN_FRAME_KIND],
			 fixed[COLUMN_FRAME_LINE]);
	page_read_nodes(g, fixed[COLUMN_NODE_UP], fixed[COLUMN_NODE_FRAME]);
	page_read_events(g, later ? g->cell_columns : g->columns + n,
			 later ? *later : c);
	page_note_period(g);
	return 0;
}

/* Finds the columns of moments; times stay coarse if the block is damaged. */
static void page_find_moments(struct page_reader *g, struct cursor c)
{
	size_t n = 0;

	if (!g->step_ns || g->bucket_ns <= 0)
		return;
	if (g->moment_column_count < g->event_count * MOMENT_COLUMNS) {
		profile_lost(g->profile, "truncated times", 1, "%s", "");
		return;
	}
	for (size_t i = 0; i < g->event_count; i++) {
		struct page_event *e = &g->events[i];

		for (size_t k = 0; k < MOMENT_COLUMNS; k++) {
			uint64_t len = g->moment_columns[n++];

			if (len > cursor_left(&c)) {
				len = cursor_left(&c);
				profile_lost(g->profile, "truncated times", 1,
					     "%s", "");
			}
			e->moments[k] = cursor_slice(&c, len);
		}
		e->has_entries = cursor_left(&e->moments[MOMENT_ENTRIES]) > 0;
		e->has_high = cursor_left(&e->moments[MOMENT_HIGH]) > 0;
		e->has_samples = cursor_left(&e->moments[MOMENT_SAMPLES]) > 0;
		e->has_weight = cursor_left(&e->moments[MOMENT_WEIGHT]) > 0;
		e->has_span = cursor_left(&e->moments[MOMENT_SPAN]) > 0;
	}
}

static uint32_t page_little_endian(struct cursor *c)
{
	const uint8_t *b = cursor_bytes(c, 4);

	return b ? b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
			       (uint32_t)b[3] << 24
		 : 0;
}

/* Decodes base64 and inflates; -1 and *err if the text is not base64. */
static int page_unpack(struct profile *p, struct line base64,
		       struct inflated *block, struct error *err)
{
	struct text packed = { 0 };
	int ret = 0;

	base64.len -= base64.len % 4;
	if (!base64_read(&packed, base64.text, base64.len)) {
		ret = fail(err, ERROR_INPUT,
			   "the data of the HTML flame graph is damaged");
	} else {
		*block = inflate_bytes(INFLATE_RAW,
				       (const uint8_t *)packed.bytes,
				       packed.len, 0);
		if (block->damage)
			profile_lost(p, "truncated pages", 1, "%s",
				     block->damage);
	}
	text_release(&packed);
	return ret;
}

/* The text of the blocks of a page; those behind the script may be empty. */
struct page_blocks {
	struct line data, cells, moments;
};

/* Unpacks a block behind the script; the caller frees it. */
static struct inflated page_unpack_later(struct profile *p, struct line base64,
					 const char *loss)
{
	struct inflated block = { 0 };

	if (base64.len && page_unpack(p, base64, &block, error_unused()))
		profile_lost(p, loss, 1, "%s", "");
	return block;
}

static struct cursor page_cursor(const struct inflated *block)
{
	return block->len ? cursor_over(block->bytes, block->len)
			  : cursor_over("", 0);
}

/* Reads the blocks of a page of sjkc. */
static int page_read_block(struct profile *p, const struct page_blocks *blocks,
			   struct error *err)
{
	struct page_reader g = { .profile = p };
	struct inflated block = { 0 }, cells = { 0 }, moments = { 0 };
	struct json_reader r;
	struct cursor later;
	struct cursor c;
	uint32_t len;
	int ret = -1;

	if (page_unpack(p, blocks->data, &block, err))
		goto out;
	c = cursor_over(block.bytes, block.len);
	len = page_little_endian(&c);
	if (!len || len > cursor_left(&c)) {
		fail(err, ERROR_INPUT,
		     "the HTML flame graph is truncated within its head");
		goto out;
	}
	r = json_reader_over((const char *)c.at, len);
	cursor_skip(&c, len);
	page_read_head(&g, &r);
	if (r.failed || !g.is_ours) {
		fail(err, ERROR_INPUT,
		     "the HTML flame graph is of an unknown version");
		goto out;
	}
	if (g.is_comparison) {
		fail(err, ERROR_INPUT,
		     "the HTML flame graph compares two recordings, whose "
		     "samples must not "
		     "be added up; read one of the recordings");
		goto out;
	}
	moments = page_unpack_later(p, blocks->moments, "truncated times");
	page_find_moments(&g, page_cursor(&moments));
	page_expect_times(&g);
	cells = page_unpack_later(p, blocks->cells, "truncated pages");
	later = page_cursor(&cells);
	ret = page_read_columns(&g, c, g.cell_column_count ? &later : NULL,
				err);
out:
	page_release(&g);
	free(block.bytes);
	free(cells.bytes);
	free(moments.bytes);
	return ret;
}

/* Finds the blocks behind the script. */
static void page_find_later(struct page_blocks *blocks, struct lines lines)
{
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line *block = line_is(line, PAGE_CELLS) ? &blocks->cells
				     : line_is(line, PAGE_MOMENTS)
					     ? &blocks->moments
					     : NULL;

		if (block && lines_next(&lines, &line))
			*block = line;
	}
}

static int page_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct lines lines = lines_over(bytes, len);
	struct page_blocks blocks = { { "", 0 }, { "", 0 }, { "", 0 } };
	struct line line;

	while (lines_next(&lines, &line)) {
		if (line_is(line, PAGE_DATA)) {
			if (!lines_next(&lines, &blocks.data))
				blocks.data.len = 0;
			page_find_later(&blocks, lines);
			return page_read_block(p, &blocks, err);
		}
		if (line_starts(line, "const cpool"))
			return async_page_dialect.read(bytes, len, p, err);
	}
	return fail(err, ERROR_INPUT,
		    "not a flame graph of sjkc or async-profiler (its call "
		    "trees, -o tree, are not supported), or truncated before "
		    "the data");
}

static bool page_sniff(const uint8_t *head, size_t len)
{
	static const char *const starts[] = { "<!doctype html>",
					      "<!DOCTYPE html>" };

	for (size_t i = 0; i < 2; i++) {
		if (len > strlen(starts[i]) &&
		    memcmp(head, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return false;
}

const struct reader page_reader = {
	.name = "html",
	.summary = "HTML flame graph of sjkc or async-profiler",
	.sniff = page_sniff,
	.read = page_read,
};
