/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_format: formats numbers for narrow columns.
 *
 * Each function appends; unavailable values (NaN or COUNTER_ABSENT) are "-".
 * Sizes are those of units_add_bytes().
 */
#ifndef RENDER_TOP_TOP_FORMAT_H
#define RENDER_TOP_TOP_FORMAT_H

#include "core/base/text.h"

#include <stdint.h>

/* A share in percent, without the sign: 0.25 is "25.00"; 6 columns. */
void top_format_percent(struct text *out, double share);

/* Events per second: 0.3, 42, 123 k, 12 M; 6 columns. */
void top_format_rate(struct text *out, double per_s);

/* Time used so far: 0.07s, 1:23.4, 12h34m, 3d04h; 7 columns. */
void top_format_time(struct text *out, int64_t ns);

/* A counter of bytes, "152 MB"; 7 columns. */
void top_format_bytes(struct text *out, int64_t bytes);

#endif
