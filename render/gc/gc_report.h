/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_report: writes records of core/gc/gc_pause.h as text, CSV or JSON, and the
 * totals of core/gc/gc_totals.h as text.
 */
#ifndef RENDER_GC_GC_REPORT_H
#define RENDER_GC_GC_REPORT_H

#include "core/base/text.h"
#include "core/gc/gc_pause.h"
#include "core/gc/gc_totals.h"

#include <stdbool.h>

struct gc_layout {
	unsigned columns; /* bits of enum gc_column: those of all sources */
	bool has_label;   /* several sources: a column with their names */
	bool shows_phases;
};

/* Appends the line of heads; then a line per record. */
void gc_record_text_head(const struct gc_layout *l, struct text *out);

/*
 * Appends "18:04:05.123  young  G1 Evacuation Pause  G1  9.12 ms …"; unknown
 * values are "-". With shows_phases, a line per phase follows.
 */
void gc_record_text(const struct gc_layout *l, const struct gc_source *s,
		    const struct gc_pause *p, struct text *out);

/* CSV with all columns; unknown values are empty; units are in the heads. */
void gc_record_csv_head(struct text *out);
void gc_record_csv(const struct gc_source *s, const struct gc_pause *p,
		   struct text *out);

/*
 * Appends a line: {"schema":"sjkc.gc/1","source","pid","time","uptime_ns",
 * "number","kind","operation","cause","collector","count","collections",
 * "stopped_ns","sync_ns","gc_ns","cpu_ns","heap_before_bytes",
 * "heap_after_bytes","heap_committed_bytes","last_thread","phases":[{"name",
 * "level","start_ns","ns","concurrent"}]}; unknown values are null.
 */
void gc_record_json(const struct gc_source *s, const struct gc_pause *p,
		    struct text *out);

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
