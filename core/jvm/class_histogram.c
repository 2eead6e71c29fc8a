/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/class_histogram.h"

#include "core/base/alloc.h"
#include "core/base/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct class_count *histogram_add_row(struct class_histogram *h)
{
	array_reserve(h->rows, h->cap, h->count + 1);
	return &h->rows[h->count++];
}

/* Reads a number and the spaces before it from the start of a line. */
static bool histogram_read_number(struct line *line, int64_t *value)
{
	size_t digits = 0;

	*line = line_trimmed(*line);
	*value = 0;
	for (; digits < line->len; digits++) {
		char c = line->text[digits];

		if (c < '0' || c > '9')
			break;
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, c - '0', value))
			return false;
	}
	line->text += digits;
	line->len -= digits;
	return digits > 0;
}

/* A name reads "com.acme.Order (orders@1.2)". */
static void histogram_set_name(struct class_histogram *h, struct line line,
			       struct class_count *row)
{
	size_t open = line.len;

	row->module = "";
	if (line_ends(line, ")")) {
		while (open > 0 && line.text[open - 1] != '(')
			open--;
		if (open >= 2 && line.text[open - 2] == ' ') {
			row->module = arena_copy(&h->names, line.text + open,
						 line.len - open - 1);
			line.len = open - 2;
		}
	}
	row->name = arena_copy(&h->names, line.text, line.len);
}

/*
 * A row reads "   3:          2934         356272  java.lang.Class
 * (java.base@17.0.21)".
 */
static bool histogram_read_row(struct class_histogram *h, struct line line)
{
	struct class_count row;
	int64_t number;

	if (!histogram_read_number(&line, &number) || !line_starts(line, ":"))
		return false;
	line.text++;
	line.len--;
	if (!histogram_read_number(&line, &row.instances) ||
	    !line_starts(line, " ") ||
	    !histogram_read_number(&line, &row.bytes) ||
	    !line_starts(line, " "))
		return false;
	line = line_trimmed(line);
	if (!line.len)
		return false;
	histogram_set_name(h, line, &row);
	*histogram_add_row(h) = row;
	return true;
}

static bool histogram_is_decoration(struct line line)
{
	struct line trimmed = line_trimmed(line);

	return !trimmed.len || line_starts(trimmed, "num ") ||
	       line_starts(trimmed, "---") || line_starts(trimmed, "Total ");
}

int class_histogram_read(struct class_histogram *h, const char *text,
			 size_t len, struct error *err)
{
	struct lines lines = lines_over(text, len);
	struct line line, first = { "", 0 };
	size_t before = h->count;

	while (lines_next(&lines, &line)) {
		if (lines.number == 1)
			first = line_trimmed(line);
		if (!histogram_read_row(h, line) &&
		    !histogram_is_decoration(line))
			h->unread++;
	}
	if (h->count == before && !first.len)
		return fail(err, ERROR_INPUT,
			    "no class histogram: the reply is empty");
	if (h->count == before)
		return fail(err, ERROR_INPUT, "no class histogram: %.*s",
			    first.len < 200 ? (int)first.len : 200, first.text);
	return 0;
}

static int compare_names(const struct class_count *a,
			 const struct class_count *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->module, b->module);
}

static int compare_name(const void *a, const void *b)
{
	return compare_names(a, b);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct class_count *one = a, *two = b;

	if (one->bytes != two->bytes)
		return one->bytes < two->bytes ? 1 : -1;
	return compare_names(one, two);
}

/* Merges adjacent rows of the same class and drops rows without objects. */
static void histogram_merge_rows(struct class_histogram *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->count;) {
		struct class_count sum = h->rows[i];

		for (i++; i < h->count && !compare_names(&sum, &h->rows[i]);
		     i++) {
			sum.instances += h->rows[i].instances;
			sum.bytes += h->rows[i].bytes;
		}
		if (sum.instances > 0)
			h->rows[kept++] = sum;
	}
	h->count = kept;
}

void class_histogram_subtract(struct class_histogram *h,
			      const struct class_histogram *other)
{
	for (size_t i = 0; i < other->count; i++) {
		struct class_count row = other->rows[i];

		row.instances = -row.instances;
		row.bytes = -row.bytes;
		*histogram_add_row(h) = row;
	}
	if (!h->count)
		return;
	qsort(h->rows, h->count, sizeof(*h->rows), compare_name);
	histogram_merge_rows(h);
	qsort(h->rows, h->count, sizeof(*h->rows), compare_bytes);
}

struct class_count class_histogram_total(const struct class_histogram *h)
{
	struct class_count total = { .name = "Total", .module = "" };

	for (size_t i = 0; i < h->count; i++) {
		total.instances += h->rows[i].instances;
		total.bytes += h->rows[i].bytes;
	}
	return total;
}

void class_histogram_release(struct class_histogram *h)
{
	free(h->rows);
	arena_release(&h->names);
	*h = (struct class_histogram){ 0 };
}
