/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/hot_frames.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/profile/sort.h"

#include <stdlib.h>
#include <string.h>

/* What is counted at the leaf frames of a view, by frame id. */
static uint64_t *selfs_of(const struct profile *p,
			  const struct event_view *view, bool weights)
{
	uint64_t *selfs = xcalloc(p->frame_count, sizeof(*selfs));
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t calls = profile_calls(p, c->stack);
		uint64_t *self = &selfs[p->stacks[calls].frame];

		if (i + AHEAD < p->cell_count)
			__builtin_prefetch(&p->stacks[c[AHEAD].stack]);
		if (c->stack && in_view[c->event])
			*self = saturate_add(*self, cell_measure(c, weighs));
	}
	free(in_view);
	return selfs;
}

/* All frames, those of one method one after another. */
static struct row *by_method(const struct profile *p)
{
	size_t count = p->frame_count - 1;
	struct row *rows = xmalloc(count * sizeof(*rows));

	for (uint32_t id = 1; id <= count; id++) {
		const struct frame *f = &p->frames[id];

		rows[id - 1] = (struct row){ f->method, f->class_name, id };
	}
	row_sort(rows, count);
	return rows;
}

static bool same_method(const struct row *a, const struct row *b)
{
	return a->major == b->major && a->minor == b->minor;
}

/* Puts a frame among the hottest, if it belongs there; gives their number. */
static size_t keep_hottest(struct hot_frame *hot, size_t count,
			   struct hot_frame candidate)
{
	size_t at = count;

	if (!candidate.self)
		return count;
	while (at > 0 && hot[at - 1].self < candidate.self)
		at--;
	if (at == HOT_FRAMES)
		return count;
	if (count < HOT_FRAMES)
		count++;
	memmove(hot + at + 1, hot + at, (count - at - 1) * sizeof(*hot));
	hot[at] = candidate;
	return count;
}

/* A bit for each of the hottest methods, at all of its frames. */
static uint32_t *bits_of(const struct profile *p, const struct row *rows,
			 const struct hot_frame *hot, size_t count)
{
	uint32_t *bits = xcalloc(p->frame_count, sizeof(*bits));

	/* hot[].frame is the first of its run of rows. */
	for (size_t i = 0; i < count; i++)
		bits[hot[i].frame] = 2u << i;
	for (size_t i = 1; i + 1 < p->frame_count; i++) {
		if (same_method(&rows[i], &rows[i - 1]))
			bits[rows[i].item] = bits[rows[i - 1].item];
	}
	return bits;
}

/* Adds each stack trace's total to those of its methods, outermost calls. */
static void add_totals(struct flame_widths *w, const uint32_t *bits,
		       struct hot_frame *hot)
{
	const struct profile *p = w->profile;

	/* A mark carries the bits of the frames that lead to it. */
	for (size_t id = 1; id < p->stack_count; id++) {
		const struct stack *s = &p->stacks[id];
		uint32_t above, here;

		if (id + AHEAD < p->stack_count)
			__builtin_prefetch(&w->marks[s[AHEAD].caller]);
		if (!w->marks[id])
			continue;
		above = s->caller ? w->marks[s->caller] : 1;
		here = bits[s->frame];
		w->marks[id] = above | here;
		if (here & ~above) {
			uint64_t *total = &hot[__builtin_ctz(here) - 1].total;

			*total = saturate_add(*total, w->totals[id]);
		}
	}
}

size_t hot_frames(struct flame_widths *w, const struct event_view *view,
		  bool weights, struct hot_frame *hot)
{
	const struct profile *p = w->profile;
	struct row *rows = by_method(p);
	uint64_t *selfs = selfs_of(p, view, weights);
	uint32_t *bits;
	size_t count = 0;

	for (size_t i = 0; i + 1 < p->frame_count;) {
		struct hot_frame method = { .frame = rows[i].item };
		const struct row *first = &rows[i];

		for (; i + 1 < p->frame_count && same_method(first, &rows[i]);
		     i++)
			method.self = saturate_add(method.self,
						   selfs[rows[i].item]);
		count = keep_hottest(hot, count, method);
	}
	bits = bits_of(p, rows, hot, count);
	add_totals(w, bits, hot);
	free(bits);
	free(selfs);
	free(rows);
	return count;
}
