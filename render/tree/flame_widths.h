/* SPDX-License-Identifier: Apache-2.0 */
/* flame_widths: the totals of stack traces, and which are too narrow to draw.
 */
#ifndef RENDER_TREE_FLAME_WIDTHS_H
#define RENDER_TREE_FLAME_WIDTHS_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/tree/flame_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A run is a series of stack traces of which each is the only callee of the one
 * before, up to the first with samples. All have the same total. A recording
 * with many different stack traces has a hundred stack traces in a run, so the
 * arrays below are indexed by run. Run 0 is the root alone.
 */
struct flame_widths {
	const struct profile *profile;
	uint64_t *starts; /* a bit for each stack trace: it is the first of a
			     run */
	uint32_t *ranks;  /* by word of starts: number of runs before it */
	uint32_t *
		firsts; /* first stack trace of a run; [run_count] is the end */
	uint32_t *callers; /* run that ends with the caller of a run */
	size_t run_count;
	uint64_t *totals; /* totals in the view that was added last */
	double scale;     /* 1 / total of that view */
	float *shares;    /* several views: the largest share; or NULL */
	uint32_t *marks;  /* not 0: has a sample, or a callee that has */
	size_t views;
	float least; /* smallest share to draw */
};

void flame_widths_init(struct flame_widths *w, const struct profile *p);
void flame_widths_release(struct flame_widths *w);

/* Adds the samples of a view, by weight or by count. */
void flame_widths_add(struct flame_widths *w, const struct event_view *view,
		      bool weights);

/* Omits stack traces with less than this share (0 to 1) in every view. */
void flame_widths_cut(struct flame_widths *w, double share);

/*
 * Sets the smallest share that leaves at most max nodes, including [small
 * frames]; does nothing when there are not more stack traces.
 */
void flame_widths_fit(struct flame_widths *w, size_t max);

/*
 * Adds the wide stack traces to a draft. The narrow callees of a caller become
 * one callee, small_frames(). Sets the mark of each run to the node of its last
 * stack trace. Returns the number of omitted stack traces.
 */
size_t flame_widths_draft(struct flame_widths *w, struct draft *d);

/* Returns the run of a stack trace. */
static inline size_t flame_widths_run(const struct flame_widths *w, size_t id)
{
	uint64_t before = w->starts[id / 64] << (63 - id % 64);

	return w->ranks[id / 64] + (size_t)__builtin_popcountll(before) - 1;
}

/* Returns the total of a stack trace in the view that was added last. */
static inline uint64_t flame_widths_total(const struct flame_widths *w,
					  size_t id)
{
	return w->totals[flame_widths_run(w, id)];
}

/* Returns the node of the draft for a stack trace with samples. */
uint32_t flame_widths_node(const struct flame_widths *w, uint32_t id);

#endif
