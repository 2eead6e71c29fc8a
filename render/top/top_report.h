/* SPDX-License-Identifier: Apache-2.0 */
/* top_report: writes reports as text, CSV or JSON. */
#ifndef RENDER_TOP_TOP_REPORT_H
#define RENDER_TOP_TOP_REPORT_H

#include "core/base/text.h"
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The contents of a report; top_rows_select() has sorted the rows. */
struct top_report {
	pid_t pid; /* 0: unknown */
	const struct top_rates *rates;
	size_t passing; /* rows that pass the filter; they are the first */
	size_t shown;   /* maximum number of rows to print */
	bool contention;
	const struct blocked *blocked; /* NULL: none */
};

/* Each appends a report. */
typedef void top_report_fn(struct text *out, const struct top_report *report);

/*
 * The lines of SJK's ttop, and an empty line. An unavailable value is "-";
 * another line has the reason. Threads that started since the last sample have
 * no rates yet and are omitted. Threads without a Java id, the VM's own, are
 * shown with the kernel's: [t04712].
 */
top_report_fn top_text_add;

/* The header line of CSV, with its newline. */
extern const char top_csv_head[];

/*
 * A row of kind "process" and one for each thread shown. Unavailable values are
 * empty. Names are made safe for a terminal. A value that a spreadsheet would
 * read as a formula has the prefix '.
 */
top_report_fn top_csv_add;

/*
 * A document of schema sjkc.ttop/1 and a newline. Percentages are of one core
 * or of the interval; unavailable values are null. Threads that started since
 * the last sample are included, with null rates.
 */
top_report_fn top_json_add;

/*
 * Returns the note of a value ("allocation"): its source or why it is
 * unavailable; NULL when there is none.
 */
const struct source_note *top_note(const struct top_sample *sample,
				   const char *figure);

#endif
