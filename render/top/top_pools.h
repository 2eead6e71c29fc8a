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
	LINE_MEMBER, /* a thread of the open pool above */
	LINE_ALONE,  /* a thread outside the table */
};

/* A line of the table. */
struct top_line {
	const struct thread_row *row; /* LINE_POOL: sums of the pool */
	enum top_line_kind kind;
	uint32_t pool;  /* id of a LINE_POOL; 0 = none */
	size_t members; /* number of threads of a LINE_POOL */
	bool is_open;
};

/* A zeroed struct has no pools. */
struct top_pools {
	struct intern names; /* pool names, with * for each number */
	bool *open;          /* by pool id */
	size_t open_cap;
	bool all_open;      /* new pools are open */
	struct pool *pools; /* pools of the current sample */
	size_t count, cap;
	size_t *of_id; /* by pool id: 1 + index into pools; 0 = none */
	size_t of_id_cap;
	size_t *next; /* by row: 1 + next row of its pool; 0 = none */
	size_t next_cap;
	struct thread_row *rows;       /* one per pool: sums */
	struct thread_sample *samples; /* their thread samples */
	size_t row_cap, sample_cap;
	struct text name;
	struct top_line *lines;
	size_t line_count, line_cap;
};

/*
 * Groups count rows, which are sorted by `order`, and sorts the pools likewise.
 * Sets p->lines and returns p->line_count; both are valid until the next call
 * and while the rows are.
 */
size_t top_pools_group(struct top_pools *p, const struct thread_row *rows,
		       size_t count, const struct top_order *order);

/* Opens or closes a pool; call top_pools_group() afterwards. */
void top_pools_open(struct top_pools *p, uint32_t pool, bool open);
void top_pools_open_all(struct top_pools *p, bool open);

void top_pools_release(struct top_pools *p);

#endif
