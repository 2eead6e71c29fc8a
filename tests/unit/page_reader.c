/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/page_reader.h"

#include "core/base/alloc.h"
#include "core/profile/frame_name.h"
#include "tests/unit/sampled.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

struct writing {
	const struct profile *profile;
	const struct event_view *views;
	size_t view_count, selected;
	const struct flame_options *options;
	struct flame_result result;
};

static void write_page(struct output *out, void *self)
{
	struct writing *w = self;

	w->result = flame_write(out, w->profile, w->views, w->view_count,
				w->selected, w->options);
}

static int digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij"
				     "klmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Decodes the line of base64 in the element that starts like `tag`. */
static struct text data_of(const struct text *html, const char *tag)
{
	const char *at = strstr(html->bytes, tag);
	struct text data = { 0 };
	uint32_t bits = 0;
	int have = 0;

	assert_non_null(at);
	at = strchr(at, '\n');
	assert_non_null(at);
	for (at++; digit_of(*at) >= 0; at++) {
		bits = bits << 6 | (uint32_t)digit_of(*at);
		have += 6;
		if (have >= 8) {
			have -= 8;
			text_putc(&data, (char)(bits >> have));
		}
	}
	while (*at == '=')
		at++;
	assert_int_equal(*at, '\n');
	return data;
}

static uint8_t *inflated(const struct text *data, size_t *len)
{
	size_t room = (size_t)256 << 20;
	uint8_t *bytes = xmalloc(room);
	z_stream z = {
		.next_in = (void *)data->bytes,
		.avail_in = (uInt)data->len,
		.next_out = bytes,
		.avail_out = (uInt)room,
	};

	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	*len = z.total_out;
	inflateEnd(&z);
	return xrealloc(bytes, *len, 1);
}

/* The state of reading a column. */
struct column {
	const uint8_t *at, *end;
};

static uint64_t number(struct column *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		assert_true(c->at < c->end && shift < 70);
		byte = *c->at++;
		value |= (uint64_t)(byte & 0x7f) << (shift & 63);
		shift += 7;
	} while (byte & 0x80);
	return value;
}

/*
 * Returns all numbers of a column, which has exactly count; NULL if it is
 * empty.
 */
static uint64_t *numbers(struct column c, size_t count, bool may_be_empty)
{
	uint64_t *all;

	if (c.at == c.end && may_be_empty)
		return NULL;
	all = xcalloc(count, sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[i] = number(&c);
	assert_true(c.at == c.end);
	return all;
}

/* Returns a column of ids below `below`, which have one width. */
static uint64_t *ids(struct column c, size_t count, size_t below)
{
	size_t width = below <= 256 ? 1 : below <= 65536 ? 2 : 4;
	uint64_t *all = xcalloc(count, sizeof(*all));

	assert_int_equal(c.end - c.at, count * width);
	for (size_t i = 0; i < count; i++)
		for (size_t b = 0; b < width; b++)
			all[i] |= (uint64_t)*c.at++ << 8 * b;
	return all;
}

static void add_up(uint64_t *all, size_t count)
{
	for (size_t i = 1; i < count; i++)
		all[i] += all[i - 1];
}

static size_t size_in(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	assert_true(cJSON_IsNumber(item));
	return (size_t)item->valuedouble;
}

static void read_names(struct page *page, struct column c)
{
	char *before = xstrdup("");

	page->name_count = size_in(page->head, "names");
	page->names = xcalloc(page->name_count, sizeof(*page->names));
	for (size_t i = 0; i < page->name_count; i++) {
		const uint8_t *lf = memchr(c.at, '\n', (size_t)(c.end - c.at));
		size_t shared = *c.at - 0x20u;
		struct text name = { 0 };

		assert_non_null(lf);
		assert_true(shared <= 94 && shared <= strlen(before));
		text_add(&name, before, shared);
		text_add(&name, c.at + 1, (size_t)(lf - c.at - 1));
		assert_true(i == 0 || strcmp(before, name.bytes) < 0);
		for (size_t k = 0; k < name.len; k++)
			assert_true((uint8_t)name.bytes[k] >= 0x20);
		for (size_t k = 0; k < shared; k++)
			assert_true((uint8_t)name.bytes[k] < 0x80);
		free(before);
		before = xstrdup(name.bytes);
		page->names[i] = name.bytes;
		c.at = lf + 1;
	}
	assert_true(c.at == c.end);
	free(before);
}

static void read_frames(struct page *page, const struct column *columns)
{
	size_t count = size_in(page->head, "frames");

	page->frame_count = count;
	page->frame_name = numbers(columns[1], count, false);
	add_up(page->frame_name, count);
	assert_int_equal(columns[2].end - columns[2].at, count);
	page->frame_kind = xcalloc(count, 1);
	memcpy(page->frame_kind, columns[2].at, count);
	page->frame_line = numbers(columns[3], count, true);
	for (size_t i = 0; i < count; i++)
		assert_true(page->frame_name[i] < page->name_count &&
			    page->frame_kind[i] < FRAME_KINDS);
}

static void read_nodes(struct page *page, const struct column *columns)
{
	size_t count = size_in(page->head, "nodes");
	uint64_t *up = numbers(columns[4], count, false);
	size_t at = 0; /* the node that was entered last, + 1 */

	page->node_count = count;
	page->node_frame = ids(columns[5], count, page->frame_count);
	page->node_caller = xcalloc(count, sizeof(*page->node_caller));
	for (size_t i = 0; i < count; i++) {
		for (; up[i]; up[i]--) {
			assert_true(at > 0);
			at = page->node_caller[at - 1];
		}
		assert_true(page->node_frame[i] < page->frame_count);
		page->node_caller[i] = at;
		at = i + 1;
	}
	free(up);
}

static void read_event(struct page *page, size_t index,
		       const struct column *columns)
{
	const cJSON *events = cJSON_GetObjectItemCaseSensitive(page->head,
							       "events");
	struct page_event *e = &page->events[index];
	size_t count = size_in(cJSON_GetArrayItem(events, (int)index), "cells");

	e->cells = count;
	e->node = numbers(columns[0], count, false);
	add_up(e->node, count);
	e->thread = numbers(columns[1], count, true);
	e->state = numbers(columns[2], count, true);
	e->bucket = numbers(columns[3], count, true);
	e->count = numbers(columns[4], count, false);
	e->weight = numbers(columns[5], count, true);
	for (size_t i = 0; i < count; i++)
		assert_true(e->node[i] <= page->node_count);
}

/* Finds the columns whose lengths are the array `key`; they end at `end`. */
static struct column *columns_of(const struct page *page, const char *key,
				 const uint8_t *at, const uint8_t *end,
				 size_t expected)
{
	const cJSON *lens = cJSON_GetObjectItemCaseSensitive(page->head, key);
	struct column *columns = xcalloc(expected, sizeof(*columns));
	const cJSON *item;
	size_t count = 0;

	assert_int_equal(cJSON_GetArraySize(lens), expected);
	cJSON_ArrayForEach(item, lens)
	{
		size_t bytes = (size_t)item->valuedouble;

		assert_true(bytes <= (size_t)(end - at));
		columns[count++] = (struct column){ at, at + bytes };
		at += bytes;
	}
	assert_ptr_equal(at, end);
	return columns;
}

/* Checks a column of sums of `values` by key; the column may be empty. */
static void check_sums(const struct column *column, const uint64_t *keys,
		       const uint64_t *values, size_t cells, size_t keys_max)
{
	uint64_t *sums = xcalloc(keys_max, sizeof(*sums));
	uint64_t *written = numbers(*column, keys_max, true);

	for (size_t i = 0; i < cells; i++) {
		size_t key = keys ? keys[i] : 0;

		assert_true(key < keys_max);
		sums[key] += values[i];
	}
	for (size_t k = 0; written && k < keys_max; k++)
		assert_int_equal(sums[k], written[k]);
	free(sums);
	free(written);
}

static size_t numbers_in(struct column column)
{
	size_t count = 0;

	for (; column.at < column.end; column.at++)
		count += *column.at < 0x80;
	return count;
}

/* Checks the sums of an event of a large page against its cells. */
static void check_event_sums(const struct page_event *e,
			     const struct column *columns, size_t threads)
{
	const uint64_t *weight = e->weight ? e->weight : e->count;
	size_t nodes = numbers_in(columns[0]), at = 0;
	uint64_t *node = numbers(columns[0], nodes, false);
	uint64_t *counts = numbers(columns[1], nodes, false);
	uint64_t *weights = numbers(columns[2], nodes, false);

	add_up(node, nodes);
	for (size_t i = 0; i < nodes; i++) {
		for (; at < e->cells && e->node[at] == node[i]; at++) {
			counts[i] -= e->count[at];
			weights[i] -= weight[at];
		}
		assert_int_equal(counts[i], 0);
		assert_int_equal(weights[i], 0);
	}
	assert_int_equal(at, e->cells);
	check_sums(&columns[3], e->thread, e->count, e->cells, threads);
	check_sums(&columns[4], e->thread, weight, e->cells, threads);
	check_sums(&columns[5], e->state, e->count, e->cells,
		   THREAD_STATES + 1);
	check_sums(&columns[6], e->state, weight, e->cells, THREAD_STATES + 1);
	check_sums(&columns[7], e->bucket, e->count, e->cells,
		   PROFILE_BUCKETS + 1);
	check_sums(&columns[8], e->bucket, weight, e->cells,
		   PROFILE_BUCKETS + 1);
	free(node);
	free(counts);
	free(weights);
}

/* Reads the cells of a large page, and checks the sums in its data block. */
static void read_later(struct page *page, const struct column *sums)
{
	struct text data = data_of(&page->html, "<script id=\"cells\"");
	size_t threads = (size_t)cJSON_GetArraySize(
		cJSON_GetObjectItemCaseSensitive(page->head, "threads"));
	struct column *columns;
	uint8_t *block;
	size_t len;

	block = inflated(&data, &len);
	text_release(&data);
	columns = columns_of(page, "cell_columns", block, block + len,
			     6 * page->event_count);
	for (size_t i = 0; i < page->event_count; i++) {
		read_event(page, i, columns + 6 * i);
		check_event_sums(&page->events[i], sums + 11 * i,
				 threads ? threads : 1);
	}
	free(columns);
	free(block);
}

static void read_block(struct page *page, size_t len)
{
	const uint8_t *b = page->block;
	size_t head = b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 |
		      (size_t)b[3] << 24;
	struct column *columns;
	bool is_large;

	assert_true(4 + head <= len);
	page->head = cJSON_ParseWithLength((const char *)b + 4, head);
	assert_non_null(page->head);
	is_large = cJSON_HasObjectItem(page->head, "cell_columns");
	page->event_count = (size_t)cJSON_GetArraySize(
		cJSON_GetObjectItemCaseSensitive(page->head, "events"));
	columns = columns_of(page, "columns", b + 4 + head, b + len,
			     6 + (is_large ? 11 : 6) * page->event_count);
	read_names(page, columns[0]);
	read_frames(page, columns);
	read_nodes(page, columns);
	page->events = xcalloc(page->event_count, sizeof(*page->events));
	if (is_large)
		read_later(page, columns + 6);
	for (size_t i = 0; !is_large && i < page->event_count; i++)
		read_event(page, i, columns + 6 + 6 * i);
	free(columns);
}

struct page page_of(const struct profile *p, const struct event_view *views,
		    size_t view_count, size_t selected,
		    const struct flame_options *options)
{
	struct writing w = { p, views, view_count, selected, options, { 0 } };
	struct page page = { 0 };
	struct text data;
	size_t len;

	page.html = sampled_written(write_page, &w);
	page.result = w.result;
	data = data_of(&page.html, "<script id=\"data\"");
	page.block = inflated(&data, &len);
	text_release(&data);
	read_block(&page, len);
	return page;
}

void page_release(struct page *page)
{
	for (size_t i = 0; i < page->event_count; i++) {
		struct page_event *e = &page->events[i];

		free(e->node);
		free(e->thread);
		free(e->state);
		free(e->bucket);
		free(e->count);
		free(e->weight);
	}
	for (size_t i = 0; i < page->name_count; i++)
		free(page->names[i]);
	free(page->names);
	free(page->frame_name);
	free(page->frame_kind);
	free(page->frame_line);
	free(page->node_caller);
	free(page->node_frame);
	free(page->events);
	free(page->block);
	cJSON_Delete(page->head);
	text_release(&page->html);
}

/* Adds names, leaf first, in front of one another. */
static char *joined(const char *const *names, size_t count)
{
	struct text path = { 0 };

	text_puts(&path, count ? "" : "-");
	while (count-- > 0) {
		text_puts(&path, names[count]);
		if (count)
			text_putc(&path, ';');
	}
	return path.bytes;
}

char *page_path(const struct page *page, uint64_t node)
{
	const char **names = NULL;
	size_t count = 0, cap = 0;
	char *path;

	for (; node; node = page->node_caller[node - 1]) {
		uint64_t frame = page->node_frame[node - 1];

		array_reserve(names, cap, count + 1);
		names[count++] = page->names[page->frame_name[frame]];
	}
	path = joined(names, count);
	free(names);
	return path;
}

static char *stack_path(const struct profile *p, uint32_t stack)
{
	static const struct style style = { 0 };
	char **names = NULL;
	size_t count = 0, cap = 0;
	char *path;

	for (; stack; stack = p->stacks[stack].caller) {
		struct text name = { 0 };

		frame_name(&name, p, &p->frames[p->stacks[stack].frame],
			   &style);
		array_reserve(names, cap, count + 1);
		names[count++] = name.bytes;
	}
	path = joined((const char *const *)names, count);
	while (count)
		free(names[--count]);
	free(names);
	return path;
}

struct line {
	char *where;
	uint64_t count, weight;
};

static int by_where(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->where,
		      ((const struct line *)b)->where);
}

/* Joins all lines in order, merges equal lines, and frees them. */
static char *lines_text(struct line *lines, size_t count)
{
	struct text out = { 0 };
	struct line sum = { 0 };

	text_puts(&out, "");
	if (count)
		qsort(lines, count, sizeof(*lines), by_where);
	for (size_t i = 0; i < count; i++) {
		sum.count += lines[i].count;
		sum.weight += lines[i].weight;
		if (i + 1 == count || by_where(&lines[i], &lines[i + 1])) {
			text_printf(&out, "%s %" PRIu64 " %" PRIu64 "\n",
				    lines[i].where, sum.count, sum.weight);
			sum = (struct line){ 0 };
		}
	}
	for (size_t i = 0; i < count; i++)
		free(lines[i].where);
	free(lines);
	return out.bytes;
}

static const char *thread_name(const struct page *page, uint64_t index)
{
	const cJSON *threads = cJSON_GetObjectItemCaseSensitive(page->head,
								"threads");
	const cJSON *thread = cJSON_GetArrayItem(threads, (int)index);

	assert_non_null(thread);
	return cJSON_GetObjectItemCaseSensitive(thread, "name")->valuestring;
}

char *page_lines(const struct page *page, size_t event)
{
	const struct page_event *e = &page->events[event];
	struct line *lines = xcalloc(e->cells, sizeof(*lines));

	for (size_t i = 0; i < e->cells; i++) {
		char *path = page_path(page, e->node[i]);
		struct text where = { 0 };

		text_puts(&where, path);
		if (e->thread)
			text_printf(&where, "|%s",
				    thread_name(page, e->thread[i]));
		if (e->state)
			text_printf(&where, "|%s",
				    thread_state_names[e->state[i]]);
		if (e->bucket)
			text_printf(&where, "|%" PRIu64, e->bucket[i]);
		free(path);
		lines[i].where = where.bytes;
		lines[i].count = e->count[i];
		lines[i].weight = e->weight ? e->weight[i] : e->count[i];
	}
	return lines_text(lines, e->cells);
}

char *profile_lines(const struct profile *p, const struct event_view *view,
		    bool threads)
{
	struct line *lines = xcalloc(p->cell_count, sizeof(*lines));
	size_t count = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		struct text where = { 0 };
		bool in_view = false;
		char *path;

		for (size_t k = 0; k < view->event_count; k++)
			in_view |= view->events[k] == c->event;
		if (!in_view)
			continue;
		path = stack_path(p, c->stack);
		text_puts(&where, path);
		free(path);
		if (threads)
			text_printf(&where, "|%s|%s|%u",
				    profile_text(p, p->threads[c->thread].name),
				    thread_state_names[c->state], c->bucket);
		lines[count].where = where.bytes;
		lines[count].count = c->count;
		lines[count++].weight = c->weight;
	}
	return lines_text(lines, count);
}

uint64_t page_total(const struct page *page, size_t event, const char *path)
{
	const struct page_event *e = &page->events[event];
	size_t len = strlen(path);
	uint64_t total = 0;

	for (size_t i = 0; i < e->cells; i++) {
		char *at = page_path(page, e->node[i]);

		if (strncmp(at, path, len) == 0 &&
		    (at[len] == '\0' || at[len] == ';'))
			total += e->count[i];
		free(at);
	}
	return total;
}
