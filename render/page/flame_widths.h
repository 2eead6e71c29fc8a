/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_widths: how wide stack traces are drawn, and which are too narrow.
 */
#ifndef RENDER_PAGE_FLAME_WIDTHS_H
#define RENDER_PAGE_FLAME_WIDTHS_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All by id of the stack trace. */
struct flame_widths {
	const struct profile *profile;
	uint64_t *totals; /* in the view that was added last */
	double scale;     /* makes its totals shares of the view */
	float *shares;    /* with several views: where it is most; or NULL */
	uint32_t *marks;  /* not 0: a sample or a callee is here */
	size_t views;
	float least; /* what has a lesser share is left out */
};

void flame_widths_init(struct flame_widths *w, const struct profile *p);
void flame_widths_release(struct flame_widths *w);

/* Adds what a view counts. */
void flame_widths_add(struct flame_widths *w, const struct event_view *view,
		      bool weights);

/* Leaves out what has less than this share (of 1) in every view. */
void flame_widths_cut(struct flame_widths *w, double share);

/*
 * Finds the smallest share that leaves at most max nodes, if all of them are
 * more than that; [small frames] are counted.
 */
void flame_widths_fit(struct flame_widths *w, size_t max);

/*
 * Drafts what is wide enough.  What is not becomes one callee of its caller,
 * small_frames().  Sets the mark of each stack trace to its node, or that of
 * the small frames it is among.  Gives the number of nodes left out.
 */
size_t flame_widths_draft(struct flame_widths *w, struct draft *d);

#endif
