/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_csv: a report of a top of threads as comma-separated values.
 *
 * For every report a row of kind "process", then one a thread; what the source
 * does not have is empty.  Names are made safe for a terminal, and what a
 * spreadsheet would take for a formula has ' before it.
 */
#ifndef RENDER_TOP_TOP_CSV_H
#define RENDER_TOP_TOP_CSV_H

#include "render/top/top_text.h"

/* The names of the columns, with LF. */
extern const char top_csv_head[];

/* Appends a row for the process and one for each thread that is shown. */
void top_csv_add(struct text *out, const struct top_report *report, pid_t pid);

#endif
