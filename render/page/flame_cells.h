/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_cells: the samples of the views as columns of the page.
 */
#ifndef RENDER_PAGE_FLAME_CELLS_H
#define RENDER_PAGE_FLAME_CELLS_H

#include "core/base/text.h"
#include "render/page/flame_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they stand in the block. */
enum {
	CELL_NODE,
	CELL_THREAD,
	CELL_STATE,
	CELL_BUCKET,
	CELL_COUNT,
	CELL_WEIGHT,
	CELL_COLUMNS
};

struct flame_cells {
	const struct flame_data *data;
	uint32_t *threads; /* ids of those that have samples */
	size_t thread_count;
	uint32_t *thread_index; /* by id of the thread */
	bool has_states, has_times;
	size_t *counts; /* cells of each view */
};

/* Finds out which threads, states and times there are to be told apart. */
void flame_cells_init(struct flame_cells *cells, const struct flame_data *data);
void flame_cells_release(struct flame_cells *cells);

/* Appends the cells of a view to its CELL_COLUMNS columns. */
void flame_cells_put(struct flame_cells *cells, size_t view,
		     struct text *columns);

/* text_varint() for the millions of small numbers. */
static inline void column_put(struct text *column, uint64_t value)
{
	if (value < 0x80 && column->len + 1 < column->cap)
		column->bytes[column->len++] = (char)value;
	else
		text_varint(column, value);
}

#endif
