/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_csv: reports as comma-separated values.
 *
 * Each report has one row of kind "process" and one per thread; unavailable
 * values are empty. Names are made safe for a terminal. A value that a
 * spreadsheet would read as a formula has the prefix '.
 */
#ifndef RENDER_TOP_TOP_CSV_H
#define RENDER_TOP_TOP_CSV_H

#include "render/top/top_text.h"

/* The header line, with its newline. */
extern const char top_csv_head[];

/* Appends one row for the process and one for each thread shown. */
void top_csv_add(struct text *out, const struct top_report *report, pid_t pid);

#endif
