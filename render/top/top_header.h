/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_header: the figures of the process, above the table of its threads.
 */
#ifndef RENDER_TOP_TOP_HEADER_H
#define RENDER_TOP_TOP_HEADER_H

#include "render/top/top.h"

/*
 * Draws as many of its lines as leave the table half of the rows from top
 * until below bottom; gives how many.
 */
unsigned top_header_draw(const struct top *t, struct screen *s, unsigned top,
			 unsigned bottom);

/* Appends whence each figure is, a line each, and why one is absent. */
void top_header_notes(const struct top *t, struct text *out);

#endif
