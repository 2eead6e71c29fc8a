/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_text: reports as text, with the lines of SJK's ttop.
 *
 * An unavailable value is "-"; another line has the reason.
 */
#ifndef RENDER_TOP_TOP_TEXT_H
#define RENDER_TOP_TOP_TEXT_H

#include "core/base/text.h"
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"

#include <stdbool.h>
#include <stddef.h>

/* The contents of a report; top_rows_select() has sorted the rows. */
struct top_report {
	const struct top_rates *rates;
	size_t passing; /* rows that pass the filter; they are the first */
	size_t shown;   /* maximum number of rows to print */
	bool contention;
	const struct blocked *blocked; /* NULL: none */
};

/*
 * Appends a report and an empty line. Threads that started since the last
 * sample have no rates yet and are omitted. Threads without a Java id, the VM's
 * own, are shown with the kernel's: [t04712].
 */
void top_text_add(struct text *out, const struct top_report *report);

/* Appends a time in ISO 8601: 2026-11-21T08:43:28.234Z. */
void top_text_utc(struct text *out, int64_t wall_ns);

/*
 * Returns the note of a value ("allocation"): its source or why it is
 * unavailable; NULL when there is none.
 */
const struct source_note *top_note(const struct top_sample *sample,
				   const char *figure);

#endif
