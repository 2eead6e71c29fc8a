/* SPDX-License-Identifier: Apache-2.0 */
/* top_header: the values of the process, above the table of threads. */
#ifndef RENDER_TOP_TOP_HEADER_H
#define RENDER_TOP_TOP_HEADER_H

#include "render/top/top.h"

/*
 * Draws header lines into at most half of the rows from top to bottom; returns
 * how many.
 */
unsigned top_header_draw(const struct top *t, struct screen *s, unsigned top,
			 unsigned bottom);

/*
 * Appends the source of each value, one per line, and why a value is
 * unavailable.
 */
void top_header_notes(const struct top *t, struct text *out);

#endif
