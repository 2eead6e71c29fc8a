/* SPDX-License-Identifier: Apache-2.0 */
/* gc_summary: writes the totals of core/gc/gc_totals.h as text. */
#ifndef RENDER_GC_GC_SUMMARY_H
#define RENDER_GC_GC_SUMMARY_H

#include "core/base/text.h"
#include "core/gc/gc_totals.h"

#include <stdbool.h>

struct gc_summary {
	struct gc_totals *totals;
	int64_t wall_ns;  /* the time observed, of all JVMs; 0 = unknown */
	size_t jvms;      /* whose times are summed up; 0 = from files */
	int64_t cpu_ns;   /* of GC threads meanwhile; GC_ABSENT = unknown */
	unsigned columns; /* bits of enum gc_column */
	bool shows_safepoints; /* a row for each operation */
};

/* Appends the table of groups and lines about safepoints and CPU time. */
void gc_summary_text(const struct gc_summary *s, struct text *out);

/* Appends a histogram of the stopped times of collections. */
void gc_summary_histogram(struct gc_totals *t, struct text *out);

#endif
