/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments: the times of a profile's samples in milliseconds, for views that are
 * finer than the time buckets of the cells.
 */
#ifndef CORE_PROFILE_MOMENTS_H
#define CORE_PROFILE_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

/* A sample, or the part of a sample in one time bucket, of a cell. */
struct moment {
	uint32_t cell; /* index of the profile's cell */
	int32_t ms;    /* since moments.base_ms */
	uint32_t sum;  /* index into moments.sums */
};

/* The values that many moments share. */
struct moment_sum {
	uint64_t count, weight;
	uint32_t span_ms; /* the weight is spread evenly from ms to here */
};

#define MOMENT_RECENT 256

struct moments {
	int64_t base_ms; /* since the epoch, rounded down */
	struct moment *all;
	size_t count, cap;
	struct moment_sum *sums;
	size_t sum_count, sum_cap;
	uint32_t recent[MOMENT_RECENT]; /* private: sums by hash */
	int64_t step_ms; /* ms are multiples of it since the epoch */
	size_t most;     /* maximum number of moments before step_ms grows */
};

/* More samples need more memory than a heat map is worth. */
#define MOMENTS_MAX ((size_t)1 << 25)

/* The same for a profile that grows as long as a user wants: 12 to 36 MB. */
#define MOMENTS_LIVE ((size_t)1 << 20)

struct profile;

/*
 * Makes the profile keep the moments of the samples that are added from now on,
 * in p->moments. Above `most` moments, their times become less exact, until
 * equal ones can be merged. If the times would be hardly finer than the time
 * buckets, or two samples are 12 days apart, the moments are dropped,
 * p->moments is NULL again, and a note tells why.
 */
void profile_keep_moments(struct profile *p, size_t most);

/*
 * Adds a moment of the cell with this index; times are in nanoseconds. Does
 * nothing if the profile does not keep moments.
 */
void moments_add(struct profile *p, size_t cell, int64_t time_ns,
		 uint64_t span_ns, uint64_t count, uint64_t weight);

/*
 * Renames the cells: cell i becomes cell_of[i]; the moments of cells that
 * become UINT32_MAX are dropped.
 */
void moments_rename(struct moments *m, const uint32_t *cell_of);

#endif
