/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a value on one line, or for a person: composites as blocks of
 * "key: value", tables as SJK's mx draws them.
 */
#include "jmx_http/value/value.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A value on one line */

/* Bounds the recursion for values that exceed VALUE_DEPTH_MAX. */
#define CELL_DEPTH_MAX 64

static void cell_add(struct text *out, const struct value *v, unsigned depth);

static void cell_add_list(struct text *out, const struct value *const *at,
			  size_t count, unsigned depth)
{
	text_putc(out, '[');
	for (size_t i = 0; i < count; i++) {
		text_puts(out, i ? ", " : "");
		cell_add(out, at[i], depth);
	}
	text_putc(out, ']');
}

static void cell_add_members(struct text *out, const struct value *v,
			     unsigned depth)
{
	if (v->kind == VALUE_OBJECT)
		text_puts(out, v->type);
	text_putc(out, '{');
	for (size_t i = 0; i < v->members.count; i++) {
		text_puts(out, i ? ", " : "");
		text_puts(out, v->members.at[i].name);
		text_putc(out, '=');
		cell_add(out, v->members.at[i].value, depth);
	}
	text_putc(out, '}');
}

static void cell_add_map(struct text *out, const struct value *v,
			 unsigned depth)
{
	text_putc(out, '{');
	for (size_t i = 0; i < v->map.count; i++) {
		text_puts(out, i ? ", " : "");
		cell_add(out, v->map.at[i].key, depth);
		text_putc(out, '=');
		cell_add(out, v->map.at[i].value, depth);
	}
	text_putc(out, '}');
}

static void cell_add(struct text *out, const struct value *v, unsigned depth)
{
	if (depth == CELL_DEPTH_MAX) {
		text_puts(out, "<too deep>");
		return;
	}
	switch (v->kind) {
	case VALUE_NULL:
		text_puts(out, "null");
		break;
	case VALUE_BOOLEAN:
		text_puts(out, v->integer ? "true" : "false");
		break;
	case VALUE_INTEGER:
		text_printf(out, "%" PRId64, v->integer);
		break;
	case VALUE_REAL:
		value_add_real(out, v);
		break;
	case VALUE_NUMBER:
	case VALUE_STRING:
	case VALUE_NAME:
	case VALUE_ENUM:
		text_add(out, v->text.at, v->text.len);
		break;
	case VALUE_DATE:
		value_add_date(out, v->integer);
		break;
	case VALUE_ARRAY:
		cell_add_list(out, v->list.at, v->list.count, depth + 1);
		break;
	case VALUE_TABULAR:
		cell_add_list(out, v->table.rows, v->table.row_count,
			      depth + 1);
		break;
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		cell_add_members(out, v, depth + 1);
		break;
	case VALUE_MAP:
		cell_add_map(out, v, depth + 1);
		break;
	case VALUE_ERROR:
	case VALUE_CUT:
		text_putc(out, '<');
		text_add(out, v->text.at, v->text.len);
		text_putc(out, '>');
		break;
	}
}

void value_cell(struct text *out, const struct value *v)
{
	cell_add(out, v, 0);
}

/* A value for a person */

#define COLUMNS_MAX     64 /* wider tables become lists of blocks */
#define KEY_WIDTH_MAX   40
#define PRINT_DEPTH_MAX 64
#define STEP            4 /* columns of indentation per level */

struct printer {
	struct text *out;
	unsigned indent, depth;
	size_t cell_width; /* maximum width of a table cell; 0: no limit */
};

static void printer_print(struct printer *p, const struct value *v);

static void printer_new_line(struct printer *p)
{
	text_printf(p->out, "\n%*s", (int)p->indent, "");
}

static struct text printer_safe_name(const char *name)
{
	struct text t = { 0 };

	safe_text_puts(&t, name);
	if (!t.bytes)
		text_puts(&t, "");
	return t;
}

static struct text printer_safe_cell(const struct value *v)
{
	struct text raw = { 0 }, t = { 0 };

	value_cell(&raw, v);
	safe_text(&t, raw.bytes ? raw.bytes : "", raw.len);
	if (!t.bytes)
		text_puts(&t, "");
	text_release(&raw);
	return t;
}

static void printer_print_cell(struct printer *p, const struct value *v)
{
	struct text cell = printer_safe_cell(v);

	text_add(p->out, cell.bytes, cell.len);
	text_release(&cell);
}

/* A String may be a report of many lines: newlines start indented lines. */
static void printer_print_lines(struct printer *p, const struct value *v)
{
	const char *at = v->text.at, *end = at + v->text.len;

	for (;;) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed ? feed : end;

		if (feed && stop > at && stop[-1] == '\r')
			stop--;
		safe_text(p->out, at, (size_t)(stop - at));
		if (!feed || feed + 1 == end)
			return;
		at = feed + 1;
		printer_new_line(p);
	}
}

/*
 * True for arrays of composites that can be a table.  Elements may be null:
 * getThreadInfo() returns null for a thread that has ended.
 */
static bool printer_has_rows(const struct value *v)
{
	bool some = false;

	if (v->kind == VALUE_TABULAR)
		return v->table.row_count > 0;
	if (v->kind != VALUE_ARRAY)
		return false;
	for (size_t i = 0; i < v->list.count; i++) {
		const struct value *row = v->list.at[i];

		if (row->kind == VALUE_COMPOSITE)
			some = true;
		else if (row->kind != VALUE_NULL)
			return false;
	}
	return some;
}

/* True for values that are printed on lines of their own. */
static bool printer_is_block(const struct value *v)
{
	switch (v->kind) {
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		return v->members.count > 0;
	case VALUE_MAP:
		return v->map.count > 0;
	default:
		return printer_has_rows(v);
	}
}

static void printer_print_indented(struct printer *p, const struct value *v)
{
	p->indent += STEP;
	printer_new_line(p);
	printer_print(p, v);
	p->indent -= STEP;
}

static void printer_print_entry(struct printer *p, const struct text *key,
				size_t key_width, const struct value *v)
{
	size_t width = text_width(key->bytes, key->len);

	text_add(p->out, key->bytes, key->len);
	text_putc(p->out, ':');
	if (printer_is_block(v)) {
		printer_print_indented(p, v);
		return;
	}
	text_printf(p->out, " %*s",
		    width < key_width ? (int)(key_width - width) : 0, "");
	printer_print_cell(p, v);
}

/* The keys of a block; free them with printer_release_texts(). */
static struct text *printer_keys(const struct value *v, size_t *count)
{
	bool is_map = v->kind == VALUE_MAP;
	struct text *keys;

	*count = is_map ? v->map.count : v->members.count;
	keys = xcalloc(*count, sizeof(*keys));
	for (size_t i = 0; i < *count; i++)
		keys[i] = is_map ? printer_safe_cell(v->map.at[i].key)
				 : printer_safe_name(v->members.at[i].name);
	return keys;
}

static void printer_release_texts(struct text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_release(&texts[i]);
	free(texts);
}

static void printer_print_block(struct printer *p, const struct value *v)
{
	size_t count, width = 0;
	struct text *keys = printer_keys(v, &count);

	for (size_t i = 0; i < count; i++) {
		size_t one = text_width(keys[i].bytes, keys[i].len);

		if (one > width && one <= KEY_WIDTH_MAX)
			width = one;
	}
	for (size_t i = 0; i < count; i++) {
		if (i)
			printer_new_line(p);
		printer_print_entry(p, &keys[i], width,
				    v->kind == VALUE_MAP
					    ? v->map.at[i].value
					    : v->members.at[i].value);
	}
	printer_release_texts(keys, count);
}

static void printer_print_object(struct printer *p, const struct value *v)
{
	safe_text_puts(p->out, v->type);
	p->indent += STEP;
	printer_new_line(p);
	printer_print_block(p, v);
	p->indent -= STEP;
}

/* Rows of composites; the first composite determines the columns. */
struct table {
	const struct value *const *rows, *first;
	size_t row_count, column_count;
	struct text *cells; /* the first row has the column names */
	size_t *widths;
};

/*
 * Members of one type are in one order, so the column's index usually finds the
 * member; otherwise its name does.
 */
static struct text table_cell(const struct value *row,
			      const struct value *first, size_t column)
{
	const char *name = first->members.at[column].name;
	const struct value *v = NULL;

	if (row->kind != VALUE_COMPOSITE)
		return printer_safe_cell(row);
	if (column < row->members.count &&
	    !strcmp(row->members.at[column].name, name))
		v = row->members.at[column].value;
	else if (row->members.count <= COLUMNS_MAX)
		v = value_member(row, name);
	return v ? printer_safe_cell(v) : printer_safe_name("-");
}

static void table_cut_cell(struct text *cell, size_t cell_width)
{
	size_t keep = cell_width > 3 ? cell_width - 3 : 0, at = 0;

	if (!cell_width || text_width(cell->bytes, cell->len) <= cell_width)
		return;
	while (keep--) {
		at++;
		while (((unsigned char)cell->bytes[at] & 0xc0) == 0x80)
			at++;
	}
	cell->len = at;
	text_puts(cell, "...");
}

static void table_fill(struct table *t, size_t cell_width)
{
	const struct value *first = t->first;
	size_t n = (t->row_count + 1) * t->column_count;

	t->cells = xcalloc(n, sizeof(*t->cells));
	t->widths = xcalloc(t->column_count, sizeof(*t->widths));
	for (size_t i = 0; i < n; i++) {
		size_t column = i % t->column_count, row = i / t->column_count;
		size_t width;

		t->cells[i] = row ? table_cell(t->rows[row - 1], first, column)
				  : printer_safe_name(
					    first->members.at[column].name);
		table_cut_cell(&t->cells[i], cell_width);
		width = text_width(t->cells[i].bytes, t->cells[i].len);
		if (width > t->widths[column])
			t->widths[column] = width;
	}
}

static void table_print_row(struct printer *p, const struct table *t,
			    size_t row)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const struct text *cell = &t->cells[row * t->column_count + i];
		size_t width = text_width(cell->bytes, cell->len);

		if (i)
			text_putc(p->out, '|');
		text_add(p->out, cell->bytes, cell->len);
		if (i + 1 < t->column_count)
			text_printf(p->out, "%*s", (int)(t->widths[i] - width),
				    "");
	}
}

static void table_print_rule(struct printer *p, const struct table *t)
{
	printer_new_line(p);
	for (size_t i = 0; i < t->column_count; i++) {
		text_puts(p->out, i ? "+" : "");
		for (size_t n = 0; n < t->widths[i]; n++)
			text_putc(p->out, '-');
	}
}

static void printer_print_blocks(struct printer *p,
				 const struct value *const *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			printer_new_line(p);
		if (rows[i]->kind == VALUE_COMPOSITE)
			printer_print_block(p, rows[i]);
		else
			printer_print_cell(p, rows[i]);
	}
}

static void table_print(struct printer *p, const struct value *const *rows,
			size_t count)
{
	struct table t = { .rows = rows, .first = rows[0], .row_count = count };

	for (size_t i = 0; t.first->kind != VALUE_COMPOSITE && i < count; i++)
		t.first = rows[i];
	t.column_count = t.first->members.count;
	if (!t.column_count || t.column_count > COLUMNS_MAX) {
		printer_print_blocks(p, rows, count);
		return;
	}
	table_fill(&t, p->cell_width);
	table_print_row(p, &t, 0);
	table_print_rule(p, &t);
	for (size_t i = 1; i <= count; i++) {
		printer_new_line(p);
		table_print_row(p, &t, i);
	}
	printer_release_texts(t.cells, (count + 1) * t.column_count);
	free(t.widths);
}

static void printer_print(struct printer *p, const struct value *v)
{
	if (++p->depth > PRINT_DEPTH_MAX)
		text_puts(p->out, "<too deep>");
	else if (v->kind == VALUE_STRING)
		printer_print_lines(p, v);
	else if (!printer_is_block(v))
		printer_print_cell(p, v);
	else if (v->kind == VALUE_TABULAR)
		table_print(p, v->table.rows, v->table.row_count);
	else if (v->kind == VALUE_ARRAY)
		table_print(p, v->list.at, v->list.count);
	else if (v->kind == VALUE_OBJECT)
		printer_print_object(p, v);
	else
		printer_print_block(p, v);
	p->depth--;
}

/* Removes spaces at the end of each line after offset begin. */
static void printer_trim_lines(struct text *t, size_t begin)
{
	size_t kept = begin, line = begin;

	for (size_t i = begin; i <= t->len; i++) {
		if (i == t->len || t->bytes[i] == '\n') {
			while (kept > line && t->bytes[kept - 1] == ' ')
				kept--;
			line = kept + 1;
		}
		if (i < t->len)
			t->bytes[kept++] = t->bytes[i];
	}
	t->len = kept;
	t->bytes[kept] = '\0';
}

void value_print(struct text *out, const struct value *v, unsigned indent,
		 size_t cell_width)
{
	struct printer p = { .out = out,
			     .indent = indent,
			     .cell_width = cell_width };
	size_t begin = out->len;

	printer_print(&p, v);
	if (out->bytes)
		printer_trim_lines(out, begin);
}
