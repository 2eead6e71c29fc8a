/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen: a grid of cells, the contents of a terminal as a value.
 *
 * Views draw into it; terminal.c shows it, or it becomes text. All text passes
 * safe_text() and is measured after that, so no foreign name reaches a terminal
 * raw or displaces other text.
 *
 * Widths are those of wcwidth(3): LC_CTYPE must be UTF-8, unless the screen is
 * ASCII. Cells outside the grid are not drawn.
 */
#ifndef RENDER_TOP_SCREEN_H
#define RENDER_TOP_SCREEN_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of a cell; terminal.c maps it to colors. */
enum screen_style {
	STYLE_PLAIN,
	STYLE_DIM,   /* unimportant: zero, unavailable, old */
	STYLE_BOLD,  /* important */
	STYLE_TITLE, /* title line */
	STYLE_HEAD,  /* column titles */
	STYLE_SORTED,
	STYLE_SELECTED,
	STYLE_FOLLOWED,
	STYLE_KEY,   /* bottom line: a key */
	STYLE_LABEL, /* bottom line: its label */
	STYLE_WARM,  /* high value */
	STYLE_HOT,   /* very high value, or an error */
	STYLE_USER,  /* CPU time of the program in user mode */
	STYLE_SYS,
	STYLE_GC,
	STYLE_JIT,
	STYLE_VM,
	STYLE_NATIVE,
	STYLE_HISTORY,
	STYLES
};

enum {
	/* More of a terminal than this stays empty. */
	SCREEN_COLUMNS_MAX = 1000,
	SCREEN_ROWS_MAX = 400,
	CELL_BYTES = 14,
};

struct screen_cell {
	char bytes[CELL_BYTES]; /* a character and combining marks; UTF-8 */
	uint8_t len;            /* 0: right half of a wide character */
	uint8_t style;
};

/* A zeroed struct is an empty screen. */
struct screen {
	unsigned columns, rows;
	bool ascii; /* other characters are shown as "?" */
	struct screen_cell *cells;
	size_t cap;
	struct text safe; /* private */
};

/* Sets the size, within the limits above, and clears the screen. */
void screen_resize(struct screen *s, unsigned columns, unsigned rows);
void screen_clear(struct screen *s);
void screen_release(struct screen *s);

const struct screen_cell *screen_cell(const struct screen *s, unsigned row,
				      unsigned column);

/*
 * Puts len bytes of foreign text into at most width columns; longer text is
 * truncated and ends with an ellipsis. Returns the number of columns used.
 */
unsigned screen_put(struct screen *s, unsigned row, unsigned column,
		    unsigned width, enum screen_style style, const char *bytes,
		    size_t len);

/* The same, aligned to the right. */
unsigned screen_put_right(struct screen *s, unsigned row, unsigned column,
			  unsigned width, enum screen_style style,
			  const char *bytes, size_t len);

/* Returns the number of columns that screen_put() needs. */
unsigned screen_width(struct screen *s, const char *bytes, size_t len);

/* Sets the style of columns; their text stays. */
void screen_paint(struct screen *s, unsigned row, unsigned column,
		  unsigned width, enum screen_style style);

/* Appends the screen as text: one line per row, without trailing spaces. */
void screen_text(const struct screen *s, struct text *out);

/*
 * A pen writes from left to right within one row. A text that does not fit is
 * omitted: a truncated number would be another number.
 */
struct pen {
	struct screen *screen;
	unsigned row, column, end;
};

struct pen pen_at(struct screen *s, unsigned row);

/* Returns false when the text did not fit. */
bool pen_put(struct pen *pen, enum screen_style style, const char *text);
bool pen_printf(struct pen *pen, enum screen_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
