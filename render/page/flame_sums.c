/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame_sums.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/moments.h"

#include <stdlib.h>

/* A browser reads fewer cells and times in some 50 ms. */
#define SUMS_FROM ((size_t)1 << 16)

bool flame_sums_are_useful(const struct profile *p)
{
	return p->cell_count + (p->moments ? p->moments->count : 0) > SUMS_FROM;
}

void flame_sums_init(struct flame_sums *s, struct text *columns, size_t threads)
{
	*s = (struct flame_sums){
		.threads = xcalloc(threads, sizeof(*s->threads)),
		.thread_count = threads,
		.columns = columns,
	};
}

static void flame_sum_add(struct flame_sum *sum, const struct flame_sum *more)
{
	sum->count = saturate_add(sum->count, more->count);
	sum->weight = saturate_add(sum->weight, more->weight);
}

static void flame_sums_put_node(struct flame_sums *s)
{
	if (!s->of_node.count && !s->of_node.weight)
		return;
	text_varint(&s->columns[SUM_NODE], s->node - s->node_before);
	text_varint(&s->columns[SUM_NODE_COUNT], s->of_node.count);
	text_varint(&s->columns[SUM_NODE_WEIGHT], s->of_node.weight);
	s->node_before = s->node;
	s->of_node = (struct flame_sum){ 0 };
}

void flame_sums_add(struct flame_sums *s, struct flame_sum_cell cell)
{
	if (cell.node != s->node) {
		flame_sums_put_node(s);
		s->node = cell.node;
	}
	flame_sum_add(&s->of_node, &cell.sum);
	if (cell.thread < s->thread_count)
		flame_sum_add(&s->threads[cell.thread], &cell.sum);
	flame_sum_add(&s->states[cell.state], &cell.sum);
	flame_sum_add(&s->buckets[cell.bucket], &cell.sum);
}

/* Writes two columns of sums. */
static void flame_sums_put(struct text *columns, const struct flame_sum *sums,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		text_varint(&columns[0], sums[i].count);
		text_varint(&columns[1], sums[i].weight);
	}
}

void flame_sums_end(struct flame_sums *s)
{
	flame_sums_put_node(s);
	flame_sums_put(&s->columns[SUM_THREAD_COUNT], s->threads,
		       s->thread_count);
	flame_sums_put(&s->columns[SUM_STATE_COUNT], s->states,
		       THREAD_STATES + 1);
	flame_sums_put(&s->columns[SUM_BUCKET_COUNT], s->buckets,
		       PROFILE_BUCKETS + 1);
	free(s->threads);
	*s = (struct flame_sums){ 0 };
}

void flame_sums_put_steps(struct text *columns, const struct flame_sum *sums,
			  size_t steps)
{
	bool weighs = false;

	for (size_t i = 0; i < steps; i++)
		weighs |= sums[i].count != sums[i].weight;
	flame_sums_put(&columns[SUM_STEP_COUNT], sums, steps);
	if (!weighs)
		text_clear(&columns[SUM_STEP_WEIGHT]);
}
