/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_json: reports as JSON, one document per line.
 *
 * Schema sjkc.ttop/1; percentages are of one core or of the interval;
 * unavailable values are null.
 */
#ifndef RENDER_TOP_TOP_JSON_H
#define RENDER_TOP_TOP_JSON_H

#include "render/top/top_text.h"

/*
 * Appends the document and a newline. pid may be 0: unknown. Threads that
 * started since the last sample are included, with null rates.
 */
void top_json_add(struct text *out, const struct top_report *report, pid_t pid);

#endif
