/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_widths.h"

#include "core/base/alloc.h"
#include "render/frame_table.h"
#include "render/measure.h"

#include <stdlib.h>
#include <string.h>

void flame_widths_init(struct flame_widths *w, const struct profile *p)
{
	*w = (struct flame_widths){ .profile = p };
	w->totals = xcalloc(p->stack_count, sizeof(*w->totals));
	w->shares = xcalloc(p->stack_count, sizeof(*w->shares));
	w->marks = xcalloc(p->stack_count, sizeof(*w->marks));
}

void flame_widths_release(struct flame_widths *w)
{
	free(w->totals);
	free(w->shares);
	free(w->marks);
	*w = (struct flame_widths){ 0 };
}

/* A sample that weighs nothing is to have its place all the same. */
static void mark_path(struct flame_widths *w, uint32_t stack)
{
	for (; stack && !w->marks[stack];
	     stack = w->profile->stacks[stack].caller)
		w->marks[stack] = 1;
}

/* Adds the cells of a view to their stack traces; gives the sum. */
static uint64_t add_cells(struct flame_widths *w, const struct event_view *view,
			  bool weights)
{
	const struct profile *p = w->profile;
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);
	uint64_t sum = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint64_t measure = cell_measure(c, weighs);
		uint64_t *total = &w->totals[c->stack];

		if (!in_view[c->event])
			continue;
		sum = add_measures(sum, measure);
		if (measure)
			*total = add_measures(*total, measure);
		else
			mark_path(w, c->stack);
	}
	free(in_view);
	return sum;
}

void flame_widths_add(struct flame_widths *w, const struct event_view *view,
		      bool weights)
{
	const struct stack *stacks = w->profile->stacks;
	size_t count = w->profile->stack_count;
	uint64_t *totals = w->totals;
	uint64_t sum;
	double scale;

	if (w->added)
		memset(totals, 0, count * sizeof(*totals));
	w->added = true;
	sum = add_cells(w, view, weights);
	scale = sum ? 1 / (double)sum : 0;
	/* Ids of callees are greater than their callers'. */
	for (size_t id = count; id-- > 1;) {
		uint64_t *total = &totals[stacks[id].caller];
		float share = (float)((double)totals[id] * scale);

		if (!totals[id])
			continue;
		*total = add_measures(*total, totals[id]);
		w->marks[id] = 1;
		if (share > w->shares[id])
			w->shares[id] = share;
	}
}

void flame_widths_cut(struct flame_widths *w, double share)
{
	w->least = (float)share;
}

/*
 * Shares are told apart by the first 20 of their 32 bits, which for floats that
 * are not negative sort as the numbers do: to 1/2048 of themselves.
 */
#define SHARE_SHIFT 12
#define SHARE_BINS  ((size_t)1 << (31 - SHARE_SHIFT))

static uint32_t share_bits(float share)
{
	uint32_t bits;

	memcpy(&bits, &share, sizeof(bits));
	return bits >> SHARE_SHIFT;
}

static float share_of_bits(size_t bin)
{
	uint32_t bits = (uint32_t)bin << SHARE_SHIFT;
	float share;

	memcpy(&share, &bits, sizeof(share));
	return share;
}

/*
 * How the number of nodes grows when the least share falls into each bin.  A
 * node is there from its own share down.  It has a callee for small frames too,
 * until the least share is that of its narrowest callee.
 */
static int32_t *count_bins(const struct flame_widths *w)
{
	const struct stack *stacks = w->profile->stacks;
	size_t count = w->profile->stack_count;
	int32_t *bins = xcalloc(SHARE_BINS, sizeof(*bins));
	/* The bin of the narrowest callee, from above; 0 = no callees. */
	uint32_t *narrowest = xcalloc(count, sizeof(*narrowest));

	for (size_t id = count; id-- > 1;) {
		uint32_t bin = share_bits(w->shares[id]);
		uint32_t *callers = &narrowest[stacks[id].caller];
		uint32_t from_above = (uint32_t)SHARE_BINS - bin;

		if (!w->marks[id])
			continue;
		if (*callers < from_above)
			*callers = from_above;
		bins[bin]++;
		if (narrowest[id]) {
			bins[bin]++;
			bins[SHARE_BINS - narrowest[id]]--;
		}
	}
	free(narrowest);
	return bins;
}

void flame_widths_fit(struct flame_widths *w, size_t max)
{
	size_t bin = SHARE_BINS;
	int64_t nodes = 1; /* small frames among the roots */
	int32_t *bins;

	if (w->profile->stack_count - 1 <= max)
		return;
	bins = count_bins(w);
	while (bin > 0 && nodes + bins[bin - 1] <= (int64_t)max)
		nodes += bins[--bin];
	w->least = share_of_bits(bin);
	free(bins);
}

/* Finds or makes the callee that stands for the small ones of a node. */
static uint32_t small_callee(struct draft *d, uint32_t *small, uint32_t node,
			     uint32_t frame)
{
	if (d->nodes[node].frame == frame && node)
		return node;
	if (!small[node])
		small[node] = draft_add(d, node, frame);
	return small[node];
}

static size_t count_wide(const struct flame_widths *w)
{
	size_t wide = 0;

	for (size_t id = 1; id < w->profile->stack_count; id++)
		wide += w->marks[id] && w->shares[id] >= w->least;
	return wide;
}

size_t flame_widths_draft(struct flame_widths *w, struct draft *d)
{
	const struct stack *stacks = w->profile->stacks;
	uint32_t frame = small_frames(w->profile);
	/* With each a callee for the small ones, and those of the roots. */
	size_t most = 2 * count_wide(w) + 2;
	uint32_t *small = xcalloc(most, sizeof(*small));
	size_t elided = 0;

	array_reserve(d->nodes, d->cap, most);
	w->marks[0] = 0;
	for (size_t id = 1; id < w->profile->stack_count; id++) {
		uint32_t *mark = &w->marks[id];
		uint32_t caller = w->marks[stacks[id].caller];

		if (!*mark)
			continue;
		if (w->shares[id] >= w->least) {
			*mark = draft_add(d, caller, stacks[id].frame);
		} else {
			*mark = small_callee(d, small, caller, frame);
			elided++;
		}
	}
	free(small);
	return elided;
}
