/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_moments: the second data block of the page, with the times of samples
 * in steps that are finer than the time buckets of the cells. See PAGE.md.
 */
#ifndef RENDER_PAGE_FLAME_MOMENTS_H
#define RENDER_PAGE_FLAME_MOMENTS_H

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of an event, in the order of the block. */
enum {
	MOMENT_ENTRIES,
	MOMENT_LOW,
	MOMENT_HIGH,
	MOMENT_SAMPLES,
	MOMENT_WEIGHT,
	MOMENT_SPAN,
	MOMENT_COLUMNS
};

struct flame_moments {
	int64_t step_ms, first_step; /* steps count from the epoch */
	int64_t lead_ns; /* from the first step to the first bucket */
	int64_t steps;
	struct text *columns; /* MOMENT_COLUMNS of each view */
	size_t *entries;      /* by view */
	size_t view_count;
};

/*
 * Returns true if the profile has moments, and they are finer than its buckets.
 */
bool flame_moments_are_useful(const struct profile *p);

/*
 * Encodes the moments. place_of[i] is 1 + the number of the page's cell that
 * the profile's cell i became, counted over all views, or 0; view v has
 * counts[v] of them. Also writes the steps of sums, SUM_COLUMNS of each
 * view, unless it is NULL.
 */
void flame_moments_init(struct flame_moments *f, const struct profile *p,
			const uint32_t *place_of, const size_t *counts,
			size_t view_count, struct text *sums);
void flame_moments_release(struct flame_moments *f);

/* Adds the value of "moments" in the page's JSON. */
void flame_moments_put_head(const struct flame_moments *f, struct json *j);

/* Appends the uncompressed block. */
void flame_moments_put_block(const struct flame_moments *f, struct text *out);

#endif
