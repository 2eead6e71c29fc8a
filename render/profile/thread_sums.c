/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/thread_sums.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "render/profile/row_sort.h"
#include "render/text/measure.h"

#include <stdlib.h>

/* A row for each cell of the view, by thread, then label of the leaf. */
static struct row *rows_of(const struct profile *p,
			   const struct event_view *view,
			   const struct frame_table *table, size_t *count)
{
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	bool *in_view = view_events(p, view);
	size_t n = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t calls = profile_calls(p, c->stack);
		uint32_t frame = p->stacks[calls].frame;

		if (!in_view[c->event])
			continue;
		rows[n++] = (struct row){
			.major = c->thread,
			.minor = c->stack ? table->label_of[frame] : NO_LABEL,
			.item = (uint32_t)i,
		};
	}
	free(in_view);
	row_sort(rows, n);
	*count = n;
	return rows;
}

/* The sum of a run of rows of one thread; gives where the next begins. */
static size_t sum_run(struct thread_sum *sum, const struct profile *p,
		      const struct row *rows, size_t count, bool weighs)
{
	uint64_t self = 0;
	size_t i = 0;

	*sum = (struct thread_sum){ rows->major, 0, NO_LABEL, 0 };
	for (; i < count && rows[i].major == rows->major; i++) {
		uint64_t measure = cell_measure(&p->cells[rows[i].item],
						weighs);

		if (i && rows[i].minor != rows[i - 1].minor)
			self = 0;
		self = saturate_add(self, measure);
		sum->total = saturate_add(sum->total, measure);
		if (rows[i].minor != NO_LABEL && self > sum->leaf_self) {
			sum->leaf = (uint32_t)rows[i].minor;
			sum->leaf_self = self;
		}
	}
	return i;
}

static void sort(struct thread_sum *sums, size_t count)
{
	struct thread_sum *copy = xmalloc(count * sizeof(*copy));
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct row){ UINT64_MAX - sums[i].total, 0, i };
		copy[i] = sums[i];
	}
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		sums[i] = copy[rows[i].item];
	free(rows);
	free(copy);
}

struct thread_sum *thread_sums(const struct profile *p,
			       const struct event_view *view, bool weights,
			       const struct frame_table *table, size_t *count)
{
	bool weighs = view_weighs(view, weights);
	struct thread_sum *sums = NULL;
	size_t row_count, cap = 0;
	struct row *rows = rows_of(p, view, table, &row_count);

	*count = 0;
	for (size_t i = 0; i < row_count;) {
		array_reserve(sums, cap, *count + 1);
		i += sum_run(&sums[(*count)++], p, rows + i, row_count - i,
			     weighs);
	}
	sort(sums, *count);
	free(rows);
	return sums;
}
