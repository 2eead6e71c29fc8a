/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures: numbers as they stand in a narrow column.
 *
 * Each appends; what is absent (NaN, or COUNTER_ABSENT) is "-".  Sizes are
 * those of units_add_bytes().
 */
#ifndef RENDER_TOP_FIGURES_H
#define RENDER_TOP_FIGURES_H

#include "core/base/text.h"

#include <stdint.h>

/* A share as per cent, without the sign: 0.25 is "25.00"; 6 columns. */
void figures_percent(struct text *out, double share);

/* Times a second: 0.3, 42, 123 k, 12 M; 6 columns. */
void figures_rate(struct text *out, double per_s);

/* Time used so far: 0.07s, 1:23.4, 12h34m, 3d04h; 7 columns. */
void figures_time(struct text *out, int64_t ns);

/* A counter of bytes, "152 MB"; 7 columns. */
void figures_bytes(struct text *out, int64_t bytes);

#endif
