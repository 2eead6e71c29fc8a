/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/class_histogram.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/input.h"
#include "core/base/json.h"
#include "core/base/log_lines.h"

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

/*
 * The last line reads "Total         73439        3395648" in HotSpot's reply
 * and "              73439        3395648  Total" in sjkc's output.
 */
static bool histogram_read_total(struct class_histogram *h, struct line line)
{
	struct line rest = line_trimmed(line);
	bool begins = line_starts(rest, "Total ");
	int64_t instances, bytes;

	if (begins) {
		rest.text += 6;
		rest.len -= 6;
	}
	if (!histogram_read_number(&rest, &instances) ||
	    !line_starts(rest, " ") || !histogram_read_number(&rest, &bytes))
		return false;
	rest = line_trimmed(rest);
	if (begins ? rest.len != 0
		   : rest.len != 5 || !line_starts(rest, "Total"))
		return false;
	h->has_total = true;
	h->stated_bytes = bytes;
	return true;
}

/* "4711:", which jcmd prints before the reply of each JVM. */
static bool histogram_is_pid(struct line line)
{
	size_t digits = 0;

	while (digits < line.len && is_digit(line.text[digits]))
		digits++;
	return digits && digits + 1 == line.len && line.text[digits] == ':';
}

static bool histogram_is_decoration(struct line line)
{
	struct line trimmed = line_trimmed(line);

	return !trimmed.len || histogram_is_pid(trimmed) ||
	       line_starts(trimmed, "num ") || line_starts(trimmed, "# ") ||
	       line_starts(trimmed, "---") || line_starts(trimmed, "Total ");
}

/* Returns the first line, which remains valid. */
static struct line histogram_read_rows(struct class_histogram *h,
				       const char *text, size_t len)
{
	struct log_lines lines;
	struct lines raw = lines_over(text, len);
	struct line line, first = { "", 0 };

	if (lines_next(&raw, &line))
		first = line_trimmed(line);
	log_lines_init(&lines, text, len);
	while (log_lines_next(&lines, &line)) {
		/* The last word may be truncated. */
		bool is_open = lines_end_open(&lines.lines) &&
			       line_trimmed(line).len;

		if ((is_open || !histogram_read_row(h, line)) &&
		    !histogram_read_total(h, line) &&
		    (is_open || !histogram_is_decoration(line)) && !h->unread++)
			h->first_unread = lines.lines.number;
	}
	log_lines_release(&lines);
	return first;
}

int class_histogram_read(struct class_histogram *h, const char *text,
			 size_t len, struct error *err)
{
	size_t before = h->count;
	struct line first = histogram_read_rows(h, text, len);

	if (h->count == before && !first.len)
		return fail(err, ERROR_INPUT,
			    "no class histogram: the reply is empty");
	if (h->count == before)
		return fail(err, ERROR_INPUT,
			    "no class histogram; the first line is '%.*s'",
			    first.len < 200 ? (int)first.len : 200, first.text);
	return 0;
}

/* Numbers of a damaged file may be of any size. */
static int64_t count_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
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
			sum.instances = count_sum(sum.instances,
						  h->rows[i].instances);
			sum.bytes = count_sum(sum.bytes, h->rows[i].bytes);
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
		total.instances = count_sum(total.instances,
					    h->rows[i].instances);
		total.bytes = count_sum(total.bytes, h->rows[i].bytes);
	}
	return total;
}

/* ---- files ---- */

static void histogram_add(struct class_histogram *h, struct class_count row,
			  const struct text *name, const struct text *module)
{
	row.name = arena_copy(&h->names, name->bytes, name->len);
	row.module = arena_copy(&h->names, module->len ? module->bytes : "",
				module->len);
	*histogram_add_row(h) = row;
}

/* Reads {name,module,instances,bytes}; other members are skipped. */
static void histogram_read_json_class(struct class_histogram *h,
				      struct json_reader *r, struct text *name,
				      struct text *module)
{
	struct class_count row = { .instances = -1, .bytes = -1 };
	struct line key;

	text_clear(name);
	text_clear(module);
	if (!json_enter_object(r))
		return;
	while (json_next_member(r, &key)) {
		if (line_is(key, "name"))
			json_read_text(r, name);
		else if (line_is(key, "module"))
			json_read_text(r, module);
		else if (line_is(key, "instances"))
			row.instances = json_read_int(r);
		else if (line_is(key, "bytes"))
			row.bytes = json_read_int(r);
		else
			json_skip(r);
	}
	if (!name->len || row.instances < 0 || row.bytes < 0)
		json_reader_fail(r);
	else
		histogram_add(h, row, name, module);
}

static void histogram_read_json_total(struct class_histogram *h,
				      struct json_reader *r)
{
	struct line key;

	if (!json_enter_object(r))
		return;
	while (json_next_member(r, &key)) {
		if (!line_is(key, "bytes")) {
			json_skip(r);
			continue;
		}
		h->has_total = true;
		h->stated_bytes = json_read_int(r);
	}
}

static void histogram_read_json_classes(struct class_histogram *h,
					struct json_reader *r)
{
	struct text name = { 0 }, module = { 0 };

	if (json_enter_array(r)) {
		while (json_next_element(r))
			histogram_read_json_class(h, r, &name, &module);
	}
	text_release(&name);
	text_release(&module);
}

/* Reads a document of the schema sjkc.histogram/1. */
static int histogram_read_json(struct class_histogram *h, const char *bytes,
			       size_t len, struct error *err)
{
	struct json_reader r = json_reader_over(bytes, len);
	struct line key;

	if (json_enter_object(&r)) {
		while (json_next_member(&r, &key)) {
			if (line_is(key, "total"))
				histogram_read_json_total(h, &r);
			else if (line_is(key, "classes"))
				histogram_read_json_classes(h, &r);
			else
				json_skip(&r);
		}
	}
	if (r.failed || !h->count)
		return fail(err, ERROR_INPUT,
			    "no JSON of sjkc hh (schema sjkc.histogram/1)");
	return 0;
}

/*
 * Reads a CSV field; a quote within quotes is doubled (RFC 4180). Without
 * the apostrophe that table_csv() puts before a formula.
 */
static void histogram_read_csv_field(struct line *line, struct text *field)
{
	bool quoted = line->len && *line->text == '"';
	size_t i = quoted;

	text_clear(field);
	if (i + 1 < line->len && line->text[i] == '\'' &&
	    memchr("=+-@", line->text[i + 1], 4))
		i++;
	for (; i < line->len; i++) {
		char c = line->text[i];

		if (!quoted && c == ',')
			break;
		if (quoted && c == '"' &&
		    (++i == line->len || line->text[i] != '"'))
			break;
		text_putc(field, c);
	}
	i += i < line->len;
	line->text += i;
	line->len -= i;
}

static bool histogram_read_csv_row(struct class_histogram *h, struct line line,
				   struct text *name, struct text *module)
{
	struct class_count row;

	histogram_read_csv_field(&line, name);
	histogram_read_csv_field(&line, module);
	if (!name->len || !histogram_read_number(&line, &row.instances) ||
	    !line_starts(line, ","))
		return false;
	line.text++;
	line.len--;
	if (!histogram_read_number(&line, &row.bytes) || line_trimmed(line).len)
		return false;
	histogram_add(h, row, name, module);
	return true;
}

static int histogram_read_csv(struct class_histogram *h, const char *bytes,
			      size_t len, struct error *err)
{
	struct lines lines = lines_over(bytes, len);
	struct text name = { 0 }, module = { 0 };
	struct line line;

	while (lines_next(&lines, &line)) {
		if (lines.number == 1 || !line_trimmed(line).len)
			continue;
		/* The last number may be truncated. */
		if ((lines_end_open(&lines) ||
		     !histogram_read_csv_row(h, line, &name, &module)) &&
		    !h->unread++)
			h->first_unread = lines.number;
	}
	text_release(&name);
	text_release(&module);
	return h->count ? 0 : fail(err, ERROR_INPUT, "the CSV has no rows");
}

/* True if the first line is a JSON object of a log with a line of text. */
static bool histogram_is_logged(const char *bytes, size_t len)
{
	struct log_lines lines;
	struct line line;
	bool logged;

	log_lines_init(&lines, bytes, len);
	logged = log_lines_next(&lines, &line) && !line_starts(line, "{");
	log_lines_release(&lines);
	return logged;
}

/* Detects the format by the first bytes. */
static int histogram_read_any(struct class_histogram *h, const char *bytes,
			      size_t len, struct error *err)
{
	static const char head[] = "class,module,";
	size_t skipped = 0;

	while (skipped < len && memchr(" \t\r\n", bytes[skipped], 4))
		skipped++;
	if (skipped < len && bytes[skipped] == '{' &&
	    !histogram_is_logged(bytes + skipped, len - skipped))
		return histogram_read_json(h, bytes, len, err);
	if (len > strlen(head) && memcmp(bytes, head, strlen(head)) == 0)
		return histogram_read_csv(h, bytes, len, err);
	return class_histogram_read(h, bytes, len, err);
}

static int histogram_read_input(struct class_histogram *h, struct input *in,
				struct error *err)
{
	int ret = in->damage ? fail(err, ERROR_INPUT, "%s", in->damage)
			     : histogram_read_any(h, (const char *)in->bytes,
						  in->len, err);

	if (ret == 0 && h->has_total &&
	    class_histogram_total(h).bytes != h->stated_bytes)
		ret = fail(err, ERROR_INPUT,
			   "the file lacks classes of its total; write it "
			   "without -n");
	if (ret == 0)
		qsort(h->rows, h->count, sizeof(*h->rows), compare_bytes);
	return ret;
}

int class_histogram_read_file(struct class_histogram *h, const char *path,
			      struct error *err)
{
	struct input in = { 0 };
	int ret = input_open_single(&in, path, err);

	if (ret == 0)
		ret = input_complete(&in, err);
	if (ret == 0)
		ret = histogram_read_input(h, &in, err);
	if (ret)
		fail_in(err, "%s", in.name);
	input_close(&in);
	return ret;
}

/* ---- differences ---- */

/* Returns rows sorted by name, with one row per class, to free(). */
static struct class_count *histogram_by_name(const struct class_histogram *h,
					     size_t *count)
{
	struct class_count *rows = xcalloc(h->count + 1, sizeof(*rows));
	struct class_histogram copy = { .rows = rows, .count = h->count };

	if (h->count) {
		memcpy(rows, h->rows, h->count * sizeof(*rows));
		qsort(rows, h->count, sizeof(*rows), compare_name);
	}
	histogram_merge_rows(&copy);
	*count = copy.count;
	return rows;
}

static int compare_changes(const void *a, const void *b)
{
	const struct class_change *one = a, *two = b;
	int64_t x = llabs(one->bytes - one->bytes_before);
	int64_t y = llabs(two->bytes - two->bytes_before);
	int order;

	if (x != y)
		return x < y ? 1 : -1;
	order = strcmp(one->name, two->name);
	return order ? order : strcmp(one->module, two->module);
}

/* Either may be NULL. */
static struct class_change change_of(const struct class_count *before,
				     const struct class_count *after)
{
	const struct class_count *one = after ? after : before;

	return (struct class_change){
		.name = one->name,
		.module = one->module,
		.instances_before = before ? before->instances : 0,
		.bytes_before = before ? before->bytes : 0,
		.instances = after ? after->instances : 0,
		.bytes = after ? after->bytes : 0,
	};
}

struct class_change *
class_histogram_compare(const struct class_histogram *before,
			const struct class_histogram *after, size_t *count)
{
	size_t old_count, new_count, i = 0, k = 0;
	struct class_count *old = histogram_by_name(before, &old_count);
	struct class_count *new = histogram_by_name(after, &new_count);
	struct class_change *changes = xcalloc(old_count + new_count + 1,
					       sizeof(*changes));

	*count = 0;
	while (i < old_count || k < new_count) {
		int order = i == old_count   ? 1
			    : k == new_count ? -1
					     : compare_names(&old[i], &new[k]);
		struct class_change c = change_of(order <= 0 ? &old[i] : NULL,
						  order >= 0 ? &new[k] : NULL);

		i += order <= 0;
		k += order >= 0;
		if (c.instances != c.instances_before ||
		    c.bytes != c.bytes_before)
			changes[(*count)++] = c;
	}
	free(old);
	free(new);
	qsort(changes, *count, sizeof(*changes), compare_changes);
	return changes;
}

void class_histogram_release(struct class_histogram *h)
{
	free(h->rows);
	arena_release(&h->names);
	*h = (struct class_histogram){ 0 };
}
