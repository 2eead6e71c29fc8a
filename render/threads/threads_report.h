/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads_report: writes the report of a dump_series.
 *
 * Text is safe for a terminal except for its newlines; JSON is the document
 * sjkc.threads/1; CSV has a line for each thread; the page is complete without
 * its script, which only filters.
 */
#ifndef RENDER_THREADS_THREADS_REPORT_H
#define RENDER_THREADS_THREADS_REPORT_H

#include "core/base/output.h"
#include "core/base/text.h"
#include "core/jvm/container.h"
#include "core/threads/dump_series.h"

#include <stdbool.h>
#include <stddef.h>

struct threads_options {
	const char *source; /* foreign: the name of the file or of the JVM */
	const struct container_pod *pod; /* of the JVM; NULL = unknown */
	size_t top;    /* maximum rows of a table and groups; 0 = all */
	size_t few;    /* of like waiters of a lock: blocked_text() */
	size_t frames; /* maximum frames of a stack trace; 0 = all */
	size_t width;  /* of the terminal; 0 = unlimited */
	bool color;
};

void threads_text(struct text *out, const struct dump_series *s,
		  const struct threads_options *o);
void threads_json(struct text *out, const struct dump_series *s,
		  const struct threads_options *o);
/* Has no limits: a spreadsheet has its own. */
void threads_csv(struct text *out, const struct dump_series *s,
		 const struct threads_options *o);
void threads_page(struct output *out, const struct dump_series *s,
		  const struct threads_options *o);

#endif
