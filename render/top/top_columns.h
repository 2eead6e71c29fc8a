/* SPDX-License-Identifier: Apache-2.0 */
/* top_columns: the columns of the thread table, and which of them fit. */
#ifndef RENDER_TOP_TOP_COLUMNS_H
#define RENDER_TOP_TOP_COLUMNS_H

#include "core/threads/thread_rates.h"
#include "render/top/screen.h"

#include <stdbool.h>

struct top_column {
	const char *title;
	const char *order; /* sort key of top_order_parse(), or NULL */
	const char *about; /* description in the help */
	unsigned width;    /* 0: the rest of the screen */
	unsigned since;    /* minimum width of a screen that shows it */
	bool is_text;      /* aligned to the left; numbers to the right */
	bool when_present; /* omitted while no thread has the value */
	enum thread_counter counter;
	/* Appends the value and returns its style. */
	enum screen_style (*format)(const struct top_column *c,
				    const struct thread_row *row,
				    struct text *out);
};

enum { TOP_COLUMNS_MAX = 24 };

/* The columns on a screen, from left to right. */
struct top_columns {
	struct {
		const struct top_column *column;
		unsigned at, width;
	} shown[TOP_COLUMNS_MAX];
	size_t count;
};

/* Returns all columns in table order. */
const struct top_column *top_columns_all(size_t *count);

/*
 * Chooses the columns that fit into width; columns without values in rows are
 * omitted (with no rows, none is).
 */
void top_columns_choose(struct top_columns *columns, unsigned width,
			const struct thread_row *rows, size_t count);

/* Returns the column of a sort key, in any case; or NULL. */
const struct top_column *top_columns_by_order(const char *key, size_t len);

#endif
