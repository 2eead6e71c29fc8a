/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the flame graph page: encodes the data block that PAGE.md describes
 * and fills the placeholders of the template.
 */
#include "render/page/flame.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/base/zip.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"
#include "core/threads/idle_stack.h"
#include "render/page/flame_moments.h"
#include "render/page/flame_summary.h"
#include "render/page/flame_sums.h"
#include "render/page/template.h"
#include "render/tree/flame_tree.h"
#include "render/tree/flame_widths.h"
#include "render/tree/frame_table.h"
#include "render/tree/sort.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* flame_data: the data block of the page; PAGE.md is its specification. */

/* The input of the data block; all borrowed. */
struct flame_data {
	const struct profile *profile;
	const struct event_view *views;
	size_t view_count;
	size_t selected;
	const struct flame_options *options;
	const struct frame_table *table;
	const struct flame_tree *tree;
	const struct flame_widths *widths;
	const struct flame_result *result;
	struct text *cells;   /* gets the block of cells of a large page */
	struct text *moments; /* gets the block of moments */
	bool *has_times;      /* gets whether cells have times */
};

/* flame_cells: the samples of the views as columns of the data block. */

/* Columns of an event, in the order of the data block. */
enum {
	CELL_NODE,
	CELL_THREAD,
	CELL_STATE,
	CELL_BUCKET,
	CELL_COUNT,
	CELL_WEIGHT,
	CELL_COLUMNS
};

struct flame_cells {
	const struct flame_data *data;
	uint32_t *threads; /* ids of the threads with samples */
	size_t thread_count;
	uint32_t *thread_index; /* by thread id: index into threads */
	bool has_states, has_times;
	bool *idle;     /* by cell of the profile; NULL: none is idle */
	size_t *counts; /* by view: number of cells of the page */
	/* The cells of each view: indices into the profile's cells. */
	uint32_t *members;
	size_t *ends; /* by view: end of its cells in members */
	/*
	 * By cell of the profile: 1 + the number of its cell on the page, over
	 * all views, or 0. NULL if the page has no moments.
	 */
	uint32_t *place_of;
	uint32_t places; /* number of cells so far */
	/* The columns of sums of a large page, SUM_COLUMNS of each view. */
	struct text *sums;
};

/* text_varint() with a fast path for small numbers. */
static inline void flame_column_put(struct text *column, uint64_t value)
{
	if (value < 0x80 && column->len + 1 < column->cap)
		column->bytes[column->len++] = (char)value;
	else
		text_varint(column, value);
}

/* The sort key of a cell within its node: thread, state, bucket. */
#define BUCKET_BITS  9 /* 1 + PROFILE_BUCKETS */
#define STATE_BITS   3
#define THREAD_SHIFT (STATE_BITS + BUCKET_BITS)

_Static_assert(PROFILE_BUCKETS < 1 << BUCKET_BITS, "a bucket must fit");
/* The page has one state more: idle. */
_Static_assert(THREAD_STATES < 1 << STATE_BITS, "a state must fit");

/* Distributes the cells to their views. */
static void flame_cells_group(struct flame_cells *cells)
{
	const struct flame_data *d = cells->data;
	const struct profile *p = d->profile;
	uint32_t *view_of = views_of_events(p, d->views, d->view_count);
	size_t *count_of = xcalloc(p->event_count, sizeof(*count_of));
	size_t start = 0;

	for (size_t i = 0; i < p->cell_count; i++)
		count_of[p->cells[i].event]++;
	for (size_t i = 0; i < d->view_count; i++) {
		cells->ends[i] = start;
		for (size_t k = 0; k < d->views[i].event_count; k++)
			start += count_of[d->views[i].events[k]];
	}
	cells->members = xmalloc(start * sizeof(*cells->members));
	for (size_t i = 0; i < p->cell_count; i++) {
		uint32_t view = view_of[p->cells[i].event];

		if (view)
			cells->members[cells->ends[view - 1]++] = (uint32_t)i;
	}
	free(count_of);
	free(view_of);
}

/* Finds the samples of idle threads, which belong to views with waits. */
static void flame_cells_find_idle(struct flame_cells *cells)
{
	const struct flame_data *d = cells->data;

	for (size_t i = 0; i < d->view_count; i++) {
		bool *idle = idle_cells(d->profile, &d->views[i]);

		for (size_t k = 0;
		     idle && cells->idle && k < d->profile->cell_count; k++)
			idle[k] |= cells->idle[k];
		if (!idle)
			continue;
		free(cells->idle);
		cells->idle = idle;
	}
	cells->has_states |= cells->idle != NULL;
}

/* Finds the threads of all views, and whether cells have states and times. */
static void flame_cells_scan(struct flame_cells *cells)
{
	const struct flame_data *d = cells->data;
	const struct profile *p = d->profile;
	uint32_t *view_of = views_of_events(p, d->views, d->view_count);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!view_of[c->event])
			continue;
		cells->thread_index[c->thread] = 1;
		cells->has_states |= c->state != STATE_NONE;
		cells->has_times |= c->bucket != 0;
	}
	free(view_of);
}

/* Finds the cells, threads, states and times of all views. */
static void flame_cells_init(struct flame_cells *cells,
			     const struct flame_data *data)
{
	size_t count = data->profile->thread_count;

	*cells = (struct flame_cells){ .data = data };
	cells->counts = xcalloc(data->view_count, sizeof(*cells->counts));
	cells->ends = xcalloc(data->view_count, sizeof(*cells->ends));
	cells->thread_index = xcalloc(count, sizeof(*cells->thread_index));
	flame_cells_group(cells);
	if (data->options->no_threads)
		return;
	if (flame_moments_are_useful(data->profile))
		cells->place_of = array_new(data->profile->cell_count,
					    sizeof(*cells->place_of));
	flame_cells_scan(cells);
	/* The cells of a comparison are joined: they have no idle threads. */
	if (!data->options->comparison)
		flame_cells_find_idle(cells);
	cells->threads = xmalloc(count * sizeof(*cells->threads));
	for (uint32_t id = 0; id < count; id++) {
		if (!cells->thread_index[id])
			continue;
		cells->thread_index[id] = (uint32_t)cells->thread_count;
		cells->threads[cells->thread_count++] = id;
	}
	/* Thread 0 alone: no sample has a thread. */
	if (cells->thread_count == 1 && cells->threads[0] == 0)
		cells->thread_count = 0;
}

static void flame_cells_release(struct flame_cells *cells)
{
	free(cells->threads);
	free(cells->thread_index);
	free(cells->counts);
	free(cells->members);
	free(cells->ends);
	free(cells->place_of);
	free(cells->idle);
	*cells = (struct flame_cells){ 0 };
}

/* Returns the sort key of a cell within its node. */
static uint64_t flame_cell_sort_key(const struct flame_cells *cells,
				    uint32_t cell)
{
	const struct cell *c = &cells->data->profile->cells[cell];
	uint64_t state = cells->idle && cells->idle[cell] ? THREAD_STATES
							  : c->state;

	if (cells->data->options->no_threads)
		return 0;
	return (uint64_t)cells->thread_index[c->thread] << THREAD_SHIFT |
	       state << BUCKET_BITS | c->bucket;
}

/*
 * Returns 1 + the place of each of `count` cells of a view, 0 without a stack
 * trace; adds the number of cells at each place to ends[]. The caller frees the
 * array.
 */
static uint32_t *flame_cell_places(const struct flame_cells *cells,
				   const uint32_t *members, size_t count,
				   uint32_t *ends)
{
	const struct flame_data *d = cells->data;
	const struct cell *all = d->profile->cells;
	const uint32_t *place_of = d->tree->place_of;
	uint32_t *places = xmalloc(count * sizeof(*places));

	for (size_t i = 0; i < count; i++) {
		const uint32_t *m = &members[i];
		uint32_t place;

		if (i + 2L * AHEAD < count)
			__builtin_prefetch(&all[m[2L * AHEAD]].stack);
		if (i + AHEAD < count)
			__builtin_prefetch(
				&d->widths->starts[all[m[AHEAD]].stack / 64]);
		place = place_of[flame_widths_node(d->widths, all[*m].stack)];
		ends[place]++;
		places[i] = place;
	}
	return places;
}

/*
 * The item of a row is the cell's count if its weight is the same, which saves
 * a random memory access per cell; otherwise the index of the cell, which is
 * below 2^31, as more cells do not fit in memory.
 */
#define ITEM_IS_COUNT ((uint32_t)1 << 31)

static uint32_t flame_cell_item(const struct flame_cells *cells, size_t cell)
{
	const struct cell *c = &cells->data->profile->cells[cell];

	if (!cells->place_of && c->count == c->weight &&
	    c->count < ITEM_IS_COUNT)
		return ITEM_IS_COUNT | (uint32_t)c->count;
	return (uint32_t)cell;
}

/* Sorts the rows of a place by minor; most places have few rows. */
static void flame_sort_by_minor(struct row *rows, size_t count)
{
	if (count > 32) {
		row_sort(rows, count);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct row r = rows[i];
		size_t at = i;

		for (; at > 0 && rows[at - 1].minor > r.minor; at--)
			rows[at] = rows[at - 1];
		rows[at] = r;
	}
}

/*
 * Returns a row per cell of a view in the order of the columns: distributed by
 * place, then sorted within each place. The caller frees the array.
 */
static struct row *flame_cell_rows(const struct flame_cells *cells, size_t view,
				   size_t *count)
{
	size_t first = view ? cells->ends[view - 1] : 0;
	const uint32_t *members = cells->members + first;
	size_t n = cells->ends[view] - first;
	size_t places_count = cells->data->tree->count + 1;
	uint32_t *ends = array_new(places_count, sizeof(*ends));
	uint32_t *places = flame_cell_places(cells, members, n, ends);
	struct row *rows = xmalloc(n * sizeof(*rows));
	uint32_t start = 0;

	/* ends[] holds the start of each place's rows, after the loop the end.
	 */
	for (size_t i = 0; i < places_count; i++) {
		uint32_t here = ends[i];

		ends[i] = start;
		start += here;
	}
	for (size_t i = 0; i < n; i++) {
		if (i + 2L * AHEAD < n)
			__builtin_prefetch(&ends[places[i + 2L * AHEAD]], 1);
		if (i + AHEAD < n)
			__builtin_prefetch(&rows[ends[places[i + AHEAD]]], 1);
		rows[ends[places[i]]++] = (struct row){
			flame_cell_sort_key(cells, members[i]), places[i],
			flame_cell_item(cells, members[i])
		};
	}
	for (size_t i = 0; i < places_count; i++) {
		start = i ? ends[i - 1] : 0;
		flame_sort_by_minor(rows + start, ends[i] - start);
	}
	free(places);
	free(ends);
	*count = n;
	return rows;
}

/* The sums of a cell of the page: of rows with the same key. */
struct sums {
	uint64_t count, weight;
};

static inline void flame_add_item(struct sums *sums, const struct cell *all,
				  uint32_t item)
{
	uint64_t count = item & ~ITEM_IS_COUNT;
	uint64_t weight = count;

	if (!(item & ITEM_IS_COUNT)) {
		count = all[item].count;
		weight = all[item].weight;
	}
	sums->count = saturate_add(sums->count, count);
	sums->weight = saturate_add(sums->weight, weight);
}

static struct flame_sum_cell flame_sum_cell(const struct flame_cells *cells,
					    const struct row *r,
					    const struct sums *sums)
{
	uint64_t minor = r->minor;
	struct flame_sum_cell cell = {
		.node = r->major,
		.state = minor >> BUCKET_BITS & ((1 << STATE_BITS) - 1),
		.bucket = minor & ((1 << BUCKET_BITS) - 1),
		.sum = { sums->count, sums->weight },
	};

	if (cells->thread_count)
		cell.thread = (uint32_t)(minor >> THREAD_SHIFT);
	return cell;
}

static void flame_put_row(const struct flame_cells *cells, const struct row *r,
			  uint32_t before, const struct sums *sums,
			  struct text *columns)
{
	uint64_t minor = r->minor;

	flame_column_put(&columns[CELL_NODE], r->major - before);
	if (cells->thread_count)
		flame_column_put(&columns[CELL_THREAD], minor >> THREAD_SHIFT);
	if (cells->has_states)
		flame_column_put(&columns[CELL_STATE],
				 minor >> BUCKET_BITS &
					 ((1 << STATE_BITS) - 1));
	if (cells->has_times)
		flame_column_put(&columns[CELL_BUCKET],
				 minor & ((1 << BUCKET_BITS) - 1));
	flame_column_put(&columns[CELL_COUNT], sums->count);
	flame_column_put(&columns[CELL_WEIGHT], sums->weight);
}

/* Appends the cells of a view to its CELL_COLUMNS columns. */
static void flame_cells_put(struct flame_cells *cells, size_t view,
			    struct text *columns)
{
	const struct flame_data *d = cells->data;
	const struct cell *all = d->profile->cells;
	struct sums sums = { 0 };
	struct flame_sums all_sums = { 0 };
	uint32_t before = 0;
	bool weighs = false;
	size_t count;
	struct row *rows = flame_cell_rows(cells, view, &count);

	if (cells->sums)
		flame_sums_init(&all_sums, cells->sums + SUM_COLUMNS * view,
				cells->thread_count);

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];

		if (i + AHEAD < count && !(r[AHEAD].item & ITEM_IS_COUNT))
			__builtin_prefetch(&all[r[AHEAD].item].weight);
		flame_add_item(&sums, all, r->item);
		if (cells->place_of)
			cells->place_of[r->item] = cells->places + 1;
		if (i + 1 < count && r[1].major == r->major &&
		    r[1].minor == r->minor)
			continue;
		flame_put_row(cells, r, before, &sums, columns);
		if (cells->sums)
			flame_sums_add(&all_sums,
				       flame_sum_cell(cells, r, &sums));
		weighs |= sums.count != sums.weight;
		before = r->major;
		sums = (struct sums){ 0 };
		cells->counts[view]++;
		cells->places++;
	}
	if (!weighs)
		text_clear(&columns[CELL_WEIGHT]);
	if (cells->sums)
		flame_sums_end(&all_sums);
	free(rows);
}

/* The columns before those of the events. */
enum {
	TREE_NAMES,
	TREE_FRAME_NAME,
	TREE_FRAME_KIND,
	TREE_FRAME_LINE,
	TREE_NODE_UP,
	TREE_NODE_FRAME,
	TREE_COLUMNS
};

#define MOST_SHARED 94 /* one printable character from U+0020 on */

static void flame_put_names(struct text *out, const struct frame_table *table)
{
	for (size_t i = 0; i < table->name_count; i++) {
		const struct label_name *n = &table->names[i];
		size_t shared = 0;

		while (shared < n->shared && shared < MOST_SHARED &&
		       (uint8_t)n->text[shared] < 0x80)
			shared++;
		text_putc(out, (char)(0x20 + shared));
		text_add(out, n->text + shared, n->len - shared);
		text_putc(out, '\n');
	}
}

static void flame_put_frames(struct text *columns,
			     const struct frame_table *table)
{
	uint32_t before = 0, lines = 0;

	for (size_t i = 0; i < table->label_count; i++) {
		const struct frame_label *l = &table->labels[i];

		text_varint(&columns[TREE_FRAME_NAME], l->name - before);
		text_putc(&columns[TREE_FRAME_KIND], (char)l->kind);
		text_varint(&columns[TREE_FRAME_LINE], l->line);
		before = l->name;
		lines |= l->line;
	}
	if (!lines)
		text_clear(&columns[TREE_FRAME_LINE]);
}

static void flame_put_node_ups(struct text *column,
			       const struct flame_tree *tree)
{
	uint32_t depth = UINT32_MAX; /* -1: node 0 is at depth 0 */

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_node *n = &tree->nodes[i];

		flame_column_put(column, depth + 1 - n->depth);
		depth = n->depth;
	}
}

static size_t flame_width_of_ids(size_t count)
{
	return count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4;
}

/* Fixed-width ids compress better than varints and need no decoding. */
static void flame_put_node_frames(struct text *column,
				  const struct flame_tree *tree, size_t width)
{
	char chunk[4096];
	size_t used = 0;

	for (size_t i = 0; i < tree->count; i++) {
		for (size_t b = 0; b < width; b++)
			chunk[used++] = (char)(tree->nodes[i].label >> 8 * b);
		if (used + width > sizeof(chunk)) {
			text_add(column, chunk, used);
			used = 0;
		}
	}
	text_add(column, chunk, used);
}

static void flame_put_event(struct json *j, const struct flame_data *d,
			    size_t index, size_t cells)
{
	const struct event_view *v = &d->views[index];
	const struct profile *p = d->profile;
	char number[32];

	json_open_object(j);
	json_add_text(j, "name", v->name);
	json_add_array(j, "types");
	for (size_t i = 0; i < v->event_count; i++)
		json_text(j, profile_text(p, p->events[v->events[i]].name));
	json_close_array(j);
	json_add_text(j, "unit", unit_names[v->unit]);
	json_key(j, "samples");
	snprintf(number, sizeof(number), "%" PRIu64, v->samples);
	json_text(j, number);
	json_key(j, "without_stack");
	snprintf(number, sizeof(number), "%" PRIu64, v->without_stack);
	json_text(j, number);
	json_key(j, "weight");
	snprintf(number, sizeof(number), "%" PRIu64, v->weight);
	json_text(j, number);
	json_add_uint(j, "cells", cells);
	json_close_object(j);
}

static void flame_put_options(struct json *j, const struct flame_data *d)
{
	const struct flame_options *o = d->options;

	json_add_uint(j, "selected", d->selected);
	json_add_text(j, "measure", o->style.weights ? "weight" : "samples");
	json_add_object(j, "options");
	json_add_bool(j, "reverse", o->style.reverse);
	json_add_bool(j, "threads", o->style.threads);
	json_add_bool(j, "lines", o->style.lines);
	json_add_bool(j, "simple", o->style.simple);
	json_add_double(j, "min_width", d->result->below);
	json_close_object(j);
}

static void flame_put_array(struct json *j, const char *key,
			    const char *const *strings, size_t count)
{
	json_add_array(j, key);
	for (size_t i = 0; i < count; i++)
		json_text(j, strings[i]);
	json_close_array(j);
}

static void flame_put_safe(struct json *j, const char *key, const char *text)
{
	struct text safe = { 0 };

	safe_text_puts(&safe, text);
	json_add_string(j, key, safe.bytes ? safe.bytes : "", safe.len);
	text_release(&safe);
}

static void flame_put_thread(struct json *j, const struct profile *p,
			     uint32_t id)
{
	const struct thread *t = &p->threads[id];

	json_open_object(j);
	flame_put_safe(j, "name", id ? profile_text(p, t->name) : "no thread");
	json_add_int(j, "id", t->java_id);
	json_add_int(j, "tid", t->os_id);
	json_add_bool(j, "virtual", t->is_virtual);
	json_close_object(j);
}

/*
 * The period that was recorded, unless parts of it were left out: samples of an
 * idle program do not cover it.
 */
static void flame_put_period(struct json *j, const struct profile *p)
{
	int64_t from_ns = p->earliest_ns, to_ns = p->latest_ns;

	if (p->outside && p->from_ns == INT64_MIN && p->to_ns == INT64_MAX)
		return;
	if (from_ns < p->from_ns)
		from_ns = p->from_ns;
	if (to_ns > p->to_ns)
		to_ns = p->to_ns;
	json_add_double(j, "from_ms", (double)from_ns / 1e6);
	json_add_double(j, "to_ms", (double)to_ns / 1e6);
}

static void flame_put_time(struct json *j, const struct profile *p,
			   bool has_times)
{
	json_key(j, "time");
	if (!has_times) {
		json_null(j);
		return;
	}
	json_open_object(j);
	json_add_double(j, "start_ms",
			(double)p->bucket_first * (double)p->bucket_ns / 1e6);
	json_add_double(j, "bucket_ms", (double)p->bucket_ns / 1e6);
	json_add_int(j, "buckets", p->bucket_last - p->bucket_first + 1);
	flame_put_period(j, p);
	json_close_object(j);
}

static void flame_put_notes(struct json *j, const struct profile *p)
{
	struct text note = { 0 };

	json_add_array(j, "notes");
	for (size_t i = 0; i < p->remark_count; i++) {
		text_clear(&note);
		flame_remark(&note, &p->remarks[i]);
		json_string(j, note.bytes, note.len);
	}
	json_close_array(j);
	text_release(&note);
}

static void flame_put_lengths(struct json *j, const char *key,
			      const struct text *columns, size_t count)
{
	json_add_array(j, key);
	for (size_t i = 0; i < count; i++)
		json_uint(j, columns[i].len);
	json_close_array(j);
}

static void flame_put_counts(struct json *j, const struct flame_data *d,
			     const struct text *columns, size_t count)
{
	json_add_object(j, "elided");
	json_add_uint(j, "nodes", d->result->elided);
	json_add_double(j, "below", d->result->below);
	json_close_object(j);
	flame_put_notes(j, d->profile);
	json_add_uint(j, "names", d->table->name_count);
	json_add_uint(j, "frames", d->table->label_count);
	json_add_uint(j, "nodes", d->tree->count);
	flame_put_lengths(j, "columns", columns, count);
}

static void flame_put_lines(struct json *j, const char *key,
			    const struct text *lines)
{
	const char *at = lines->len ? lines->bytes : "";

	json_add_array(j, key);
	while (*at) {
		size_t len = strcspn(at, "\n");

		json_string(j, at, len);
		at += len + (at[len] == '\n');
	}
	json_close_array(j);
}

static void flame_put_comparison(struct json *j, const struct flame_data *d)
{
	const struct flame_comparison *c = d->options->comparison;

	if (!c)
		return;
	json_add_object(j, "comparison");
	flame_put_safe(j, "before", c->names[0]);
	flame_put_safe(j, "after", c->names[1]);
	json_add_array(j, "pairs");
	for (size_t i = 0; i < d->view_count / 2; i++) {
		json_open_object(j);
		json_add_text(j, "base", c->bases[i]);
		json_add_double(j, "weight_scale", c->weight_scales[i]);
		json_add_double(j, "sample_scale", c->sample_scales[i]);
		flame_put_lines(j, "changed_selfs", &c->changed_selfs[i]);
		flame_put_lines(j, "changed_totals", &c->changed_totals[i]);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static void flame_put_states(struct json *j, const struct flame_cells *cells)
{
	json_add_array(j, "states");
	for (size_t i = 0; cells->has_states && i < THREAD_STATES; i++)
		json_text(j, thread_state_names[i]);
	if (cells->idle)
		json_text(j, "idle");
	json_close_array(j);
}

/* The columns of the data block and, if it has sums, of the block of cells. */
struct flame_columns {
	struct text *data, *cells;
	size_t data_count, cells_count;
};

static void flame_put_head(struct text *out, const struct flame_data *d,
			   const struct flame_cells *cells,
			   const struct flame_moments *moments,
			   const struct flame_columns *columns)
{
	struct json j = json_document(out, "sjkc.flame/1");

	flame_put_safe(&j, "title", d->options->title);
	flame_put_safe(&j, "source", d->options->source);
	json_add_text(&j, "generator", "sjkc " SJKC_VERSION);
	json_add_array(&j, "events");
	for (size_t i = 0; i < d->view_count; i++)
		flame_put_event(&j, d, i, cells->counts[i]);
	json_close_array(&j);
	flame_put_options(&j, d);
	flame_put_array(&j, "kinds", frame_kind_names, FRAME_KINDS);
	flame_put_states(&j, cells);
	json_add_array(&j, "threads");
	for (size_t i = 0; i < cells->thread_count; i++)
		flame_put_thread(&j, d->profile, cells->threads[i]);
	json_close_array(&j);
	flame_put_time(&j, d->profile, cells->has_times);
	if (cells->place_of) {
		json_key(&j, "moments");
		flame_moments_put_head(moments, &j);
	}
	flame_put_comparison(&j, d);
	if (cells->sums)
		flame_put_lengths(&j, "cell_columns", columns->cells,
				  columns->cells_count);
	flame_put_counts(&j, d, columns->data, columns->data_count);
	json_close_object(&j);
}

/* Appends columns and releases them. */
static void flame_put_columns(struct text *out, struct text *columns,
			      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		text_add(out, columns[i].bytes, columns[i].len);
		text_release(&columns[i]);
	}
	free(columns);
}

/*
 * Allocates the columns. The cells of a large page are in a block of their own;
 * the data block has sums instead.
 */
static struct flame_columns flame_columns(const struct flame_data *d)
{
	struct flame_columns c = { .cells_count = CELL_COLUMNS * d->view_count,
				   .data_count = TREE_COLUMNS };
	bool has_sums = !d->options->comparison && !d->options->no_threads &&
			flame_sums_are_useful(d->profile);

	c.data_count += has_sums ? SUM_COLUMNS * d->view_count : c.cells_count;
	c.data = xcalloc(c.data_count, sizeof(*c.data));
	if (has_sums)
		c.cells = array_new(c.cells_count, sizeof(*c.cells));
	return c;
}

/* Appends the uncompressed blocks. */
static void flame_data(struct text *out, const struct flame_data *d)
{
	struct flame_columns columns = flame_columns(d);
	struct text *after_tree = columns.data + TREE_COLUMNS;
	size_t head = out->len;
	struct flame_moments moments = { 0 };
	struct flame_cells cells;

	flame_put_names(&columns.data[TREE_NAMES], d->table);
	flame_put_frames(columns.data, d->table);
	flame_put_node_ups(&columns.data[TREE_NODE_UP], d->tree);
	flame_put_node_frames(&columns.data[TREE_NODE_FRAME], d->tree,
			      flame_width_of_ids(d->table->label_count));
	flame_cells_init(&cells, d);
	cells.sums = columns.cells ? after_tree : NULL;
	for (size_t i = 0; i < d->view_count; i++)
		flame_cells_put(&cells, i,
				(cells.sums ? columns.cells : after_tree) +
					CELL_COLUMNS * i);
	if (cells.place_of)
		flame_moments_init(&moments, d->profile, cells.place_of,
				   cells.counts, d->view_count, cells.sums);
	flame_moments_put_block(&moments, d->moments);
	*d->has_times = cells.has_times;
	text_add(out, "\0\0\0", 4);
	flame_put_head(out, d, &cells, &moments, &columns);
	for (size_t i = 0; i < 4; i++)
		out->bytes[head + i] = (char)((out->len - head - 4) >> 8 * i);
	flame_put_columns(out, columns.data, columns.data_count);
	if (columns.cells)
		flame_put_columns(d->cells, columns.cells, columns.cells_count);
	flame_cells_release(&cells);
	flame_moments_release(&moments);
}

/* The template, linked into the binary; build/flame_page.html. */
extern const char flame_page_start[], flame_page_end[];

/* Adds the views, the selected one last: flame_summary() needs its totals. */
static void flame_add_views(struct flame_widths *w, const struct flame_data *d)
{
	for (size_t i = 0; i < d->view_count; i++) {
		if (i != d->selected)
			flame_widths_add(w, &d->views[i],
					 d->options->style.weights);
	}
	if (d->selected < d->view_count)
		flame_widths_add(w, &d->views[d->selected],
				 d->options->style.weights);
}

/* Names the frames of a draft and builds the tree. */
static void flame_page_arrange(struct flame_data *d, struct draft *draft,
			       struct frame_table *table,
			       struct flame_tree *tree)
{
	static const struct frame_naming naming = { 0 };
	uint8_t *used = xcalloc(d->profile->frame_count + 1, 1);

	draft_frames(draft, used);
	frame_table_init(table, d->profile, used, &naming);
	free(used);
	flame_tree_init(tree, draft, table->label_of, table->label_count);
	d->table = table;
	d->tree = tree;
}

static struct flame_result flame_fill_page(struct page_texts *page,
					   const struct profile *p,
					   struct flame_data *d)
{
	const struct flame_options *options = d->options;
	struct flame_result result = { 0 };
	struct text block = { 0 }, cells = { 0 }, moments = { 0 };
	struct flame_widths widths;
	struct frame_table table;
	struct flame_tree tree;
	struct draft draft;

	flame_html(&page->title, options->title, strlen(options->title));
	flame_widths_init(&widths, p);
	flame_add_views(&widths, d);
	if (options->min_width < 0)
		flame_widths_fit(&widths, FLAME_NODES);
	else
		flame_widths_cut(&widths, options->min_width / 100);
	flame_summary(&page->summary, &widths, d->views, d->view_count,
		      d->selected, options->title, options->style.weights);
	draft_init(&draft);
	result.elided = flame_widths_draft(&widths, &draft);
	if (result.elided)
		result.below = 100 * (double)widths.least;
	flame_page_arrange(d, &draft, &table, &tree);
	result.nodes = tree.count;
	d->widths = &widths;
	d->result = &result;
	d->cells = &cells;
	d->moments = &moments;
	d->has_times = &page->has_times;
	flame_data(&block, d);
	/* d must not point to local variables. */
	d->table = NULL;
	d->tree = NULL;
	d->widths = NULL;
	d->result = NULL;
	d->cells = NULL;
	d->moments = NULL;
	d->has_times = NULL;
	flame_widths_release(&widths);
	flame_tree_release(&tree);
	frame_table_release(&table);
	draft_release(&draft);
	deflate_raw(&page->data, block.bytes, block.len);
	text_release(&block);
	if (cells.len)
		deflate_raw(&page->cells, cells.bytes, cells.len);
	text_release(&cells);
	if (moments.len)
		deflate_raw(&page->moments, moments.bytes, moments.len);
	text_release(&moments);
	return result;
}

struct flame_result flame_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct flame_options *options)
{
	struct page_texts page = { 0 };
	struct flame_result result;
	struct flame_data data = {
		.profile = p,
		.views = views,
		.view_count = view_count,
		.selected = selected,
		.options = options,
	};

	result = flame_fill_page(&page, p, &data);
	page_write(out, flame_page_start, flame_page_end, &page);
	page_texts_release(&page);
	return result;
}
