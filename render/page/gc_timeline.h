/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_timeline: the page of sjkc gc, a timeline of pauses over the heap.
 *
 * gc.html is its template, and gc_js/ reads the data: a JSON document with
 * columns, compressed as in PAGE.md.
 */
#ifndef RENDER_PAGE_GC_TIMELINE_H
#define RENDER_PAGE_GC_TIMELINE_H

#include "core/base/intern.h"
#include "core/base/output.h"
#include "core/base/text.h"
#include "core/gc/gc_pause.h"

#include <stdint.h>

#define GC_TIMELINE_RECORDS 200000

enum { GC_TIMELINE_COLUMNS = 12 };

/* A zeroed struct is empty. */
struct gc_timeline {
	struct intern names; /* causes, operations, collectors */
	struct text columns[GC_TIMELINE_COLUMNS];
	int64_t start_ns; /* the first time; times of records are relative */
	bool is_epoch;    /* start_ns is since the epoch, not the JVM's start */
	int64_t from_ns, to_ns; /* observed, ns since the epoch; 0 = unknown */
	uint64_t count;
	uint64_t omitted; /* records beyond GC_TIMELINE_RECORDS */
};

/* Adds a record; copies its strings. */
void gc_timeline_add(struct gc_timeline *t, const struct gc_pause *p);

/*
 * Writes the page. title is foreign; summary is plain text for browsers
 * without JavaScript; columns are bits of enum gc_column.
 */
void gc_timeline_write(const struct gc_timeline *t, const char *title,
		       const char *description, unsigned columns,
		       const struct text *summary, struct output *out);

void gc_timeline_release(struct gc_timeline *t);

#endif
