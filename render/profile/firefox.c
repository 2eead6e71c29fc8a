/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes profiles for profiler.firefox.com, in its "processed" format, version
 * 49. The site converts older versions to its own.
 *
 * Each thread of a view is a track. Views of bytes become the allocations of a
 * thread's first track, if it has one.
 */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/version.h"
#include "core/base/zip.h"
#include "core/profile/event_view.h"
#include "render/tree/sort.h"
#include "render/tree/trace_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_AT ((size_t)64 << 10)
#define VERSION  49
#define MS_NS    1e6

/* Numbers of a column. */
struct column {
	uint32_t *values;
	size_t count, cap;
};

struct firefox {
	const struct profile *profile;
	const struct event_view *views;
	size_t view_count;
	const struct firefox_options *options;
	uint32_t *view_of; /* by event: 1 + view, or 0 */
	uint32_t *rank_of; /* by view: its order, the front view first */
	uint8_t *kinds;    /* by label */
	struct trace_tree traces;
	struct row *rows; /* one per cell, by thread, view and time */
	size_t row_count;

	/* The tables of the current track; numbers are 1 + the local ones. */
	uint32_t track;        /* of the stamps below */
	uint32_t *stack_of;    /* by place */
	uint32_t *stack_stamp; /* by place: the track that has it */
	uint32_t *frame_of;    /* by label */
	uint32_t *frame_stamp; /* by label */
	struct column callers, stack_frames, frames, path;

	struct gzip zip;
	struct text text;
	struct json json;
};

/* Categories of frames, in the order of meta.categories. */
enum {
	CATEGORY_OTHER,
	CATEGORY_JAVA,
	CATEGORY_NATIVE,
	CATEGORY_KERNEL,
	CATEGORY_CLASS
};

static const struct {
	const char *name, *color;
} categories[] = {
	[CATEGORY_OTHER] = { "Other", "grey" },
	[CATEGORY_JAVA] = { "Java", "green" },
	[CATEGORY_NATIVE] = { "Native", "blue" },
	[CATEGORY_KERNEL] = { "Kernel", "orange" },
	[CATEGORY_CLASS] = { "Class", "purple" },
};

static uint32_t firefox_category(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_NATIVE:
	case FRAME_CPP:
		return CATEGORY_NATIVE;
	case FRAME_KERNEL:
		return CATEGORY_KERNEL;
	case FRAME_CLASS:
		return CATEGORY_CLASS;
	case FRAME_SYNTHETIC:
	case FRAME_KINDS:
		return CATEGORY_OTHER;
	default:
		return CATEGORY_JAVA;
	}
}

static void firefox_flush(struct firefox *w, size_t at)
{
	if (w->text.len < at)
		return;
	gzip_write(&w->zip, w->text.bytes, w->text.len);
	text_clear(&w->text);
}

/* ---- the tables of a track ---- */

static uint32_t column_add(struct column *c, uint32_t value)
{
	array_reserve(c->values, c->cap, c->count + 1);
	c->values[c->count] = value;
	return (uint32_t)c->count++;
}

/* Returns the local number of a frame. */
static uint32_t firefox_frame(struct firefox *w, uint32_t label)
{
	if (w->frame_stamp[label] != w->track) {
		w->frame_stamp[label] = w->track;
		w->frame_of[label] = column_add(&w->frames, label);
	}
	return w->frame_of[label];
}

/* Returns 1 + the local number of a stack trace; adds it and its callers. */
static uint32_t firefox_stack(struct firefox *w, uint32_t place)
{
	const struct tree_node *nodes = w->traces.tree.nodes;
	uint32_t caller = 0;

	w->path.count = 0;
	while (place && w->stack_stamp[place - 1] != w->track) {
		column_add(&w->path, place);
		place = nodes[place - 1].caller;
	}
	if (place)
		caller = w->stack_of[place - 1];
	while (w->path.count) {
		place = w->path.values[--w->path.count];
		w->stack_stamp[place - 1] = w->track;
		column_add(&w->stack_frames,
			   firefox_frame(w, nodes[place - 1].label));
		caller = column_add(&w->callers, caller) + 1;
		w->stack_of[place - 1] = caller;
	}
	return caller;
}

static void firefox_begin_track(struct firefox *w)
{
	w->track++;
	w->callers.count = 0;
	w->stack_frames.count = 0;
	w->frames.count = 0;
}

/* ---- JSON ---- */

/* Writes a column of the same number, or of nulls. */
static void put_same(struct firefox *w, const char *key, size_t count,
		     const char *value)
{
	json_add_array(&w->json, key);
	for (size_t i = 0; i < count; i++) {
		json_number(&w->json, value);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
}

static void put_nulls(struct firefox *w, const char *key, size_t count)
{
	json_add_array(&w->json, key);
	for (size_t i = 0; i < count; i++) {
		json_null(&w->json);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
}

static void put_indexes(struct firefox *w, const char *key, size_t count)
{
	json_add_array(&w->json, key);
	for (size_t i = 0; i < count; i++) {
		json_uint(&w->json, i);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
}

/* Writes numbers of which 0 is null and the others are one too large. */
static void put_references(struct firefox *w, const char *key,
			   const struct column *c)
{
	json_add_array(&w->json, key);
	for (size_t i = 0; i < c->count; i++) {
		if (c->values[i])
			json_uint(&w->json, c->values[i] - 1);
		else
			json_null(&w->json);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
}

static void put_category(struct firefox *w, size_t count,
			 const struct column *frame_of)
{
	json_add_array(&w->json, "category");
	for (size_t i = 0; i < count; i++) {
		uint32_t frame = frame_of ? frame_of->values[i] : (uint32_t)i;
		uint32_t label = w->frames.values[frame];

		json_uint(&w->json, w->kinds[label]);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
	put_same(w, "subcategory", count, "0");
}

static void put_stack_table(struct firefox *w)
{
	struct json *j = &w->json;

	json_add_object(j, "stackTable");
	json_add_uint(j, "length", w->callers.count);
	put_references(w, "prefix", &w->callers);
	json_add_array(j, "frame");
	for (size_t i = 0; i < w->stack_frames.count; i++) {
		json_uint(j, w->stack_frames.values[i]);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(j);
	put_category(w, w->stack_frames.count, &w->stack_frames);
	json_close_object(j);
}

static void put_frame_table(struct firefox *w)
{
	size_t count = w->frames.count;
	struct json *j = &w->json;

	json_add_object(j, "frameTable");
	json_add_uint(j, "length", count);
	put_same(w, "address", count, "-1");
	put_same(w, "inlineDepth", count, "0");
	put_category(w, count, NULL);
	put_indexes(w, "func", count);
	put_nulls(w, "nativeSymbol", count);
	put_nulls(w, "innerWindowID", count);
	put_nulls(w, "implementation", count);
	json_add_array(j, "line");
	for (size_t i = 0; i < count; i++) {
		uint32_t label = w->frames.values[i];
		uint32_t line = w->traces.table.labels[label].line;

		if (line && w->options->style.lines)
			json_uint(j, line);
		else
			json_null(j);
	}
	json_close_array(j);
	put_nulls(w, "column", count);
	json_close_object(j);
}

/* The names of functions are the strings, in the same order. */
static void put_functions(struct firefox *w)
{
	size_t count = w->frames.count;
	struct json *j = &w->json;

	json_add_object(j, "funcTable");
	json_add_uint(j, "length", count);
	put_indexes(w, "name", count);
	json_add_array(j, "isJS");
	for (size_t i = 0; i < count; i++)
		json_bool(j, false);
	json_close_array(j);
	json_add_array(j, "relevantForJS");
	for (size_t i = 0; i < count; i++)
		json_bool(j, false);
	json_close_array(j);
	put_same(w, "resource", count, "-1");
	put_nulls(w, "fileName", count);
	put_nulls(w, "lineNumber", count);
	put_nulls(w, "columnNumber", count);
	json_close_object(j);
	json_add_array(j, "stringArray");
	for (size_t i = 0; i < count; i++) {
		const struct label_name *n = trace_tree_name(
			&w->traces, w->frames.values[i]);

		json_string(j, n->text, n->len);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(j);
}

/* Writes an empty table with these columns, separated by spaces. */
static void put_empty_table(struct firefox *w, const char *key,
			    const char *columns)
{
	struct json *j = &w->json;

	json_add_object(j, key);
	json_add_uint(j, "length", 0);
	while (*columns) {
		size_t len = strcspn(columns, " ");
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)len, columns);
		json_add_array(j, name);
		json_close_array(j);
		columns += len + (columns[len] == ' ');
	}
	json_close_object(j);
}

/* ---- samples ---- */

static const struct cell *firefox_cell(const struct firefox *w, size_t row)
{
	return &w->profile->cells[w->rows[row].item];
}

static const struct event_view *firefox_view(const struct firefox *w,
					     const struct cell *c)
{
	return &w->views[w->view_of[c->event] - 1];
}

/* Returns the time of a cell in ms; without a time, its number. */
static double firefox_time(const struct firefox *w, const struct cell *c,
			   size_t number)
{
	const struct profile *p = w->profile;

	if (!p->bucket_ns)
		return (double)number;
	return c->bucket
		       ? (double)(c->bucket - 1) * (double)p->bucket_ns / MS_NS
		       : 0;
}

static void put_stacks(struct firefox *w, size_t from, size_t to)
{
	json_add_array(&w->json, "stack");
	for (size_t i = from; i < to; i++) {
		const struct cell *c = firefox_cell(w, i);
		uint32_t stack = firefox_stack(
			w, trace_tree_place(&w->traces, c->stack));

		if (stack)
			json_uint(&w->json, stack - 1);
		else
			json_null(&w->json);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
}

static void put_times(struct firefox *w, size_t from, size_t to)
{
	json_add_array(&w->json, "time");
	for (size_t i = from; i < to; i++) {
		json_double(&w->json,
			    firefox_time(w, firefox_cell(w, i), i - from));
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
}

static void put_weights(struct firefox *w, size_t from, size_t to,
			const struct event_view *view)
{
	bool weighs = view_weighs(view, w->options->style.weights);
	bool is_time = weighs && view->unit == UNIT_NS;

	json_add_array(&w->json, "weight");
	for (size_t i = from; i < to; i++) {
		uint64_t weight = cell_measure(firefox_cell(w, i), weighs);

		if (is_time)
			json_double(&w->json, (double)weight / MS_NS);
		else
			json_uint(&w->json, weight);
		firefox_flush(w, FLUSH_AT);
	}
	json_close_array(&w->json);
	json_add_text(&w->json, "weightType",
		      is_time                              ? "tracing-ms"
		      : weighs && view->unit == UNIT_BYTES ? "bytes"
							   : "samples");
}

static void put_samples(struct firefox *w, const char *key, size_t from,
			size_t to, const struct event_view *view)
{
	json_add_object(&w->json, key);
	json_add_uint(&w->json, "length", to - from);
	put_stacks(w, from, to);
	put_times(w, from, to);
	put_weights(w, from, to, view);
	/* The site ignores it; sjkc reads it back. */
	json_add_text(&w->json, "sjkcEvent", view->name);
	json_close_object(&w->json);
}

/* ---- tracks ---- */

static void put_track_name(struct firefox *w, const struct cell *c)
{
	const struct profile *p = w->profile;
	const struct event_view *view = firefox_view(w, c);
	const struct thread *t = &p->threads[c->thread];
	struct text name = { 0 };

	if (c->thread)
		safe_text(&name, profile_text(p, t->name),
			  intern_len(&p->strings, t->name));
	if (!c->thread || w->rank_of[view - w->views]) {
		if (name.len)
			text_putc(&name, ' ');
		text_putc(&name, '(');
		safe_text_puts(&name, view->name);
		text_putc(&name, ')');
	}
	json_add_string(&w->json, "name", name.bytes, name.len);
	json_add_int(&w->json, "tid",
		     c->thread && t->os_id ? t->os_id : (int64_t)c->thread);
	text_release(&name);
}

static void put_track_head(struct firefox *w, const struct cell *c)
{
	struct json *j = &w->json;

	put_track_name(w, c);
	json_add_text(j, "pid", "0");
	json_add_text(j, "processType", "default");
	json_add_text(j, "processName", w->options->title);
	json_add_bool(j, "isMainThread", w->track == 1);
	json_add_uint(j, "processStartupTime", 0);
	json_add_null(j, "processShutdownTime");
	json_add_uint(j, "registerTime", 0);
	json_add_null(j, "unregisterTime");
	json_add_array(j, "pausedRanges");
	json_close_array(j);
}

/* Writes a track: the rows of a view, and the rows of its allocations. */
static void put_track(struct firefox *w, size_t from, size_t to, size_t end)
{
	const struct cell *c = firefox_cell(w, from);

	json_open_object(&w->json);
	firefox_begin_track(w);
	put_track_head(w, c);
	put_samples(w, "samples", from, to, firefox_view(w, c));
	if (end > to)
		put_samples(w, "nativeAllocations", to, end,
			    firefox_view(w, firefox_cell(w, to)));
	put_stack_table(w);
	put_frame_table(w);
	put_functions(w);
	put_empty_table(w, "resourceTable", "lib name host type");
	put_empty_table(w, "nativeSymbols",
			"address functionSize libIndex name");
	put_empty_table(w, "markers",
			"category data endTime name phase startTime");
	json_close_object(&w->json);
	firefox_flush(w, FLUSH_AT);
}

/* Makes a row per cell, by thread, then view, then time and stack trace. */
static void firefox_sort_rows(struct firefox *w)
{
	const struct profile *p = w->profile;

	w->rows = xmalloc((p->cell_count + 1) * sizeof(*w->rows));
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint64_t rank;

		if (!w->view_of[c->event])
			continue;
		rank = w->rank_of[w->view_of[c->event] - 1];
		w->rows[w->row_count++] = (struct row){
			.major = c->thread,
			.minor = rank << 48 | (uint64_t)c->bucket << 32 |
				 trace_tree_place(&w->traces, c->stack),
			.item = (uint32_t)i,
		};
	}
	row_sort(w->rows, w->row_count);
}

/* Returns the end of the rows of the same thread and view. */
static size_t firefox_end_of_view(const struct firefox *w, size_t from)
{
	size_t to = from;

	while (to < w->row_count && w->rows[to].major == w->rows[from].major &&
	       w->rows[to].minor >> 48 == w->rows[from].minor >> 48)
		to++;
	return to;
}

static void put_tracks(struct firefox *w)
{
	size_t from = 0;

	json_add_array(&w->json, "threads");
	while (from < w->row_count) {
		size_t to = firefox_end_of_view(w, from), end = to;
		uint32_t thread = w->rows[from].major;

		/* Ranks of bytes follow directly: see firefox_rank_views(). */
		if (to < w->row_count && w->rows[to].major == thread &&
		    firefox_view(w, firefox_cell(w, to))->unit == UNIT_BYTES &&
		    firefox_view(w, firefox_cell(w, from))->unit != UNIT_BYTES)
			end = firefox_end_of_view(w, to);
		put_track(w, from, to, end);
		from = end;
	}
	json_close_array(&w->json);
}

static void put_meta(struct firefox *w)
{
	const struct profile *p = w->profile;
	struct json *j = &w->json;
	double interval = (double)p->bucket_ns / MS_NS;

	json_add_object(j, "meta");
	json_add_double(j, "interval", p->bucket_ns ? interval : 1);
	json_add_double(j, "startTime",
			p->bucket_ns ? (double)p->bucket_first * interval : 0);
	json_add_uint(j, "preprocessedProfileVersion", VERSION);
	json_add_uint(j, "version", 24);
	json_add_uint(j, "processType", 0);
	json_add_uint(j, "stackwalk", 1);
	json_add_uint(j, "debug", 0);
	json_add_text(j, "product", w->options->title);
	json_add_text(j, "importedFrom", "sjkc " SJKC_VERSION);
	json_add_bool(j, "symbolicated", true);
	json_add_bool(j, "usesOnlyOneStackType", true);
	json_add_bool(j, "doesNotUseFrameImplementation", true);
	json_add_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_add_array(j, "categories");
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		json_open_object(j);
		json_add_text(j, "name", categories[i].name);
		json_add_text(j, "color", categories[i].color);
		json_add_array(j, "subcategories");
		json_text(j, "Other");
		json_close_array(j);
		json_close_object(j);
	}
	json_close_array(j);
	json_add_array(j, "markerSchema");
	json_close_array(j);
	put_empty_table(w, "extensions", "baseURL id name");
	json_close_object(j);
}

static void put_all(struct firefox *w)
{
	struct json *j = &w->json;
	static const char *const empty[] = { "libs", "pages", "counters",
					     "profilerOverhead" };

	*j = json_into(&w->text);
	json_open_object(j);
	put_meta(w);
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		json_add_array(j, empty[i]);
		json_close_array(j);
	}
	put_tracks(w);
	json_close_object(j);
	text_putc(&w->text, '\n');
	firefox_flush(w, 0);
}

/* The front view is first; views of bytes follow it, then the others. */
static void firefox_rank_views(struct firefox *w, size_t selected)
{
	uint32_t rank = 1;

	w->rank_of = xcalloc(w->view_count, sizeof(*w->rank_of));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < w->view_count; i++) {
			bool is_bytes = w->views[i].unit == UNIT_BYTES;

			if (i != selected && is_bytes == (round == 0))
				w->rank_of[i] = rank++;
		}
	}
}

/* Frames of one name may have several kinds; one of them is shown. */
static void firefox_set_kinds(struct firefox *w)
{
	const struct profile *p = w->profile;

	w->kinds = xcalloc(w->traces.table.label_count + 1, sizeof(*w->kinds));
	for (uint32_t id = 1; id < p->frame_count; id++) {
		uint32_t label = w->traces.table.label_of[id];

		if (label != NO_LABEL)
			w->kinds[label] = (uint8_t)firefox_category(
				p->frames[id].kind);
	}
}

void firefox_write(struct output *out, const struct profile *p,
		   const struct event_view *views, size_t view_count,
		   size_t selected, const struct firefox_options *options)
{
	struct firefox w = {
		.profile = p,
		.views = views,
		.view_count = view_count,
		.options = options,
		.view_of = views_of_events(p, views, view_count),
	};
	size_t places, labels;

	trace_tree_of_views(&w.traces, p, views, view_count, &options->style);
	places = w.traces.tree.count + 1;
	labels = w.traces.table.label_count + 1;
	w.stack_of = xcalloc(places, sizeof(*w.stack_of));
	w.stack_stamp = xcalloc(places, sizeof(*w.stack_stamp));
	w.frame_of = xcalloc(labels, sizeof(*w.frame_of));
	w.frame_stamp = xcalloc(labels, sizeof(*w.frame_stamp));
	firefox_set_kinds(&w);
	firefox_rank_views(&w, selected);
	firefox_sort_rows(&w);
	gzip_open(&w.zip, out);
	put_all(&w);
	gzip_close(&w.zip);
	trace_tree_release(&w.traces);
	text_release(&w.text);
	free(w.view_of);
	free(w.rank_of);
	free(w.kinds);
	free(w.rows);
	free(w.stack_of);
	free(w.stack_stamp);
	free(w.frame_of);
	free(w.frame_stamp);
	free(w.callers.values);
	free(w.stack_frames.values);
	free(w.frames.values);
	free(w.path.values);
}
