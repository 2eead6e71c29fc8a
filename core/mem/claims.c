/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/claims.h"

#include "core/base/alloc.h"
#include "core/mem/pages.h"

#include <stdlib.h>
#include <string.h>

enum { CLAIMS_MOST = 1 << 20 };

void claims_add(struct claims *c, uint64_t start, uint64_t end,
		enum mem_part part, const char *detail)
{
	const uint64_t mask = PAGE_BYTES - 1;

	if (start >= end || end > UINT64_MAX - mask || c->count == CLAIMS_MOST)
		return;
	array_add(c->all, c->count, c->cap,
		  (struct claim){ start & ~mask, (end + mask) & ~mask, part,
				  detail });
}

static int claim_compare(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static void claims_sort(struct claim *all, size_t count)
{
	if (count)
		qsort(all, count, sizeof(*all), claim_compare);
}

void claims_settle(struct claims *c)
{
	size_t batch = c->count - c->settled, cap = 0, count = 0;
	struct claim *pieces = NULL, *added;
	uint64_t pos = 0;

	if (!batch)
		return;
	added = c->all + c->settled;
	claims_sort(added, batch);
	for (size_t i = 0; i < batch; i++) {
		uint64_t from = added[i].start > pos ? added[i].start : pos, to;

		while (claims_gap(c, &from, added[i].end, &to)) {
			array_add(pieces, count, cap, added[i]);
			pieces[count - 1].start = from;
			pieces[count - 1].end = to;
			from = to;
		}
		if (added[i].end > pos)
			pos = added[i].end;
	}
	array_reserve(c->all, c->cap, c->settled + count);
	if (count)
		memcpy(c->all + c->settled, pieces, count * sizeof(*pieces));
	c->count = c->settled += count;
	claims_sort(c->all, c->count);
	free(pieces);
}

void claims_release(struct claims *c)
{
	free(c->all);
	*c = (struct claims){ 0 };
}

size_t claims_after(const struct claims *c, uint64_t address)
{
	size_t low = 0, high = c->settled;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->all[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool claims_gap(const struct claims *c, uint64_t *from, uint64_t end,
		uint64_t *to)
{
	size_t i = claims_after(c, *from);

	while (i < c->settled && c->all[i].start <= *from)
		*from = c->all[i++].end;
	if (*from >= end)
		return false;
	*to = i < c->settled && c->all[i].start < end ? c->all[i].start : end;
	return true;
}
