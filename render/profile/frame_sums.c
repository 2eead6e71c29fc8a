/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/frame_sums.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "render/profile/row_sort.h"
#include "render/text/measure.h"

#include <stdlib.h>
#include <string.h>

/* The callees of each stack trace that holds a sample, in chains; 0 ends. */
struct callees {
	uint32_t *first, *next;
};

static struct callees callees_of(const struct flame_widths *w)
{
	const struct profile *p = w->profile;
	struct callees c = {
		.first = xcalloc(p->stack_count, sizeof(*c.first)),
		.next = xcalloc(p->stack_count, sizeof(*c.next)),
	};

	/* Each is put in front: in the end they count up. */
	for (size_t id = p->stack_count; id-- > 1;) {
		uint32_t *first = &c.first[p->stacks[id].caller];

		if (!w->totals[id])
			continue;
		c.next[id] = *first;
		*first = (uint32_t)id;
	}
	return c;
}

/* A walk from the root, with what is on the way to where it is. */
struct walk {
	const struct flame_widths *w;
	const uint32_t *label_of; /* by frame */
	struct frame_sum *sums;   /* by label */
	uint32_t *on_path;        /* by label: how often */
};

static void enter(struct walk *walk, uint32_t id)
{
	const struct profile *p = walk->w->profile;
	uint32_t label = walk->label_of[p->stacks[id].frame];
	struct frame_sum *sum = &walk->sums[label];

	/* A class is no call, and has a table of its own. */
	if (walk->on_path[label]++ == 0 && profile_calls(p, id) == id)
		sum->total = saturate_add(sum->total, walk->w->totals[id]);
}

static void leave(struct walk *walk, uint32_t id)
{
	uint32_t frame = walk->w->profile->stacks[id].frame;

	walk->on_path[walk->label_of[frame]]--;
}

static void add_totals(struct walk *walk)
{
	const struct stack *stacks = walk->w->profile->stacks;
	struct callees c = callees_of(walk->w);
	uint32_t id = c.first[0];

	while (id) {
		enter(walk, id);
		if (c.first[id]) {
			id = c.first[id];
			continue;
		}
		while (id && !c.next[id]) {
			leave(walk, id);
			id = stacks[id].caller;
		}
		if (id) {
			leave(walk, id);
			id = c.next[id];
		}
	}
	free(c.first);
	free(c.next);
}

static void add_selfs(struct walk *walk, const struct event_view *view,
		      bool weights)
{
	const struct profile *p = walk->w->profile;
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		struct frame_sum *sum;
		uint32_t calls;

		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&p->stacks[c[AHEAD].stack]);
		if (!c->stack || !in_view[c->event])
			continue;
		calls = profile_calls(p, c->stack);
		sum = &walk->sums[walk->label_of[p->stacks[calls].frame]];
		sum->self = saturate_add(sum->self, cell_measure(c, weighs));
	}
	free(in_view);
}

/* Sorts twice; the second keeps the order of the first among equals. */
static struct frame_sum *sorted(const struct frame_sum *sums, size_t count)
{
	struct frame_sum *result = xmalloc(count * sizeof(*result));
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct row){ UINT64_MAX - sums[i].total, 0, i };
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		rows[i].minor = UINT64_MAX - sums[rows[i].item].self;
	row_sort(rows, count);
	for (size_t i = 0; i < count; i++)
		result[i] = sums[rows[i].item];
	free(rows);
	return result;
}

struct frame_sum *frame_sums(const struct flame_widths *w,
			     const struct event_view *view, bool weights,
			     const struct frame_table *table)
{
	size_t count = table->label_count;
	struct walk walk = {
		.w = w,
		.label_of = table->label_of,
		.sums = xcalloc(count, sizeof(*walk.sums)),
		.on_path = xcalloc(count, sizeof(*walk.on_path)),
	};
	struct frame_sum *result;

	for (uint32_t i = 0; i < count; i++)
		walk.sums[i].label = i;
	add_selfs(&walk, view, weights);
	add_totals(&walk);
	result = sorted(walk.sums, count);
	free(walk.sums);
	free(walk.on_path);
	return result;
}
