/* SPDX-License-Identifier: Apache-2.0 */
/* table: writes rows of cells as aligned text or as CSV. */
#ifndef RENDER_TEXT_TABLE_H
#define RENDER_TEXT_TABLE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct table_column {
	const char *head;
	bool right; /* a number: aligned to the right, never a formula in CSV */
};

/* A zeroed struct with its columns set is an empty table. */
struct table {
	const struct table_column *columns; /* borrowed */
	size_t column_count;
	struct text *cells; /* row by row; the last row may be unfinished */
	size_t count, cap;
};

/* Adds an empty cell to fill; the pointer is valid until the next call. */
struct text *table_cell(struct table *t);

/* Adds a cell with foreign text. */
void table_add(struct table *t, const char *string);

/*
 * Appends the heads and a line per row, with two spaces between columns. Cells
 * are made safe for a terminal (core/base/safe_text). Lines longer than width
 * characters are truncated with "…"; 0 = never.
 */
void table_text(const struct table *t, size_t width, struct text *out);

/*
 * Appends CSV (RFC 4180, but lines end with LF). Cells are safe for a terminal.
 * Text that a spreadsheet would read as a formula is prefixed with "'".
 */
void table_csv(const struct table *t, struct text *out);

void table_release(struct table *t);

/* True if a spreadsheet would read the text, or its rest, as a formula. */
bool csv_is_formula(const char *bytes, size_t len);

enum csv_quotes {
	CSV_NUMBER, /* quoted if necessary, never read as a formula */
	CSV_TEXT,   /* quoted if necessary */
	CSV_QUOTED, /* quoted always */
};

/*
 * Appends one field of table_csv(): a text of valid UTF-8, terminated by NUL.
 */
void csv_field(struct text *out, const char *bytes, size_t len,
	       enum csv_quotes quotes);

#endif
