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

/* A zeroed struct holds nothing. */
struct pager {
	struct text text;
	size_t *lines; /* where each begins */
	size_t count, cap;
	size_t first;    /* the uppermost line shown */
	size_t left;     /* characters that are off to the left */
	unsigned height; /* when it was drawn last */
};

/* Shows the text, which is copied, from where it was scrolled to. */
void pager_set(struct pager *p, const char *bytes, size_t len);
/*
 * Appends words and a line end, broken at blanks before column 78: nobody
 * scrolls sideways to what is to be done.  The text ends in column `column`,
 * where the lines that follow begin, too.
 */
void pager_wrap(struct text *out, size_t column, const char *words);

void pager_rewind(struct pager *p);
void pager_release(struct pager *p);

/* True when the request is one to scroll. */
bool pager_request(struct pager *p, enum top_request request);

/* How a line looks. */
typedef enum screen_style pager_style_fn(const char *line, size_t len);

/* Draws into so many rows from that one on. */
void pager_draw(struct pager *p, struct screen *s, unsigned row,
		unsigned height, pager_style_fn *style);

#endif
