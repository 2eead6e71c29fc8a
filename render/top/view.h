/* SPDX-License-Identifier: Apache-2.0 */
/* view: the interface of the views of the screen. */
#ifndef RENDER_TOP_VIEW_H
#define RENDER_TOP_VIEW_H

#include "render/top/top.h"

struct view {
	const char *name; /* in the title line */
	enum top_place place;
	/* Called when the view opens; may be NULL. */
	void (*open)(struct top *t);
	/* Draws into rows top to bottom - 1. */
	void (*draw)(struct top *t, struct screen *s, unsigned top,
		     unsigned bottom);
	/* Handles a request; false when the view does not support it. */
	bool (*request)(struct top *t, enum top_request request,
			const struct key *key);
};

extern const struct view view_threads, view_stack, view_deadlocks, view_blocked,
	view_help;

/* Draw the column titles and one line of the thread table, by t->columns. */
void view_threads_titles(const struct top *t, struct screen *s, unsigned row);
void view_threads_line(const struct top *t, struct screen *s, unsigned row,
		       const struct top_line *line);

/* Returns the open view on top of the others. */
const struct view *view_of(const struct top *t);

/* Open a view on top of the others; close the top view, unless it is the last.
 */
void view_open(struct top *t, const struct view *view);
void view_leave(struct top *t);

#endif
