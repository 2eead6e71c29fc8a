/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_pools: groups threads whose names differ only in numbers.
 *
 * "pool-3-thread-12" belongs to "pool-*-thread-*". A pool of one thread is
 * shown as a thread.
 */
#ifndef RENDER_TOP_TOP_POOLS_H
#define RENDER_TOP_TOP_POOLS_H

#include "core/base/intern.h"
#include "core/threads/thread_rates.h"
#include "render/top/top_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum top_line_kind {
	LINE_THREAD,
	LINE_POOL,
	LINE_MEMBER, /* of the open pool above it */
	LINE_ALONE,  /* of no table */
};

/* A line of the table. */
struct top_line {
	const struct thread_row *row; /* of a pool: sums */
	enum top_line_kind kind;
	uint32_t pool;  /* its id, of LINE_POOL; 0 = none */
	size_t members; /* of LINE_POOL */
	bool is_open;
};

/* A zeroed struct has no pools. */
struct top_pools {
	struct intern names; /* with their numbers replaced */
	bool *open;          /* by id */
	size_t open_cap;
	bool all_open;      /* those, too, that have not been seen yet */
	struct pool *pools; /* those of now */
	size_t count, cap;
	size_t *of_id; /* by id: 1 + its place among pools; 0 = none */
	size_t of_id_cap;
	size_t *next; /* by row: 1 + the next of the same pool; 0 = none */
	size_t next_cap;
	struct thread_row *rows;       /* one a pool: sums */
	struct thread_sample *samples; /* what they point to */
	size_t row_cap, sample_cap;
	struct text name;
	struct top_line *lines;
	size_t line_count, line_cap;
};

/*
 * Groups count rows, which are sorted by order, as the pools will be. Sets
 * p->lines and p->line_count, which are valid until the next call and as long
 * as the rows.
 */
size_t top_pools_group(struct top_pools *p, const struct thread_row *rows,
		       size_t count, const struct top_order *order);

/* Opens or closes a pool; call top_pools_group() afterwards. */
void top_pools_open(struct top_pools *p, uint32_t pool, bool open);
void top_pools_open_all(struct top_pools *p, bool open);

void top_pools_release(struct top_pools *p);

#endif
