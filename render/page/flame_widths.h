/* SPDX-License-Identifier: Apache-2.0 */
/* flame_widths: the totals of stack traces, and which are too narrow to draw.
 */
#ifndef RENDER_PAGE_FLAME_WIDTHS_H
#define RENDER_PAGE_FLAME_WIDTHS_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arrays are indexed by stack trace id. */
struct flame_widths {
	const struct profile *profile;
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
 * one callee, small_frames(). Sets the mark of each stack trace to its node of
 * the draft. Returns the number of omitted stack traces.
 */
size_t flame_widths_draft(struct flame_widths *w, struct draft *d);

#endif
