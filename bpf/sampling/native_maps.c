/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/native_maps.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * An allocator enlarges its memory page by page.  A part that follows another
 * one within this time, by the same call, becomes one with it.
 */
#define JOIN_NS ((uint64_t)CLOCK_NS_PER_S)

/* Gaps that one call fills; a process that has more of them is hostile. */
enum { GAPS_MAX = 256 };

/* Returns the index of the first memory that ends after an address. */
static size_t maps_find(const struct native_maps *m, uint64_t address)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->all[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void maps_insert(struct native_maps *m, size_t at,
			const struct native_map *new)
{
	if (m->count == NATIVE_MAPS_MAX) {
		m->lost++;
		return;
	}
	array_reserve(m->all, m->cap, m->count + 1);
	memmove(m->all + at + 1, m->all + at,
		(m->count - at) * sizeof(*m->all));
	m->all[at] = *new;
	m->count++;
}

/* Adds memory where there is none. */
static void maps_put(struct native_maps *m, const struct native_map *new)
{
	size_t at = maps_find(m, new->start);
	struct native_map *last = at ? &m->all[at - 1] : NULL;

	if (last && last->end == new->start && last->stack == new->stack &&
	    last->thread ==
		    new->thread &&new->time_ns - last->time_ns < JOIN_NS)
		last->end = new->end;
	else
		maps_insert(m, at, new);
}

void native_maps_remove(struct native_maps *m, uint64_t start, uint64_t end)
{
	size_t at = maps_find(m, start), after;

	if (start >= end || at == m->count)
		return;
	if (m->all[at].start < start) {
		struct native_map rest = m->all[at];

		m->all[at++].end = start;
		if (rest.end > end) {
			rest.start = end;
			maps_insert(m, at, &rest);
			return;
		}
	}
	after = at;
	while (after < m->count && m->all[after].end <= end)
		after++;
	if (after < m->count && m->all[after].start < end)
		m->all[after].start = end;
	if (after == at)
		return;
	memmove(m->all + at, m->all + after,
		(m->count - after) * sizeof(*m->all));
	m->count -= after - at;
}

void native_maps_add(struct native_maps *m, const struct native_map *new)
{
	native_maps_remove(m, new->start, new->end);
	maps_put(m, new);
}

void native_maps_fill(struct native_maps *m, const struct native_map *new)
{
	struct native_map gap = *new;

	for (unsigned i = 0; gap.start < new->end; i++) {
		size_t at = maps_find(m, gap.start);
		bool is_last = at == m->count || m->all[at].start >= new->end;
		uint64_t next = is_last ? new->end : m->all[at].end;

		gap.end = is_last ? new->end : m->all[at].start;
		if (i == GAPS_MAX) {
			m->lost++;
			return;
		}
		if (gap.end > gap.start)
			maps_put(m, &gap);
		gap.start = next;
	}
}

void native_maps_release(struct native_maps *m)
{
	free(m->all);
	*m = (struct native_maps){ 0 };
}
