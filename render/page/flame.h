/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame: writes the flame graph page, a single HTML file without external
 * resources. PAGE.md in this directory is its specification.
 */
#ifndef RENDER_PAGE_FLAME_H
#define RENDER_PAGE_FLAME_H

#include "core/base/output.h"
#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>

/*
 * Two recordings on one page. Views come in pairs: of the first recording, then
 * of the second.
 */
struct flame_comparison {
	const char *names[2];     /* of the recordings */
	const char *const *bases; /* by pair: "time", "total", …; for display */
	/* By pair: the sums of the first times this compare to the second. */
	const double *weight_scales, *sample_scales;
	/* By pair: frames whose self or total changed significantly, as lines.
	 */
	const struct text *changed_selfs, *changed_totals;
};

struct flame_options {
	const char *title;
	const char *source; /* name of the input */
	struct style style; /* initial settings; annotate is ignored */
	double min_width;   /* percent of an event's total; < 0: automatic */
	bool no_threads;    /* omit threads, states and times */
	const struct flame_comparison *comparison; /* or NULL */
};

/* Result of writing a page. */
struct flame_result {
	size_t nodes;  /* distinct stack traces on the page */
	size_t elided; /* omitted stack traces: narrower than `below` */
	double below;  /* percentage of the total, in every view */
};

/* Maximum number of nodes with an automatic min_width: browsers get slow. */
#define FLAME_NODES ((size_t)1000000)

/* Writes the page: a tab per view; it opens with the selected view. */
struct flame_result flame_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct flame_options *options);

#endif
