/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_sums: the sums of a large page's samples. The page is drawn from them
 * before it reads its cells. See PAGE.md.
 */
#ifndef RENDER_PAGE_FLAME_SUMS_H
#define RENDER_PAGE_FLAME_SUMS_H

#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of an event, in the order of the data block. */
enum {
	SUM_NODE,
	SUM_NODE_COUNT,
	SUM_NODE_WEIGHT,
	SUM_THREAD_COUNT,
	SUM_THREAD_WEIGHT,
	SUM_STATE_COUNT,
	SUM_STATE_WEIGHT,
	SUM_BUCKET_COUNT,
	SUM_BUCKET_WEIGHT,
	SUM_STEP_COUNT,
	SUM_STEP_WEIGHT,
	SUM_COLUMNS
};

struct flame_sum {
	uint64_t count, weight;
};

/* Sums of one event. */
struct flame_sums {
	struct flame_sum *threads; /* by index into the page's threads */
	size_t thread_count;
	struct flame_sum states[THREAD_STATES + 1]; /* the last is idle */
	struct flame_sum buckets[PROFILE_BUCKETS + 1];
	uint32_t node, node_before;
	struct flame_sum of_node; /* of the current node */
	struct text *columns;     /* SUM_COLUMNS; borrowed */
};

/* A cell of the page, in the numbers of its columns. */
struct flame_sum_cell {
	uint32_t node, thread;
	uint16_t bucket;
	uint8_t state;
	struct flame_sum sum;
};

/*
 * Returns true if the profile has so many samples that the page should show
 * sums first.
 */
bool flame_sums_are_useful(const struct profile *p);

/* Starts the sums of an event with `threads` threads, written to columns. */
void flame_sums_init(struct flame_sums *s, struct text *columns,
		     size_t threads);

/* Adds a cell; cells come in the order of their nodes. */
void flame_sums_add(struct flame_sums *s, struct flame_sum_cell cell);

/* Writes all columns but those of steps, and releases the sums. */
void flame_sums_end(struct flame_sums *s);

/* Writes the columns of steps: sums[k] is the sum of step k. */
void flame_sums_put_steps(struct text *columns, const struct flame_sum *sums,
			  size_t steps);

#endif
