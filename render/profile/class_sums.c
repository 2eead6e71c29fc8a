/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/class_sums.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "render/profile/row_sort.h"
#include "render/text/measure.h"

#include <stdlib.h>

/* A row for each cell of the view, by class, then owner. */
static struct row *rows_of(const struct profile *p,
			   const struct event_view *view, bool by_owner,
			   size_t *count, bool *is_known)
{
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	bool *in_view = view_events(p, view);
	size_t n = 0;

	*is_known = false;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t class_name;

		if (!in_view[c->event])
			continue;
		class_name = profile_leaf_class(p, c->stack);
		rows[n++] = (struct row){
			.major = class_name,
			.minor = by_owner ? c->owner : 0,
			.item = (uint32_t)i,
		};
		if (by_owner ? c->owner : class_name)
			*is_known = true;
	}
	free(in_view);
	row_sort(rows, n);
	*count = n;
	return rows;
}

/* Twice: the second keeps the order of the first among equals. */
static struct class_sum *sorted(const struct class_sum *sums, size_t count)
{
	struct class_sum *result = xmalloc(count * sizeof(*result));
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct row){ UINT64_MAX - sums[i].samples, 0, i };
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		rows[i].minor = UINT64_MAX - sums[rows[i].item].total;
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		result[i] = sums[rows[i].item];
	free(rows);
	return result;
}

struct class_sum *class_sums(const struct profile *p,
			     const struct event_view *view, bool weights,
			     bool by_owner, size_t *count)
{
	bool weighs = view_weighs(view, weights), is_known;
	struct class_sum *sums = NULL, *result;
	size_t row_count, cap = 0;
	struct row *rows = rows_of(p, view, by_owner, &row_count, &is_known);

	*count = 0;
	for (size_t i = 0; is_known && i < row_count; i++) {
		const struct cell *c = &p->cells[rows[i].item];
		struct class_sum *sum;

		if (!i || rows[i].major != rows[i - 1].major ||
		    rows[i].minor != rows[i - 1].minor) {
			array_reserve(sums, cap, *count + 1);
			sums[(*count)++] = (struct class_sum){
				.class_name = rows[i].major,
				.owner = (uint32_t)rows[i].minor,
			};
		}
		sum = &sums[*count - 1];
		sum->samples = saturate_add(sum->samples, c->count);
		sum->total = saturate_add(sum->total, cell_measure(c, weighs));
	}
	result = sorted(sums, *count);
	free(sums);
	free(rows);
	return result;
}

struct class_sum class_sums_rest(const struct class_sum *sums, size_t first,
				 size_t count)
{
	struct class_sum rest = { 0 };

	for (size_t i = first; i < count; i++) {
		rest.samples = saturate_add(rest.samples, sums[i].samples);
		rest.total = saturate_add(rest.total, sums[i].total);
	}
	return rest;
}

void class_sum_name(struct text *out, const struct profile *p,
		    const struct class_sum *sum, const struct style *style)
{
	const struct frame f = {
		.class_name = sum->class_name,
		.kind = FRAME_CLASS,
	};
	const struct style plain = { .simple = style->simple };

	if (sum->class_name)
		frame_name(out, p, &f, &plain);
}
