/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: one way to look at a top.
 */
#ifndef RENDER_TOP_VIEW_H
#define RENDER_TOP_VIEW_H

#include "render/top/top.h"

struct view {
	const char *name; /* for the title */
	enum top_place place;
	/* Comes to be seen; NULL: nothing to be done then. */
	void (*open)(struct top *t);
	/* Draws into the rows from top until below bottom. */
	void (*draw)(struct top *t, struct screen *s, unsigned top,
		     unsigned bottom);
	/* False when it is none of its requests. */
	bool (*request)(struct top *t, enum top_request request,
			const struct key *key);
};

extern const struct view view_threads, view_stack, view_deadlocks, view_blocked,
	view_help;

/* Of the table: its titles, and a line below them, by t->columns. */
void view_threads_titles(const struct top *t, struct screen *s, unsigned row);
void view_threads_line(const struct top *t, struct screen *s, unsigned row,
		       const struct top_line *line);

/* The one that is seen. */
const struct view *view_of(const struct top *t);

/* Puts a view above the one seen; or takes the uppermost away. */
void view_open(struct top *t, const struct view *view);
void view_leave(struct top *t);

#endif
