/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables as aligned text and as CSV. */
#include "render/text/table.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/safe_text.h"

#include <stdlib.h>
#include <string.h>

struct text *table_cell(struct table *t)
{
	array_reserve(t->cells, t->cap, t->count + 1);
	t->cells[t->count] = (struct text){ 0 };
	text_puts(&t->cells[t->count], "");
	return &t->cells[t->count++];
}

void table_add(struct table *t, const char *string)
{
	text_puts(table_cell(t), string);
}

/* Ends the line that starts at `start`: drops trailing spaces, truncates. */
static void table_end_line(struct text *out, size_t start, size_t width)
{
	size_t left = width, at = start;

	while (out->len > start && out->bytes[out->len - 1] == ' ')
		out->len--;
	if (width && text_width(out->bytes + start, out->len - start) > width) {
		/* The ellipsis replaces the last character that fits. */
		while (left) {
			left -= ((unsigned char)out->bytes[at] & 0xc0) != 0x80;
			at++;
		}
		out->len = at - 1;
		text_puts(out, "…");
	}
	text_putc(out, '\n');
}

/* Appends a line of safe texts, one per column. */
static void table_put_line(const struct table *t, const struct text *texts,
			   const size_t *widths, size_t width, struct text *out)
{
	size_t start = out->len;

	for (size_t i = 0; i < t->column_count; i++) {
		size_t blanks = widths[i] -
				text_width(texts[i].bytes, texts[i].len);

		text_spaces(out, i ? 2 : 0);
		if (t->columns[i].right)
			text_spaces(out, blanks);
		text_add(out, texts[i].bytes, texts[i].len);
		if (!t->columns[i].right)
			text_spaces(out, blanks);
	}
	table_end_line(out, start, width);
}

void table_text(const struct table *t, size_t width, struct text *out)
{
	size_t columns = t->column_count, lines = t->count / columns + 1;
	struct text *texts = xcalloc(lines * columns, sizeof(*texts));
	size_t *widths = xcalloc(columns, sizeof(*widths));

	for (size_t i = 0; i < lines * columns; i++) {
		size_t wide;

		text_puts(&texts[i], "");
		if (i < columns)
			text_puts(&texts[i], t->columns[i].head);
		else
			safe_text(&texts[i], t->cells[i - columns].bytes,
				  t->cells[i - columns].len);
		wide = text_width(texts[i].bytes, texts[i].len);
		if (wide > widths[i % columns])
			widths[i % columns] = wide;
	}
	for (size_t i = 0; i < lines; i++)
		table_put_line(t, texts + i * columns, widths, width, out);
	for (size_t i = 0; i < lines * columns; i++)
		text_release(&texts[i]);
	free(texts);
	free(widths);
}

/* True for plain numbers such as "-1" and "-2.5E-3". */
static bool table_is_number(const char *bytes, size_t len)
{
	size_t at = 0, digits = 0;

	at += len && bytes[0] == '-';
	for (; at < len && (is_digit(bytes[at]) || bytes[at] == '.'); at++)
		digits += is_digit(bytes[at]);
	if (digits && at + 1 < len && (bytes[at] | 0x20) == 'e') {
		at += bytes[at + 1] == '-' || bytes[at + 1] == '+' ? 2 : 1;
		while (at < len && is_digit(bytes[at]))
			at++;
	}
	return digits && at == len;
}

bool csv_is_formula(const char *bytes, size_t len)
{
	return len && bytes[0] && strchr("=+-@\t\r\n", bytes[0]) &&
	       !table_is_number(bytes, len);
}

void csv_field(struct text *out, const char *bytes, size_t len,
	       enum csv_quotes quotes)
{
	bool formula = quotes != CSV_NUMBER && csv_is_formula(bytes, len);
	bool quoted = formula || quotes == CSV_QUOTED ||
		      strcspn(bytes, ",\"\r\n") < len;

	if (quoted)
		text_putc(out, '"');
	if (formula)
		text_putc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '"')
			text_putc(out, '"');
		text_putc(out, bytes[i]);
	}
	if (quoted)
		text_putc(out, '"');
}

void table_csv(const struct table *t, struct text *out)
{
	size_t columns = t->column_count;
	struct text valid = { 0 };

	for (size_t i = 0; i < columns; i++) {
		const char *head = t->columns[i].head;

		csv_field(out, head, strlen(head), CSV_TEXT);
		text_putc(out, i + 1 < columns ? ',' : '\n');
	}
	for (size_t i = 0, column = 0; i < t->count; i++) {
		text_clear(&valid);
		text_puts(&valid, "");
		safe_text(&valid, t->cells[i].bytes, t->cells[i].len);
		csv_field(out, valid.bytes, valid.len,
			  t->columns[column].right ? CSV_NUMBER : CSV_TEXT);
		column = column + 1 < columns ? column + 1 : 0;
		text_putc(out, column ? ',' : '\n');
	}
	text_release(&valid);
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		text_release(&t->cells[i]);
	free(t->cells);
	t->cells = NULL;
	t->count = t->cap = 0;
}
