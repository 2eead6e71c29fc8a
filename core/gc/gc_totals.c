/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_totals.h"

#include "core/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	EXACT_VALUES = 65536,
	GROUPS = 256,
	/* Buckets of a power of two; a bucket is 1/64 of it wide. */
	BUCKET_BITS = 6,
	BUCKETS = 64 << BUCKET_BITS,
};

/* ---- durations ---- */

static size_t bucket_of(int64_t ns)
{
	uint64_t value = ns < 0 ? 0 : (uint64_t)ns;
	int shift;

	if (value < 1U << BUCKET_BITS)
		return (size_t)value;
	shift = 63 - __builtin_clzll(value) - BUCKET_BITS;
	return (((size_t)shift + 1) << BUCKET_BITS) +
	       (size_t)((value >> shift) & ((1U << BUCKET_BITS) - 1));
}

/* The largest value of a bucket. */
static int64_t bucket_end(size_t bucket)
{
	uint64_t shift = bucket >> BUCKET_BITS;
	uint64_t low = bucket & ((1U << BUCKET_BITS) - 1);

	if (!shift)
		return (int64_t)low;
	return (int64_t)((((low + (1U << BUCKET_BITS)) + 1) << (shift - 1)) -
			 1);
}

static void durations_fill_buckets(struct gc_durations *d)
{
	d->buckets = xcalloc(BUCKETS, sizeof(*d->buckets));
	for (size_t i = 0; i < d->value_count; i++)
		d->buckets[bucket_of(d->values[i])]++;
}

void gc_durations_add(struct gc_durations *d, int64_t ns, unsigned count)
{
	int64_t each = count > 1 ? ns / count : ns;

	d->count += count;
	if (__builtin_add_overflow(d->sum_ns, ns, &d->sum_ns))
		d->sum_ns = INT64_MAX;
	if (each > d->longest_ns)
		d->longest_ns = each;
	for (unsigned i = 0; i < count && d->value_count < EXACT_VALUES; i++) {
		array_add(d->values, d->value_count, d->value_cap, each);
	}
	if (d->count > EXACT_VALUES && !d->buckets) {
		durations_fill_buckets(d);
		d->buckets[bucket_of(each)] += d->count - d->value_count;
	} else if (d->buckets) {
		d->buckets[bucket_of(each)] += count;
	}
}

void gc_durations_release(struct gc_durations *d)
{
	free(d->values);
	free(d->buckets);
	*d = (struct gc_durations){ 0 };
}

static int compare_ns(const void *a, const void *b)
{
	const int64_t *one = a, *two = b;

	return *one < *two ? -1 : *one > *two;
}

int64_t gc_durations_percentile(struct gc_durations *d, double percent)
{
	uint64_t rank = (uint64_t)ceil(percent / 100 * (double)d->count);
	uint64_t below = 0;

	if (!d->count)
		return GC_ABSENT;
	if (rank < 1)
		rank = 1;
	if (!d->buckets) {
		qsort(d->values, d->value_count, sizeof(*d->values),
		      compare_ns);
		return d->values[rank - 1];
	}
	for (size_t i = 0; i < BUCKETS; i++) {
		below += d->buckets[i];
		if (below >= rank)
			return bucket_end(i) < d->longest_ns ? bucket_end(i)
							     : d->longest_ns;
	}
	return d->longest_ns;
}

static size_t power_of(int64_t ns)
{
	uint64_t us = ns < 0 ? 0 : (uint64_t)ns / 1000;
	size_t power = us ? (size_t)(64 - __builtin_clzll(us)) : 0;

	return power < GC_POWERS ? power : GC_POWERS - 1;
}

void gc_durations_powers(struct gc_durations *d, uint64_t counts[GC_POWERS])
{
	memset(counts, 0, GC_POWERS * sizeof(*counts));
	for (size_t i = 0; !d->buckets && i < d->value_count; i++)
		counts[power_of(d->values[i])]++;
	for (size_t i = 0; d->buckets && i < BUCKETS; i++)
		counts[power_of(bucket_end(i))] += d->buckets[i];
}

/* ---- groups ---- */

static void group_release(struct gc_group *g)
{
	gc_durations_release(&g->stopped);
	gc_durations_release(&g->sync);
	gc_durations_release(&g->gc);
}

static void group_add_time(struct gc_durations *d, const struct gc_pause *p,
			   int64_t ns, unsigned count)
{
	if (ns == GC_ABSENT)
		d->unknown += p->count;
	else
		gc_durations_add(d, ns, count);
}

static void group_add(struct gc_group *g, const struct gc_pause *p)
{
	unsigned count = p->count ? p->count : 1;

	g->stops += p->count;
	if (p->count > 1) {
		g->together += p->count;
		if (p->stopped_ns > g->together_ns)
			g->together_ns = p->stopped_ns;
	}
	group_add_time(&g->stopped, p, p->stopped_ns, count);
	group_add_time(&g->sync, p, p->sync_ns, count);
	group_add_time(&g->gc, p, p->gc_ns, 1);
}

static const char *pause_reason(const struct gc_pause *p)
{
	const char *reason = p->cause;

	if (!reason || p->kind == GC_OTHER)
		reason = p->operation;
	return reason ? reason : "";
}

static struct gc_group *totals_append(struct gc_totals *t, enum gc_kind kind,
				      const char *collector, const char *reason)
{
	struct gc_group *g;

	array_reserve(t->groups, t->cap, t->count + 1);
	g = &t->groups[t->count++];
	*g = (struct gc_group){ .kind = kind };
	snprintf(g->collector, sizeof(g->collector), "%s", collector);
	snprintf(g->reason, sizeof(g->reason), "%s", reason);
	return g;
}

static struct gc_group *totals_find(struct gc_totals *t,
				    const struct gc_pause *p)
{
	const char *collector = p->collector ? p->collector : "";
	const char *reason = pause_reason(p);

	for (size_t i = 0; i < t->count; i++) {
		struct gc_group *g = &t->groups[i];

		if (g->kind == p->kind &&
		    strncmp(g->collector, collector,
			    sizeof(g->collector) - 1) == 0 &&
		    strncmp(g->reason, reason, sizeof(g->reason) - 1) == 0)
			return g;
	}
	if (t->count == GROUPS)
		return &t->groups[GROUPS - 1];
	if (t->count == GROUPS - 1)
		return totals_append(t, p->kind, "", "(others)");
	return totals_append(t, p->kind, collector, reason);
}

static void totals_add_sync(struct gc_totals *t, const struct gc_pause *p)
{
	const char *name = p->operation ? p->operation : p->cause;

	if (p->sync_ns == GC_ABSENT || p->count > 1 ||
	    (t->longest_sync[0] && p->sync_ns <= t->longest_sync_ns))
		return;
	t->longest_sync_ns = p->sync_ns;
	snprintf(t->longest_sync, sizeof(t->longest_sync), "%s",
		 name ? name : gc_kind_name(p->kind));
}

static void period_add(struct gc_period *period, int64_t at_ns)
{
	if (at_ns == GC_ABSENT) {
		period->has_gaps = true;
		return;
	}
	if (!period->has_begun || at_ns < period->begin_ns)
		period->begin_ns = at_ns;
	if (!period->has_begun || at_ns > period->end_ns)
		period->end_ns = at_ns;
	period->has_begun = true;
}

int64_t gc_totals_span(const struct gc_totals *t)
{
	const struct gc_period *p = t->wall.has_gaps ? &t->uptime : &t->wall;
	int64_t span_ns;

	if (p->has_gaps ||
	    __builtin_sub_overflow(p->end_ns, p->begin_ns, &span_ns))
		return 0;
	return span_ns;
}

void gc_totals_add(struct gc_totals *t, const struct gc_pause *p)
{
	t->stops[p->kind] += p->count;
	group_add(totals_find(t, p), p);
	if (gc_pause_is_collection(p))
		group_add(&t->collections, p);
	else if (p->kind == GC_OTHER)
		group_add(&t->safepoints, p);
	totals_add_sync(t, p);
	period_add(&t->wall, p->end_ns);
	period_add(&t->uptime, p->uptime_ns);
}

void gc_totals_release(struct gc_totals *t)
{
	for (size_t i = 0; i < t->count; i++)
		group_release(&t->groups[i]);
	group_release(&t->collections);
	group_release(&t->safepoints);
	free(t->groups);
	*t = (struct gc_totals){ 0 };
}

/* Collections, then cycles and stalls, then other safepoints. */
static int group_rank(const struct gc_group *g)
{
	return g->kind == GC_OTHER ? 2 : !gc_kind_stops(g->kind);
}

static int compare_group(const void *a, const void *b)
{
	const struct gc_group *one = a, *two = b;

	if (group_rank(one) != group_rank(two))
		return group_rank(one) - group_rank(two);
	if (one->stopped.sum_ns != two->stopped.sum_ns)
		return one->stopped.sum_ns > two->stopped.sum_ns ? -1 : 1;
	return one->kind != two->kind ? (int)one->kind - (int)two->kind
				      : strcmp(one->reason, two->reason);
}

void gc_totals_sort(struct gc_totals *t)
{
	if (t->count)
		qsort(t->groups, t->count, sizeof(*t->groups), compare_group);
}
