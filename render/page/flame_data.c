/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame_data.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/version.h"
#include "render/page/flame_cells.h"
#include "render/text/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that come before those of the events. */
enum {
	NAMES,
	FRAME_NAME,
	FRAME_KIND,
	FRAME_LINE,
	NODE_UP,
	NODE_FRAME,
	TREE_COLUMNS
};

#define MOST_SHARED 94 /* as one printable character from the blank on */

static void put_names(struct text *out, const struct frame_table *table)
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

static void put_frames(struct text *columns, const struct frame_table *table)
{
	uint32_t before = 0, lines = 0;

	for (size_t i = 0; i < table->label_count; i++) {
		const struct frame_label *l = &table->labels[i];

		text_varint(&columns[FRAME_NAME], l->name - before);
		text_putc(&columns[FRAME_KIND], (char)l->kind);
		text_varint(&columns[FRAME_LINE], l->line);
		before = l->name;
		lines |= l->line;
	}
	if (!lines)
		text_clear(&columns[FRAME_LINE]);
}

static void put_node_ups(struct text *column, const struct flame_tree *tree)
{
	uint32_t depth = UINT32_MAX; /* of node 0, which has no node before */

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_node *n = &tree->nodes[i];

		column_put(column, depth + 1 - n->depth);
		depth = n->depth;
	}
}

static size_t width_of_ids(size_t count)
{
	return count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4;
}

/* Numbers of one width shrink better here than varints, and are read as is. */
static void put_node_frames(struct text *column, const struct flame_tree *tree,
			    size_t width)
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

static void put_event(struct json *j, const struct flame_data *d, size_t index,
		      size_t cells)
{
	const struct event_view *v = &d->views[index];
	const struct profile *p = d->profile;
	char number[32];

	json_open_object(j);
	json_key(j, "name");
	json_text(j, v->name);
	json_key(j, "types");
	json_open_array(j);
	for (size_t i = 0; i < v->event_count; i++)
		json_text(j, profile_text(p, p->events[v->events[i]].name));
	json_close_array(j);
	json_key(j, "unit");
	json_text(j, unit_names[v->unit]);
	json_key(j, "samples");
	snprintf(number, sizeof(number), "%" PRIu64, v->samples);
	json_text(j, number);
	json_key(j, "without_stack");
	snprintf(number, sizeof(number), "%" PRIu64, v->without_stack);
	json_text(j, number);
	json_key(j, "weight");
	snprintf(number, sizeof(number), "%" PRIu64, v->weight);
	json_text(j, number);
	json_key(j, "cells");
	json_uint(j, cells);
	json_close_object(j);
}

static void put_flag(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

static void put_options(struct json *j, const struct flame_data *d)
{
	const struct flame_options *o = d->options;

	json_key(j, "selected");
	json_uint(j, d->selected);
	json_key(j, "measure");
	json_text(j, o->style.weights ? "weight" : "samples");
	json_key(j, "options");
	json_open_object(j);
	put_flag(j, "reverse", o->style.reverse);
	put_flag(j, "threads", o->style.threads);
	put_flag(j, "lines", o->style.lines);
	put_flag(j, "simple", o->style.simple);
	json_key(j, "min_width");
	json_double(j, d->result->below);
	json_close_object(j);
}

static void put_array(struct json *j, const char *key,
		      const char *const *strings, size_t count)
{
	json_key(j, key);
	json_open_array(j);
	for (size_t i = 0; i < count; i++)
		json_text(j, strings[i]);
	json_close_array(j);
}

static void put_safe(struct json *j, const char *key, const char *text)
{
	struct text safe = { 0 };

	safe_text(&safe, text, strlen(text));
	json_key(j, key);
	json_string(j, safe.bytes ? safe.bytes : "", safe.len);
	text_release(&safe);
}

static void put_thread(struct json *j, const struct profile *p, uint32_t id)
{
	const struct thread *t = &p->threads[id];

	json_open_object(j);
	put_safe(j, "name", id ? profile_text(p, t->name) : "no thread");
	json_key(j, "id");
	json_int(j, t->java_id);
	json_key(j, "tid");
	json_int(j, t->os_id);
	put_flag(j, "virtual", t->is_virtual);
	json_close_object(j);
}

static void put_time(struct json *j, const struct profile *p, bool has_times)
{
	json_key(j, "time");
	if (!has_times) {
		json_null(j);
		return;
	}
	json_open_object(j);
	json_key(j, "start_ms");
	json_double(j, (double)p->bucket_first * (double)p->bucket_ns / 1e6);
	json_key(j, "bucket_ms");
	json_double(j, (double)p->bucket_ns / 1e6);
	json_key(j, "buckets");
	json_int(j, p->bucket_last - p->bucket_first + 1);
	json_close_object(j);
}

static void put_notes(struct json *j, const struct profile *p)
{
	struct text note = { 0 };

	json_key(j, "notes");
	json_open_array(j);
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];

		text_clear(&note);
		remark_add_count(&note, r);
		text_putc(&note, ' ');
		safe_text(&note, r->what, strlen(r->what));
		if (*r->first) {
			text_puts(&note, ": ");
			safe_text(&note, r->first, strlen(r->first));
		}
		json_string(j, note.bytes, note.len);
	}
	json_close_array(j);
	text_release(&note);
}

static void put_counts(struct json *j, const struct flame_data *d,
		       const struct text *columns, size_t count)
{
	json_key(j, "elided");
	json_open_object(j);
	json_key(j, "nodes");
	json_uint(j, d->result->elided);
	json_key(j, "below");
	json_double(j, d->result->below);
	json_close_object(j);
	put_notes(j, d->profile);
	json_key(j, "names");
	json_uint(j, d->table->name_count);
	json_key(j, "frames");
	json_uint(j, d->table->label_count);
	json_key(j, "nodes");
	json_uint(j, d->tree->count);
	json_key(j, "columns");
	json_open_array(j);
	for (size_t i = 0; i < count; i++)
		json_uint(j, columns[i].len);
	json_close_array(j);
}

static void put_head(struct text *out, const struct flame_data *d,
		     const struct flame_cells *cells,
		     const struct text *columns, size_t count)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_key(&j, "schema");
	json_text(&j, "sjkc.flame/1");
	put_safe(&j, "title", d->options->title);
	put_safe(&j, "source", d->options->source);
	json_key(&j, "generator");
	json_text(&j, "sjkc " SJKC_VERSION);
	json_key(&j, "events");
	json_open_array(&j);
	for (size_t i = 0; i < d->view_count; i++)
		put_event(&j, d, i, cells->counts[i]);
	json_close_array(&j);
	put_options(&j, d);
	put_array(&j, "kinds", frame_kind_names, FRAME_KINDS);
	put_array(&j, "states", thread_state_names,
		  cells->has_states ? THREAD_STATES : 0);
	json_key(&j, "threads");
	json_open_array(&j);
	for (size_t i = 0; i < cells->thread_count; i++)
		put_thread(&j, d->profile, cells->threads[i]);
	json_close_array(&j);
	put_time(&j, d->profile, cells->has_times);
	put_counts(&j, d, columns, count);
	json_close_object(&j);
}

static void put_length(char *to, size_t len)
{
	for (size_t i = 0; i < 4; i++)
		to[i] = (char)(len >> 8 * i);
}

void flame_data(struct text *out, const struct flame_data *d)
{
	size_t count = TREE_COLUMNS + CELL_COLUMNS * d->view_count;
	struct text *columns = xcalloc(count, sizeof(*columns));
	size_t head = out->len;
	struct flame_cells cells;

	put_names(&columns[NAMES], d->table);
	put_frames(columns, d->table);
	put_node_ups(&columns[NODE_UP], d->tree);
	put_node_frames(&columns[NODE_FRAME], d->tree,
			width_of_ids(d->table->label_count));
	flame_cells_init(&cells, d);
	for (size_t i = 0; i < d->view_count; i++)
		flame_cells_put(&cells, i,
				columns + TREE_COLUMNS + CELL_COLUMNS * i);
	text_add(out, "\0\0\0", 4);
	put_head(out, d, &cells, columns, count);
	put_length(out->bytes + head, out->len - head - 4);
	for (size_t i = 0; i < count; i++) {
		text_add(out, columns[i].bytes, columns[i].len);
		text_release(&columns[i]);
	}
	flame_cells_release(&cells);
	free(columns);
}
