/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame: the flame graph page, one self-contained HTML file.
 *
 * PAGE.md beside this file says what is in it.
 */
#ifndef RENDER_FLAME_H
#define RENDER_FLAME_H

#include "core/base/output.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdbool.h>

struct flame_options {
	const char *title;
	const char *source; /* what was read, for the page's head */
	bool reverse, threads, lines, simple, weights; /* how it opens */
	double min_width; /* per cent of an event's total; < 0: as is fit */
	bool no_threads;  /* leave out threads, states and times: the graph */
};

/* Writes the page: a tab per view, `selected` being the one in front. */
void flame_write(struct output *out, const struct profile *p,
		 const struct event_view *views, size_t view_count,
		 size_t selected, const struct flame_options *options);

#endif
