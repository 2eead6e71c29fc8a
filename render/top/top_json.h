/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_json: a report of a top of threads as JSON, a line of it.
 *
 * Schema sjkc.ttop/1; percentages are of one core or of the interval, what the
 * source does not have is null.
 */
#ifndef RENDER_TOP_TOP_JSON_H
#define RENDER_TOP_TOP_JSON_H

#include "render/top/top_text.h"

/*
 * Appends the document and LF.  pid may be 0: unknown.  Threads that began
 * since the last sample are among its threads, with null for their rates.
 */
void top_json_add(struct text *out, const struct top_report *report, pid_t pid);

#endif
