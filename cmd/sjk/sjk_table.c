/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sjk/sjk_table.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "render/text/table.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sjk_table_add(struct sjk_table *t, const char *fmt, ...)
{
	va_list args;
	char *cell;

	va_start(args, fmt);
	if (vasprintf(&cell, fmt, args) < 0)
		alloc_give_up(0);
	va_end(args);
	array_add(t->cells, t->count, t->cap, cell);
}

static size_t cell_tabs(const char *cell)
{
	size_t tabs = 0;

	for (; *cell; cell++)
		tabs += *cell == '\t';
	return tabs;
}

static size_t cell_width(const char *cell)
{
	return text_width(cell, strlen(cell)) - cell_tabs(cell);
}

/* Appends the first characters of a cell, and three dots. */
static void cell_cut(struct text *line, const char *cell, size_t width)
{
	size_t left = width - 3;

	for (; *cell; cell++) {
		/* A character begins where no continuation byte is. */
		if (((unsigned char)*cell & 0xc0) != 0x80 && !left--)
			break;
		if (*cell != '\t')
			text_putc(line, *cell);
		else
			left++;
	}
	text_puts(line, "...");
}

/* Spreads the gap evenly over the tabs; without tabs, it is at the end. */
static void cell_print(struct text *line, const char *cell, size_t width)
{
	size_t own = cell_width(cell), tabs = cell_tabs(cell), gap;

	if (own > width) {
		cell_cut(line, cell, width);
		return;
	}
	gap = width - own;
	for (; *cell; cell++) {
		if (*cell == '\t') {
			size_t fill = (gap + tabs - 1) / tabs;

			text_spaces(line, fill);
			gap -= fill;
			tabs--;
		} else {
			text_putc(line, *cell);
		}
	}
	text_spaces(line, gap);
}

static size_t *table_widths(const struct sjk_table *t, size_t max_width)
{
	size_t *widths = xcalloc(t->columns, sizeof(*widths));

	for (size_t i = 0; i < t->count; i++) {
		size_t width = cell_width(t->cells[i]);
		size_t *widest = &widths[i % t->columns];

		if (width > max_width)
			width = max_width;
		if (width > *widest)
			*widest = width;
	}
	return widths;
}

/* Prints a line without the spaces at its end. */
static void table_print_line(struct text *line, struct output *out)
{
	while (line->len && line->bytes[line->len - 1] == ' ')
		line->len--;
	output_write(out, line->bytes, line->len);
	output_puts(out, "\n");
	text_clear(line);
}

static void table_print_rule(const struct sjk_table *t, const size_t *widths,
			     struct text *line, struct output *out)
{
	for (size_t i = 0; i < t->columns; i++) {
		if (i)
			text_putc(line, '+');
		for (size_t k = 0; k < widths[i]; k++)
			text_putc(line, '-');
	}
	table_print_line(line, out);
}

void sjk_table_print(const struct sjk_table *t, struct output *out,
		     size_t max_width, bool bordered)
{
	size_t *widths = table_widths(t, max_width);
	struct text line = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		cell_print(&line, t->cells[i], widths[i % t->columns]);
		if ((i + 1) % t->columns) {
			if (bordered)
				text_putc(&line, '|');
			continue;
		}
		table_print_line(&line, out);
		if (bordered && i + 1 == t->columns)
			table_print_rule(t, widths, &line, out);
	}
	text_release(&line);
	free(widths);
}

static bool cell_is_plain(const char *cell, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)cell[i]) &&
		    (signed char)cell[i] >= 0 && !strchr("._-$", cell[i]))
			return false;
	}
	return true;
}

static void cell_print_csv(struct text *line, const char *cell)
{
	bool formula;
	size_t len;

	while (is_blank(*cell))
		cell++;
	len = strlen(cell);
	while (len && is_blank(cell[len - 1]))
		len--;
	/* SJK leaves formulas active. */
	formula = csv_is_formula(cell, len);
	if (!formula && cell_is_plain(cell, len)) {
		text_add(line, cell, len);
		return;
	}
	text_putc(line, '"');
	if (formula)
		text_putc(line, '\'');
	for (size_t i = 0; i < len; i++) {
		if (cell[i] == '"')
			text_putc(line, '"');
		if (cell[i] != '\t')
			text_putc(line, cell[i] == '\n' ? ' ' : cell[i]);
	}
	text_putc(line, '"');
}

void sjk_table_print_csv(const struct sjk_table *t, struct output *out)
{
	struct text line = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		cell_print_csv(&line, t->cells[i]);
		text_putc(&line, (i + 1) % t->columns ? ',' : '\n');
	}
	output_write(out, line.bytes, line.len);
	text_release(&line);
}

void sjk_table_release(struct sjk_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
}
