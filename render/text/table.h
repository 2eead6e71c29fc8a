/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: texts in columns, for a person or as CSV.
 */
#ifndef RENDER_TEXT_TABLE_H
#define RENDER_TEXT_TABLE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct table_column {
	const char *head;
	bool right; /* numbers: these are also left alone in CSV */
};

/* A zeroed struct with its columns set is an empty table. */
struct table {
	const struct table_column *columns; /* borrowed */
	size_t column_count;
	struct text *cells; /* row by row; the last row may be unfinished */
	size_t count, cap;
};

/* The next cell, empty, to be filled; valid until the next call. */
struct text *table_cell(struct table *t);

/* The next cell with a foreign text in it. */
void table_add(struct table *t, const char *string);

/*
 * Appends the heads and a line for each row, columns under each other, two
 * spaces between.  Texts are made safe for a terminal (core/base/safe_text).
 * Lines longer than width characters are cut and end with "…"; 0 = never.
 */
void table_text(const struct table *t, size_t width, struct text *out);

/*
 * Appends the same as CSV (RFC 4180, but lines end with LF).  A text that a
 * spreadsheet would take for a formula gets a "'" in front.
 */
void table_csv(const struct table *t, struct text *out);

void table_release(struct table *t);

enum csv_quotes {
	CSV_NUMBER, /* quoted if necessary, never taken for a formula */
	CSV_TEXT,   /* quoted if necessary */
	CSV_QUOTED, /* quoted always */
};

/*
 * Appends one field of table_csv(): a text of valid UTF-8, terminated by NUL.
 */
void csv_field(struct text *out, const char *bytes, size_t len,
	       enum csv_quotes quotes);

#endif
