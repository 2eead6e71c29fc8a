/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen: a grid of cells, which is what a terminal shows, as a value.
 *
 * Views draw into it; a terminal shows it (render/terminal.h), or it becomes
 * text.  Whatever is put into it passes safe_text() and is measured after
 * that, so no foreign name reaches a terminal raw or pushes others aside.
 *
 * Widths are those of wcwidth(3): LC_CTYPE has to be of UTF-8, unless the
 * screen is of ASCII.  What lies outside the grid is not drawn.
 */
#ifndef RENDER_TOP_SCREEN_H
#define RENDER_TOP_SCREEN_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a cell means; terminal.c knows how that looks. */
enum screen_style {
	STYLE_PLAIN,
	STYLE_DIM,   /* nothing to see here: zero, absent, old */
	STYLE_BOLD,  /* look at this */
	STYLE_TITLE, /* the uppermost line */
	STYLE_HEAD,  /* titles of columns */
	STYLE_SORTED,
	STYLE_SELECTED,
	STYLE_FOLLOWED,
	STYLE_KEY,   /* in the lowest line: what to press */
	STYLE_LABEL, /* and what it does */
	STYLE_WARM,  /* rather much */
	STYLE_HOT,   /* very much, or wrong */
	STYLE_USER,  /* of the program: its CPU time in user mode */
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
	char bytes[CELL_BYTES]; /* a character and marks on it; UTF-8 */
	uint8_t len;            /* 0: the right half of the one before */
	uint8_t style;
};

/* A zeroed struct is an empty screen. */
struct screen {
	unsigned columns, rows;
	bool ascii; /* what is not ASCII is shown as "?" */
	struct screen_cell *cells;
	size_t cap;
	struct text safe; /* private */
};

/* Makes it that large, within the limits above, and blank. */
void screen_resize(struct screen *s, unsigned columns, unsigned rows);
void screen_clear(struct screen *s);
void screen_release(struct screen *s);

const struct screen_cell *screen_cell(const struct screen *s, unsigned row,
				      unsigned column);

/*
 * Puts len bytes of foreign text from that cell on, at most width columns; what
 * does not fit is cut and ends with an ellipsis.  Gives the columns used.
 */
unsigned screen_put(struct screen *s, unsigned row, unsigned column,
		    unsigned width, enum screen_style style, const char *bytes,
		    size_t len);

/* The same, its end at column + width when it is narrower. */
unsigned screen_put_right(struct screen *s, unsigned row, unsigned column,
			  unsigned width, enum screen_style style,
			  const char *bytes, size_t len);

/* How many columns it takes as screen_put() shows it. */
unsigned screen_width(struct screen *s, const char *bytes, size_t len);

/* Gives so many columns a style; what stands there stays. */
void screen_paint(struct screen *s, unsigned row, unsigned column,
		  unsigned width, enum screen_style style);

/* Appends it as text: a line for each row, without the blanks at its end. */
void screen_text(const struct screen *s, struct text *out);

/*
 * A pen writes from left to right within one row.  What does not fit whole is
 * left out: half a figure would be another figure.
 */
struct pen {
	struct screen *screen;
	unsigned row, column, end;
};

struct pen pen_at(struct screen *s, unsigned row);

/* False when it did not fit. */
bool pen_put(struct pen *pen, enum screen_style style, const char *text);
bool pen_printf(struct pen *pen, enum screen_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
