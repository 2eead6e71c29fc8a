/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up totals of stack traces and merges the narrow ones. */
#include "render/tree/flame_widths.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/tree/frame_table.h"

#include <stdlib.h>
#include <string.h>

static void widths_start_run(struct flame_widths *w, size_t id)
{
	w->starts[id / 64] |= (uint64_t)1 << id % 64;
}

static void widths_find_runs(struct flame_widths *w)
{
	const struct profile *p = w->profile;
	const struct stack *stacks = p->stacks;

	widths_start_run(w, 0);
	widths_start_run(w, 1);
	for (size_t id = 1; id < p->stack_count; id++) {
		if (stacks[id].caller + (size_t)1 == id)
			continue;
		widths_start_run(w, id);
		widths_start_run(w, stacks[id].caller + (size_t)1);
	}
	for (size_t i = 0; i < p->cell_count; i++)
		widths_start_run(w, p->cells[i].stack + (size_t)1);
}

/* Numbers the runs. */
static void widths_number_runs(struct flame_widths *w, size_t words)
{
	const struct stack *stacks = w->profile->stacks;
	size_t count = w->profile->stack_count;
	size_t run = 0;

	for (size_t i = 0; i < words; i++) {
		w->ranks[i] = (uint32_t)run;
		run += (size_t)__builtin_popcountll(w->starts[i]);
	}
	w->firsts = array_new(run + 1, sizeof(*w->firsts));
	run = 0;
	for (size_t i = 0; i < words; i++) {
		for (uint64_t bits = w->starts[i]; bits; bits &= bits - 1)
			w->firsts[run++] = (uint32_t)(i * 64) +
					   (uint32_t)__builtin_ctzll(bits);
	}
	/* The bit behind the last stack trace may be set. */
	while (w->firsts[run - 1] >= count)
		run--;
	w->firsts[run] = (uint32_t)count;
	w->run_count = run;
	w->callers = array_new(run, sizeof(*w->callers));
	for (size_t i = 1; i < run; i++)
		w->callers[i] = (uint32_t)flame_widths_run(
			w, stacks[w->firsts[i]].caller);
}

void flame_widths_init(struct flame_widths *w, const struct profile *p)
{
	size_t words = p->stack_count / 64 + 1;

	*w = (struct flame_widths){ .profile = p };
	w->starts = array_new(words, sizeof(*w->starts));
	w->ranks = array_new(words, sizeof(*w->ranks));
	widths_find_runs(w);
	widths_number_runs(w, words);
	w->totals = array_new(w->run_count, sizeof(*w->totals));
	w->marks = array_new(w->run_count, sizeof(*w->marks));
}

void flame_widths_release(struct flame_widths *w)
{
	free(w->starts);
	free(w->ranks);
	free(w->firsts);
	free(w->callers);
	free(w->totals);
	free(w->shares);
	free(w->marks);
	*w = (struct flame_widths){ 0 };
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
		size_t run;
		uint64_t *total;

		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&w->starts[c[AHEAD].stack / 64]);
		if (!in_view[c->event])
			continue;
		run = flame_widths_run(w, c->stack);
		total = &w->totals[run];
		sum = saturate_add(sum, measure);
		if (measure)
			*total = saturate_add(*total, measure);
		/* A stack trace whose samples weigh nothing is a node, too. */
		for (; !measure && run && !w->marks[run]; run = w->callers[run])
			w->marks[run] = 1;
	}
	free(in_view);
	return sum;
}

/* Returns the largest share of a run in any view. */
static inline float widths_share(const struct flame_widths *w, size_t run)
{
	return w->shares ? w->shares[run]
			 : (float)((double)w->totals[run] * w->scale);
}

static size_t widths_length(const struct flame_widths *w, size_t run)
{
	return w->firsts[run + 1] - w->firsts[run];
}

/* Starts another view: stores the shares so far, resets the totals. */
static void widths_start_view(struct flame_widths *w)
{
	size_t count = w->run_count;
	float *shares;

	if (w->views++ == 0)
		return;
	if (!w->shares) {
		shares = xmalloc(count * sizeof(*shares));
		for (size_t i = 0; i < count; i++)
			shares[i] = widths_share(w, i);
		w->shares = shares;
	}
	memset(w->totals, 0, count * sizeof(*w->totals));
}

void flame_widths_add(struct flame_widths *w, const struct event_view *view,
		      bool weights)
{
	uint64_t *totals = w->totals;
	uint64_t sum;

	widths_start_view(w);
	sum = widths_add_cells(w, view, weights);
	w->scale = sum ? 1 / (double)sum : 0;
	/* Ids of callees are greater than their callers'. */
	for (size_t i = w->run_count; i-- > 1;) {
		uint64_t *total = &totals[w->callers[i]];

		if (i > AHEAD)
			__builtin_prefetch(&totals[w->callers[i - AHEAD]]);
		if (!totals[i])
			continue;
		*total = saturate_add(*total, totals[i]);
		w->marks[i] = 1;
		if (w->shares) {
			float share = (float)((double)totals[i] * w->scale);

			if (share > w->shares[i])
				w->shares[i] = share;
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
 * bin. A node is drawn from its own bin down. The last one of a run also has a
 * callee for small frames, until `least` reaches the bin of its narrowest
 * callee. Meanwhile marks hold 1 + SHARE_BINS - that bin. The caller frees the
 * array.
 */
static int32_t *widths_count_bins(struct flame_widths *w)
{
	int32_t *bins = array_new(SHARE_BINS, sizeof(*bins));
	uint32_t *marks = w->marks;

	for (size_t i = w->run_count; i-- > 1;) {
		uint32_t *caller = &marks[w->callers[i]];
		uint32_t bin, mark;

		if (i > AHEAD)
			__builtin_prefetch(&marks[w->callers[i - AHEAD]]);
		if (!marks[i])
			continue;
		bin = widths_share_bits(widths_share(w, i));
		mark = 1 + (uint32_t)SHARE_BINS - bin;
		if (*caller < mark)
			*caller = mark;
		bins[bin] += (int32_t)widths_length(w, i);
		if (marks[i] > 1) {
			bins[bin]++;
			bins[SHARE_BINS + 1 - marks[i]]--;
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

/* Adds the stack traces of a run; returns the node of the last one. */
static uint32_t widths_draft_run(struct flame_widths *w, struct draft *d,
				 size_t run)
{
	const struct stack *stacks = w->profile->stacks;
	uint32_t node = w->marks[w->callers[run]];

	for (size_t id = w->firsts[run]; id < w->firsts[run + 1]; id++)
		node = draft_add(d, node, stacks[id].frame);
	return node;
}

size_t flame_widths_draft(struct flame_widths *w, struct draft *d)
{
	uint32_t frame = small_frames(w->profile);
	uint32_t *marks = w->marks;
	size_t elided = 0;

	marks[0] = 0;
	for (size_t i = 1; i < w->run_count; i++) {
		uint32_t caller = w->callers[i];

		if (i + AHEAD < w->run_count) {
			uint32_t ahead = w->callers[i + AHEAD];

			__builtin_prefetch(&marks[ahead]);
			__builtin_prefetch(&w->totals[ahead]);
		}
		if (!marks[i])
			continue;
		if (widths_share(w, i) >= w->least) {
			marks[i] = widths_draft_run(w, d, i);
			continue;
		}
		elided += widths_length(w, i);
		/* Narrow callers are in small frames already. */
		if (caller && widths_share(w, caller) < w->least)
			marks[i] = marks[caller];
		else
			marks[i] = widths_draft_small_callee(d, marks[caller],
							     frame);
	}
	return elided;
}

uint32_t flame_widths_node(const struct flame_widths *w, uint32_t id)
{
	size_t run = flame_widths_run(w, id);

	if (!w->marks[run] || widths_share(w, run) < w->least)
		return w->marks[run];
	return w->marks[run] - (w->firsts[run + 1] - 1 - id);
}
