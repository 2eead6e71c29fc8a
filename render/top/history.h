/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: a figure as it was of late, drawn as a row of small bars.
 */
#ifndef RENDER_TOP_HISTORY_H
#define RENDER_TOP_HISTORY_H

#include "render/top/screen.h"

#include <stddef.h>

enum { HISTORY_MAX = 256 };

/* A zeroed struct is an empty history. */
struct history {
	double values[HISTORY_MAX]; /* a ring */
	size_t added;
};

void history_add(struct history *h, double value); /* NaN leaves a gap */

/* The largest of the last so many, floor at least. */
double history_peak(const struct history *h, size_t last, double floor);

/*
 * Draws the last that fit into width columns, the newest at the right; a bar as
 * high as its row is as much as scale.
 */
void history_draw(const struct history *h, struct pen *pen, unsigned width,
		  double scale);

#endif
