/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up totals of stack traces and merges the narrow ones. */
#include "render/page/flame_widths.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/profile/frame_table.h"

#include <stdlib.h>
#include <string.h>

void flame_widths_init(struct flame_widths *w, const struct profile *p)
{
	*w = (struct flame_widths){ .profile = p };
	w->totals = array_new(p->stack_count, sizeof(*w->totals));
	w->marks = array_new(p->stack_count, sizeof(*w->marks));
}

void flame_widths_release(struct flame_widths *w)
{
	free(w->totals);
	free(w->shares);
	free(w->marks);
	*w = (struct flame_widths){ 0 };
}

/* Marks a stack trace whose samples weigh nothing: it is a node, too. */
static void widths_mark_path(struct flame_widths *w, uint32_t stack)
{
	for (; stack && !w->marks[stack];
	     stack = w->profile->stacks[stack].caller)
		w->marks[stack] = 1;
}

/* Adds the cells of a view to their stack traces; returns the sum. */
static uint64_t widths_add_cells(struct flame_widths *w,
				 const struct event_view *view, bool weights)
{
	const struct profile *p = w->profile;
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);
	uint64_t sum = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint64_t measure = cell_measure(c, weighs);
		uint64_t *total = &w->totals[c->stack];

		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&w->totals[c[AHEAD].stack], 1);
		if (!in_view[c->event])
			continue;
		sum = saturate_add(sum, measure);
		if (measure)
			*total = saturate_add(*total, measure);
		else
			widths_mark_path(w, c->stack);
	}
	free(in_view);
	return sum;
}

/* Returns the largest share of a stack trace in any view. */
static inline float widths_share(const struct flame_widths *w, size_t id)
{
	return w->shares ? w->shares[id]
			 : (float)((double)w->totals[id] * w->scale);
}

/* Starts another view: stores the shares so far, resets the totals. */
static void widths_start_view(struct flame_widths *w)
{
	size_t count = w->profile->stack_count;
	float *shares;

	if (w->views++ == 0)
		return;
	if (!w->shares) {
		shares = xmalloc(count * sizeof(*shares));
		for (size_t id = 0; id < count; id++)
			shares[id] = widths_share(w, id);
		w->shares = shares;
	}
	memset(w->totals, 0, count * sizeof(*w->totals));
}

void flame_widths_add(struct flame_widths *w, const struct event_view *view,
		      bool weights)
{
	const struct stack *stacks = w->profile->stacks;
	uint64_t *totals = w->totals;
	uint64_t sum;

	widths_start_view(w);
	sum = widths_add_cells(w, view, weights);
	w->scale = sum ? 1 / (double)sum : 0;
	/* Ids of callees are greater than their callers'. */
	for (size_t id = w->profile->stack_count; id-- > 1;) {
		uint64_t *total = &totals[stacks[id].caller];

		if (id > AHEAD)
			__builtin_prefetch(&totals[stacks[id - AHEAD].caller]);
		if (!totals[id])
			continue;
		*total = saturate_add(*total, totals[id]);
		w->marks[id] = 1;
		if (w->shares) {
			float share = (float)((double)totals[id] * w->scale);

			if (share > w->shares[id])
				w->shares[id] = share;
		}
	}
}

void flame_widths_cut(struct flame_widths *w, double share)
{
	w->least = (float)share;
}

/*
 * A bin of shares is the upper 20 of the 32 bits of a float. For non-negative
 * floats the bits sort like the numbers; a bin is 1/2048 of the share wide.
 */
#define SHARE_SHIFT 12
#define SHARE_BINS  ((size_t)1 << (31 - SHARE_SHIFT))

static uint32_t widths_share_bits(float share)
{
	uint32_t bits;

	memcpy(&bits, &share, sizeof(bits));
	return bits >> SHARE_SHIFT;
}

static float widths_share_of_bits(size_t bin)
{
	uint32_t bits = (uint32_t)bin << SHARE_SHIFT;
	float share;

	memcpy(&share, &bits, sizeof(share));
	return share;
}

/*
 * Returns by how much the number of nodes changes when `least` falls into each
 * bin. A node is drawn from its own bin down. It also has a callee for small
 * frames, until `least` reaches the bin of its narrowest callee. Meanwhile
 * marks hold 1 + SHARE_BINS - that bin. The caller frees the array.
 */
static int32_t *widths_count_bins(struct flame_widths *w)
{
	const struct stack *stacks = w->profile->stacks;
	int32_t *bins = array_new(SHARE_BINS, sizeof(*bins));
	uint32_t *marks = w->marks;

	for (size_t id = w->profile->stack_count; id-- > 1;) {
		uint32_t *caller = &marks[stacks[id].caller];
		uint32_t bin, mark;

		if (id > AHEAD)
			__builtin_prefetch(&marks[stacks[id - AHEAD].caller]);
		if (!marks[id])
			continue;
		bin = widths_share_bits(widths_share(w, id));
		mark = 1 + (uint32_t)SHARE_BINS - bin;
		if (*caller < mark)
			*caller = mark;
		bins[bin]++;
		if (marks[id] > 1) {
			bins[bin]++;
			bins[SHARE_BINS + 1 - marks[id]]--;
		}
	}
	return bins;
}

void flame_widths_fit(struct flame_widths *w, size_t max)
{
	size_t bin = SHARE_BINS;
	int64_t nodes = 1; /* the small frames of the root */
	int32_t *bins;

	if (w->profile->stack_count - 1 <= max)
		return;
	bins = widths_count_bins(w);
	while (bin > 0 && nodes + bins[bin - 1] <= (int64_t)max)
		nodes += bins[--bin];
	w->least = widths_share_of_bits(bin);
	free(bins);
}

/* Finds or adds the small_frames() callee of a node. */
static uint32_t widths_draft_small_callee(struct draft *d, uint32_t node,
					  uint32_t frame)
{
	uint32_t small = d->nodes[node].small;

	if (!small) {
		small = draft_add(d, node, frame);
		d->nodes[node].small = small;
	}
	return small;
}

size_t flame_widths_draft(struct flame_widths *w, struct draft *d)
{
	const struct stack *stacks = w->profile->stacks;
	uint32_t frame = small_frames(w->profile);
	size_t count = w->profile->stack_count;
	uint32_t *marks = w->marks;
	size_t elided = 0;

	marks[0] = 0;
	for (size_t id = 1; id < count; id++) {
		uint32_t caller = stacks[id].caller;

		if (id + AHEAD < count) {
			uint32_t ahead = stacks[id + AHEAD].caller;

			__builtin_prefetch(&marks[ahead]);
			__builtin_prefetch(&w->totals[ahead]);
		}
		if (!marks[id])
			continue;
		if (widths_share(w, id) >= w->least) {
			marks[id] = draft_add(d, marks[caller],
					      stacks[id].frame);
			continue;
		}
		elided++;
		/* Narrow callers are in small frames already. */
		if (caller && widths_share(w, caller) < w->least)
			marks[id] = marks[caller];
		else
			marks[id] = widths_draft_small_callee(d, marks[caller],
							      frame);
	}
	return elided;
}
