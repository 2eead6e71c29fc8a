/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_text: a report of a top of threads as lines, those that SJK's ttop has.
 *
 * A figure that the source does not have is "-", and where a whole line is
 * missing it says why.
 */
#ifndef RENDER_TOP_TOP_TEXT_H
#define RENDER_TOP_TOP_TEXT_H

#include "core/base/text.h"
#include "core/threads/blocked.h"
#include "core/threads/thread_rates.h"

#include <stdbool.h>
#include <stddef.h>

/* Which rows a report has: top_rows_select() has put them first. */
struct top_report {
	const struct top_rates *rates;
	size_t passing; /* rows that the filter left */
	size_t shown;   /* of them, at most so many; the first */
	bool contention;
	const struct blocked *blocked; /* NULL: none */
};

/*
 * Appends a report and an empty line.  A thread that began since the last
 * sample has no rates yet and is left out.  Threads without a Java id, those
 * of the VM, are called by their kernel's: [t04712].
 */
void top_text_add(struct text *out, const struct top_report *report);

/*
 * Appends a size as SJK writes it: 9999, 10k, 9999k, 10m, and g from there on;
 * "-" for NaN.
 */
void top_text_size(struct text *out, double bytes);

/*
 * Appends a time as SJK writes it, 2026-11-21T08:43:28.234+0000 in the zone of
 * TZ; and as machines read it, 2026-11-21T08:43:28.234Z.
 */
void top_text_time(struct text *out, int64_t wall_ns);
void top_text_utc(struct text *out, int64_t wall_ns);

/*
 * Why a source does not have a figure ("allocation"), or how it does; NULL when
 * it says nothing of it.
 */
const struct source_note *top_note(const struct top_sample *sample,
				   const char *figure);

#endif
