/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/line_table.h"

#include "core/base/alloc.h"
#include "core/hotspot/unsigned5.h"

#include <stdlib.h>

enum {
	END = 0,
	ESCAPE = 0xff, /* two complete numbers follow */
	LINE_BITS = 3, /* bits of the line in a one-byte pair; the others are
			  the bci's */
	/*
	 * The JVM concatenates several tables of a method; larger ones are
	 * invalid.
	 */
	MOST_ENTRIES = 1 << 17,
};

/* Compares by bci; `order` keeps the sort stable. */
struct ordered {
	uint32_t order;
	struct line_entry entry;
};

static int line_compare_bci(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->entry.bci != y->entry.bci)
		return x->entry.bci < y->entry.bci ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void line_table_sort(struct line_table *t)
{
	struct ordered *all = xmalloc(t->count * sizeof(*all));

	for (size_t i = 0; i < t->count; i++)
		all[i] = (struct ordered){ (uint32_t)i, t->entries[i] };
	qsort(all, t->count, sizeof(*all), line_compare_bci);
	for (size_t i = 0; i < t->count; i++)
		t->entries[i] = all[i].entry;
	free(all);
}

/* Advances bci and line by the next pair; false at the end or on failure. */
static bool line_next_pair(struct cursor *c, unsigned excluded, int64_t *bci,
			   int64_t *line)
{
	uint8_t byte = cursor_u8(c);

	if (!cursor_ok(c) || byte == END)
		return false;
	if (byte == ESCAPE) {
		*bci += unsigned5_read_signed(c, excluded);
		*line += unsigned5_read_signed(c, excluded);
	} else {
		*bci += byte >> LINE_BITS;
		*line += byte & ((1 << LINE_BITS) - 1);
	}
	return cursor_ok(c);
}

bool line_table_read(struct line_table *t, struct cursor *c,
		     uint32_t code_bytes, unsigned excluded)
{
	int64_t bci = 0, line = 0;
	bool is_sorted = true;
	size_t cap = 0;

	*t = (struct line_table){ 0 };
	while (line_next_pair(c, excluded, &bci, &line)) {
		if (bci < 0 || bci >= code_bytes || bci > UINT16_MAX ||
		    line < 0 || line > UINT16_MAX || t->count == MOST_ENTRIES) {
			cursor_fail(c);
			break;
		}
		if (t->count && bci < t->entries[t->count - 1].bci)
			is_sorted = false;
		array_add(t->entries, t->count, cap,
			  (struct line_entry){ (uint16_t)bci, (uint16_t)line });
	}
	if (!cursor_ok(c)) {
		line_table_release(t);
		return false;
	}
	if (!is_sorted)
		line_table_sort(t);
	if (t->count)
		t->entries = xrealloc(t->entries, t->count,
				      sizeof(*t->entries));
	return true;
}

void line_table_release(struct line_table *t)
{
	free(t->entries);
	*t = (struct line_table){ 0 };
}

uint32_t line_table_line(const struct line_table *t, int32_t bci)
{
	int32_t wanted = bci < 0 ? 0 : bci;
	size_t low = 0, high = t->count;

	/*
	 * As in Method::line_number_from_bci(): the first entry with exactly
	 * this bci, or else the last entry of the greatest lower bci.
	 */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->entries[middle].bci < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < t->count && t->entries[low].bci == wanted)
		return t->entries[low].line;
	return low ? t->entries[low - 1].line : 0;
}
