/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/moments.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/saturate.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdlib.h>

/* Minimum number of steps in a bucket; fewer show no more than the bucket. */
#define STEPS_LEAST 32

void profile_keep_moments(struct profile *p, size_t most)
{
	if (p->moments)
		return;
	p->moments = xcalloc(1, sizeof(*p->moments));
	p->moments->step_ms = 1;
	p->moments->most = most;
}

void moments_free(struct moments *m)
{
	if (!m)
		return;
	free(m->all);
	free(m->sums);
	free(m);
}

static int64_t moment_ms_of(int64_t ns)
{
	return ns / CLOCK_NS_PER_MS - (ns % CLOCK_NS_PER_MS < 0);
}

static void moments_drop(struct profile *p, const char *why)
{
	moments_free(p->moments);
	p->moments = NULL;
	profile_note(p, why, 1, "%s", "");
}

/* Returns the index of the sum; a sum that was not used lately is repeated. */
static uint32_t moments_sum(struct moments *m, const struct moment_sum *s)
{
	uint64_t hash = hash_mix(s->count ^ (uint64_t)s->span_ms << 32,
				 s->weight);
	uint32_t *recent = &m->recent[hash % MOMENT_RECENT];

	if (*recent < m->sum_count) {
		const struct moment_sum *known = &m->sums[*recent];

		if (known->count == s->count && known->weight == s->weight &&
		    known->span_ms == s->span_ms)
			return *recent;
	}
	array_reserve(m->sums, m->sum_cap, m->sum_count + 1);
	m->sums[m->sum_count] = *s;
	*recent = (uint32_t)m->sum_count;
	return (uint32_t)m->sum_count++;
}

static int moment_compare(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return x->ms < y->ms ? -1 : x->ms > y->ms;
}

/*
 * Rounds a moment down to a multiple of the step since the epoch, and its end
 * up; returns its sum. The span of a moment within one step becomes 0.
 */
static struct moment_sum moment_round(const struct moments *m,
				      struct moment *one)
{
	struct moment_sum sum = m->sums[one->sum];
	int64_t step = m->step_ms;
	int64_t at = m->base_ms + one->ms;
	int64_t first = at - (at % step + step) % step;
	int64_t span = sum.span_ms ? at - first + sum.span_ms : 0;

	sum.span_ms = span <= step
			      ? 0
			      : (uint32_t)((span + step - 1) / step * step);
	one->ms = (int32_t)(first - m->base_ms);
	return sum;
}

/* Rounds all moments to m->step_ms; merges those of a cell that become equal.
 */
static void moments_merge(struct moments *m)
{
	struct moments merged = *m;
	struct moment_sum sum = { 0 };
	struct moment last = { 0 };

	merged.sums = NULL;
	merged.count = merged.sum_count = merged.sum_cap = 0;
	for (size_t i = 0; i < m->count; i++) {
		struct moment one = m->all[i];
		struct moment_sum more = moment_round(m, &one);

		if (i && one.cell == last.cell && one.ms == last.ms &&
		    more.span_ms == sum.span_ms) {
			sum.count = saturate_add(sum.count, more.count);
			sum.weight = saturate_add(sum.weight, more.weight);
			continue;
		}
		if (i) {
			last.sum = moments_sum(&merged, &sum);
			/* In place: at most i - 1 moments were written. */
			merged.all[merged.count++] = last;
		}
		last = one;
		sum = more;
	}
	if (m->count) {
		last.sum = moments_sum(&merged, &sum);
		merged.all[merged.count++] = last;
	}
	free(m->sums);
	*m = merged;
}

/*
 * Makes steps longer, each a multiple of the one before, until half of the
 * moments are gone. Returns false if no useful step is long enough.
 */
static bool moments_coarsen(struct profile *p)
{
	struct moments *m = p->moments;
	int64_t longest = p->bucket_ns / CLOCK_NS_PER_MS / STEPS_LEAST;

	qsort(m->all, m->count, sizeof(*m->all), moment_compare);
	while (m->count > m->most / 2) {
		int64_t factor = m->step_ms == 5 ? 4 : 5; /* 1, 5, 20, 100 */

		if (m->step_ms * factor > longest)
			return false;
		m->step_ms *= factor;
		moments_merge(m);
	}
	return true;
}

void moments_add(struct profile *p, size_t cell, int64_t time_ns,
		 uint64_t span_ns, uint64_t count, uint64_t weight)
{
	struct moments *m = p->moments;
	int64_t ms;

	if (!m)
		return;
	ms = moment_ms_of(time_ns);
	if (!m->count)
		m->base_ms = ms;
	ms -= m->base_ms;
	if (m->count >= m->most && !moments_coarsen(p)) {
		moments_drop(p, "heat maps omitted: too many samples");
		return;
	}
	if (ms < INT32_MIN / 2 || ms > INT32_MAX / 2 ||
	    span_ns / CLOCK_NS_PER_MS > INT32_MAX / 2) {
		moments_drop(p, "heat maps omitted: more than 12 days between "
				"samples");
		return;
	}
	array_add(m->all, m->count, m->cap,
		  (struct moment){
			  (uint32_t)cell, (int32_t)ms,
			  moments_sum(m,
				      &(struct moment_sum){
					      count, weight,
					      (uint32_t)(span_ns /
							 CLOCK_NS_PER_MS) }) });
}

void moments_rename(struct moments *m, const uint32_t *cell_of)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct moment one = m->all[i];

		one.cell = cell_of[one.cell];
		if (one.cell != UINT32_MAX)
			m->all[kept++] = one;
	}
	m->count = kept;
}
