/* SPDX-License-Identifier: Apache-2.0 */
/* A grid of cells: puts text into cells by its display width. */
#include "render/top/screen.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS    "\xe2\x80\xa6"

static const struct screen_cell blank = { .bytes = " ", .len = 1 };

static unsigned screen_at_most(unsigned value, unsigned limit)
{
	return value < limit ? value : limit;
}

void screen_resize(struct screen *s, unsigned columns, unsigned rows)
{
	s->columns = screen_at_most(columns, SCREEN_COLUMNS_MAX);
	s->rows = screen_at_most(rows, SCREEN_ROWS_MAX);
	array_reserve(s->cells, s->cap, (size_t)s->columns * s->rows);
	screen_clear(s);
}

void screen_clear(struct screen *s)
{
	size_t count = (size_t)s->columns * s->rows;

	for (size_t i = 0; i < count; i++)
		s->cells[i] = blank;
}

void screen_release(struct screen *s)
{
	free(s->cells);
	text_release(&s->safe);
	*s = (struct screen){ 0 };
}

static struct screen_cell *screen_cell_at(const struct screen *s, unsigned row,
					  unsigned column)
{
	return &s->cells[(size_t)row * s->columns + column];
}

const struct screen_cell *screen_cell(const struct screen *s, unsigned row,
				      unsigned column)
{
	return screen_cell_at(s, row, column);
}

/* A character of a text and its representation in cells. */
struct glyph {
	unsigned taken; /* bytes in the text */
	const char *bytes;
	unsigned len;
	unsigned width; /* columns; 0: a combining mark */
};

/* Decodes a character of valid UTF-8. */
static uint32_t screen_decode_character(const char *bytes, unsigned *len)
{
	const uint8_t *p = (const uint8_t *)bytes;

	*len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	switch (*len) {
	case 1:
		return p[0];
	case 2:
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	case 3:
		return (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 |
		       (p[2] & 0x3fu);
	default:
		return (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
		       (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
	}
}

/*
 * Variation selectors choose a glyph of the character before. Some
 * terminals draw that glyph wider, so the screen omits selectors.
 */
static bool screen_is_variation_selector(uint32_t c)
{
	return c >= 0xfe00 && c <= 0xfe0f;
}

/* Returns the first glyph of text that safe_text() has made. */
static struct glyph screen_next_glyph(const struct screen *s, const char *bytes)
{
	struct glyph g = { .bytes = bytes, .width = 1 };
	uint32_t c = screen_decode_character(bytes, &g.taken);
	int width;

	g.len = g.taken;
	if (c < 0x80)
		return g;
	if (s->ascii)
		return (struct glyph){ g.taken, "?", 1, 1 };
	if (screen_is_variation_selector(c))
		return (struct glyph){ g.taken, "", 0, 0 };
	width = wcwidth((wchar_t)c);
	if (width < 0)
		return (struct glyph){ g.taken, REPLACEMENT, 3, 1 };
	g.width = (unsigned)width;
	return g;
}

/* Replaces the other half of a wide character by a space. */
static void screen_split_wide(struct screen *s, unsigned row, unsigned column)
{
	if (screen_cell_at(s, row, column)->len == 0 && column > 0)
		*screen_cell_at(s, row, column - 1) = blank;
	if (column + 1 < s->columns &&
	    screen_cell_at(s, row, column + 1)->len == 0)
		*screen_cell_at(s, row, column + 1) = blank;
}

static void screen_put_glyph(struct screen *s, unsigned row, unsigned column,
			     enum screen_style style, const struct glyph *g)
{
	struct screen_cell *cell = screen_cell_at(s, row, column);

	screen_split_wide(s, row, column);
	if (g->width == 2) {
		screen_split_wide(s, row, column + 1);
		cell[1] = (struct screen_cell){ .style = (uint8_t)style };
	}
	*cell = (struct screen_cell){ .style = (uint8_t)style };
	memcpy(cell->bytes, g->bytes, g->len);
	cell->len = (uint8_t)g->len;
}

/* Adds a combining mark to a cell, unless the cell is full. */
static void screen_put_mark(struct screen *s, unsigned row, unsigned column,
			    const struct glyph *g)
{
	struct screen_cell *cell = screen_cell_at(s, row, column);

	if (!cell->len && column > 0)
		cell--;
	if (cell->len + g->len > CELL_BYTES)
		return;
	memcpy(cell->bytes + cell->len, g->bytes, g->len);
	cell->len = (uint8_t)(cell->len + g->len);
}

/* Stores the safe form of a text in s->safe; returns its width in columns. */
static unsigned screen_measure(struct screen *s, const char *bytes, size_t len)
{
	unsigned width = 0;

	text_clear(&s->safe);
	safe_text(&s->safe, bytes, len);
	for (size_t i = 0; i < s->safe.len;) {
		struct glyph g = screen_next_glyph(s, s->safe.bytes + i);

		/* Wider than any screen: the exact width does not matter. */
		if (width > SCREEN_COLUMNS_MAX)
			break;
		width += g.width;
		i += g.taken;
	}
	return width;
}

unsigned screen_width(struct screen *s, const char *bytes, size_t len)
{
	return screen_measure(s, bytes, len);
}

static void screen_put_ellipsis(struct screen *s, unsigned row, unsigned column,
				enum screen_style style)
{
	const struct glyph g = {
		.bytes = s->ascii ? "~" : ELLIPSIS,
		.len = s->ascii ? 1 : 3,
		.width = 1,
	};

	screen_put_glyph(s, row, column, style, &g);
}

/*
 * Puts s->safe, which needs this number of columns, and returns the number of
 * used columns.
 */
static unsigned screen_put_safe(struct screen *s, unsigned row, unsigned column,
				unsigned width, unsigned taken,
				enum screen_style style)
{
	bool cut = taken > width;
	unsigned used = 0;

	for (size_t i = 0; i < s->safe.len;) {
		struct glyph g = screen_next_glyph(s, s->safe.bytes + i);

		i += g.taken;
		if (used + g.width + (cut ? 1 : 0) > width)
			break;
		if (g.width)
			screen_put_glyph(s, row, column + used, style, &g);
		else if (used)
			screen_put_mark(s, row, column + used - 1, &g);
		used += g.width;
	}
	if (cut)
		screen_put_ellipsis(s, row, column + used++, style);
	return used;
}

/* Returns how many of the columns from there on are on the screen. */
static unsigned screen_columns_left(const struct screen *s, unsigned row,
				    unsigned column, unsigned width)
{
	if (row >= s->rows || column >= s->columns)
		return 0;
	return screen_at_most(width, s->columns - column);
}

unsigned screen_put(struct screen *s, unsigned row, unsigned column,
		    unsigned width, enum screen_style style, const char *bytes,
		    size_t len)
{
	width = screen_columns_left(s, row, column, width);
	if (!width)
		return 0;
	return screen_put_safe(s, row, column, width,
			       screen_measure(s, bytes, len), style);
}

unsigned screen_put_right(struct screen *s, unsigned row, unsigned column,
			  unsigned width, enum screen_style style,
			  const char *bytes, size_t len)
{
	unsigned taken;

	width = screen_columns_left(s, row, column, width);
	if (!width)
		return 0;
	taken = screen_measure(s, bytes, len);
	if (taken < width)
		column += width - taken;
	return screen_put_safe(s, row, column, width, taken, style);
}

void screen_paint(struct screen *s, unsigned row, unsigned column,
		  unsigned width, enum screen_style style)
{
	width = screen_columns_left(s, row, column, width);
	for (unsigned i = 0; i < width; i++)
		screen_cell_at(s, row, column + i)->style = (uint8_t)style;
}

static void screen_add_row(const struct screen *s, unsigned row,
			   struct text *out)
{
	size_t end = out->len;

	for (unsigned column = 0; column < s->columns; column++) {
		const struct screen_cell *cell = screen_cell_at(s, row, column);

		text_add(out, cell->bytes, cell->len);
		if (cell->len != 1 || cell->bytes[0] != ' ')
			end = out->len;
	}
	out->len = end;
	text_putc(out, '\n');
}

void screen_text(const struct screen *s, struct text *out)
{
	for (unsigned row = 0; row < s->rows; row++)
		screen_add_row(s, row, out);
}

struct pen pen_at(struct screen *s, unsigned row)
{
	return (struct pen){ .screen = s, .row = row, .end = s->columns };
}

bool pen_put(struct pen *pen, enum screen_style style, const char *text)
{
	unsigned left = pen->end > pen->column ? pen->end - pen->column : 0;
	unsigned taken = screen_measure(pen->screen, text, strlen(text));

	if (taken > left || pen->row >= pen->screen->rows)
		return false;
	pen->column += screen_put_safe(pen->screen, pen->row, pen->column, left,
				       taken, style);
	return true;
}

bool pen_printf(struct pen *pen, enum screen_style style, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return pen_put(pen, style, text);
}
