/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_totals: sums, percentiles and histograms of pauses.
 *
 * Pauses are grouped by kind, collector and cause; safepoints without a
 * collection by their operation; concurrent cycles by their collector.
 */
#ifndef CORE_GC_GC_TOTALS_H
#define CORE_GC_GC_TOTALS_H

#include "core/gc/gc_pause.h"

/*
 * Durations. Percentiles are exact for the first 65,536 values; with more, they
 * are at most 1.6% too large.
 */
struct gc_durations {
	uint64_t count;
	uint64_t unknown; /* stops without the value */
	int64_t sum_ns, longest_ns;
	int64_t *values; /* the first ones */
	size_t value_count, value_cap;
	uint64_t *buckets; /* NULL until the values are too many */
};

void gc_durations_add(struct gc_durations *d, int64_t ns, unsigned count);
void gc_durations_release(struct gc_durations *d);

/* The value that `percent` of all values do not exceed; GC_ABSENT if empty. */
int64_t gc_durations_percentile(struct gc_durations *d, double percent);

/*
 * Counts the values from 2^i microseconds up to 2^(i+1) in counts[i + 1], and
 * smaller ones in counts[0].
 */
enum { GC_POWERS = 32 };
void gc_durations_powers(struct gc_durations *d, uint64_t counts[GC_POWERS]);

struct gc_group {
	enum gc_kind kind;
	char collector[48];
	char reason[96]; /* the cause or operation; "" = unknown */
	struct gc_durations stopped, sync, gc;
	uint64_t stops;      /* including those with an unknown duration */
	uint64_t together;   /* stops that the source could not separate */
	int64_t together_ns; /* the longest stopped time of such a record */
};

/* Ends of the first and last record on a clock. */
struct gc_period {
	int64_t begin_ns, end_ns;
	bool has_begun;
	bool has_gaps; /* a record lacks the time */
};

/* At most 256 groups; records beyond are added to the last, "(others)". */
struct gc_totals {
	struct gc_group *groups; /* in the order of their first records */
	size_t count, cap;
	struct gc_group collections, safepoints; /* sums of all groups */
	uint64_t stops[GC_KINDS];
	/* The longest time to safepoint and its operation; GC_ABSENT = none. */
	int64_t longest_sync_ns;
	char longest_sync[96];
	/* Since the epoch, and since the start of the JVM. */
	struct gc_period wall, uptime;
};

/* A zeroed struct is empty. */
void gc_totals_add(struct gc_totals *t, const struct gc_pause *p);
void gc_totals_release(struct gc_totals *t);

/*
 * Returns the time in ns from the first to the last record; 0 if they have no
 * clock in common, as those of several logs.
 */
int64_t gc_totals_span(const struct gc_totals *t);

/* Sorts groups by kind, collections first, and by stopped time. */
void gc_totals_sort(struct gc_totals *t);

#endif
