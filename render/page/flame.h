/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame: the flame graph page, one self-contained HTML file.
 *
 * PAGE.md beside this file says what is in it.
 */
#ifndef RENDER_PAGE_FLAME_H
#define RENDER_PAGE_FLAME_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>

struct flame_options {
	const char *title;
	const char *source; /* what was read, for the page's head */
	struct style style; /* how the page opens; annotate means nothing */
	double min_width;   /* per cent of an event's total; < 0: as is fit */
	bool no_threads;    /* leave out threads, states and times: the graph */
};

/* Result of writing a page. */
struct flame_result {
	size_t nodes;  /* on the page: one for each distinct stack trace */
	size_t elided; /* left out, being narrower than */
	double below;  /* this percentage in every view */
};

/* More are not drawn unless min_width says so: a browser gets slow. */
#define FLAME_NODES ((size_t)1000000)

/* Writes the page: a tab per view, `selected` being the one in front. */
struct flame_result flame_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct flame_options *options);

#endif
