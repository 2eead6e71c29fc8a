/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/moments.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdlib.h>

#define MS_NS 1000000

void profile_keep_moments(struct profile *p)
{
	if (!p->moments)
		p->moments = xcalloc(1, sizeof(*p->moments));
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
	return ns / MS_NS - (ns % MS_NS < 0);
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
	if (m->count == MOMENTS_MAX) {
		moments_drop(p, "heat maps omitted: more than 33,554,432 "
				"samples");
		return;
	}
	if (ms < INT32_MIN / 2 || ms > INT32_MAX / 2 ||
	    span_ns / MS_NS > INT32_MAX / 2) {
		moments_drop(p, "heat maps omitted: more than 12 days between "
				"samples");
		return;
	}
	array_reserve(m->all, m->cap, m->count + 1);
	m->all[m->count++] = (struct moment){
		(uint32_t)cell, (int32_t)ms,
		moments_sum(m,
			    &(struct moment_sum){ count, weight,
						  (uint32_t)(span_ns / MS_NS) })
	};
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
