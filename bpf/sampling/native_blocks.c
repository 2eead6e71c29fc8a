/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/native_blocks.h"

#include "core/base/alloc.h"

#include <stdlib.h>

enum { SWEEP_LEAST = 4096 };

void native_blocks_add(struct native_blocks *b, const struct native_block *new,
		       native_live_fn *is_live, void *self)
{
	b->taken++;
	array_add(b->all, b->count, b->cap, *new);
	if (b->count < SWEEP_LEAST || b->count < b->sweep_at)
		return;
	native_blocks_sweep(b, is_live, self);
	b->sweep_at = 2 * b->count;
}

void native_blocks_sweep(struct native_blocks *b, native_live_fn *is_live,
			 void *self)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->count; i++)
		if (is_live(self, &b->all[i]))
			b->all[kept++] = b->all[i];
	b->count = kept;
}

void native_blocks_release(struct native_blocks *b)
{
	free(b->all);
	*b = (struct native_blocks){ 0 };
}

/* Returns 1 - exp(-x) for x >= 0, with an error below 1e-9. */
static double chance(double x)
{
	unsigned doublings = 0;
	double p;

	if (x > 40)
		return 1;
	while (x > 1.0 / 64) {
		x /= 2;
		doublings++;
	}
	p = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)));
	while (doublings-- > 0)
		p *= 2 - p; /* 1 - exp(-2x) = (1 - e)(1 + e), e = exp(-x) */
	return p;
}

uint64_t native_block_weight(uint64_t size, uint64_t interval)
{
	if (!interval || !size)
		return size;
	return (uint64_t)((double)size /
				  chance((double)size / (double)interval) +
			  0.5);
}
