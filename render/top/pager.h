/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pager: a text that may be longer and wider than the screen.
 */
#ifndef RENDER_TOP_PAGER_H
#define RENDER_TOP_PAGER_H

#include "core/base/text.h"
#include "render/top/screen.h"
#include "render/top/top_keys.h"

#include <stdbool.h>
#include <stddef.h>

/* Words of a page are wrapped so that they fit on a screen of 80 columns. */
enum { PAGER_WIDTH = 77 };

/* A zeroed struct is an empty text. */
struct pager {
	struct text text;
	size_t *lines; /* offset of each line in text */
	size_t count, cap;
	size_t first;    /* the uppermost line shown */
	size_t left;     /* characters scrolled off to the left */
	unsigned height; /* rows of the last drawing */
};

/* Replaces the text, which is copied; the scroll position stays. */
void pager_set(struct pager *p, const char *bytes, size_t len);

void pager_rewind(struct pager *p);
void pager_release(struct pager *p);

/* Handles a scroll request; false for any other. */
bool pager_request(struct pager *p, enum top_request request);

/* Chooses the style of a line. */
typedef enum screen_style pager_style_fn(const char *line, size_t len);

/* Draws into rows from row `top` on. */
void pager_draw(struct pager *p, struct screen *s, unsigned row,
		unsigned height, pager_style_fn *style);

#endif
