/* SPDX-License-Identifier: Apache-2.0 */
/* sjk_table: tables as SJK prints them, for scripts that parse its output. */
#ifndef CMD_SJK_SJK_TABLE_H
#define CMD_SJK_SJK_TABLE_H

#include "core/base/output.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* The caller sets columns; all cells of a row follow one another. */
struct sjk_table {
	size_t columns;
	char **cells;
	size_t count, cap;
};

/* A tab in a cell is the place that takes the spaces of a wider column. */
void sjk_table_add(struct sjk_table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Longer cells are truncated to max_width characters. bordered: with lines
 * between the columns and below the first row.
 */
void sjk_table_print(const struct sjk_table *t, struct output *out,
		     size_t max_width, bool bordered);

/* Prints the cells without tabs and without spaces around them. */
void sjk_table_print_csv(const struct sjk_table *t, struct output *out);

void sjk_table_release(struct sjk_table *t);

#endif
