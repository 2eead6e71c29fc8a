/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_counters: the counters of collections and safepoints in a JVM's shared
 * file, read quickly, and what changed between two readings.
 */
#ifndef CORE_GC_GC_COUNTERS_H
#define CORE_GC_GC_COUNTERS_H

#include "core/gc/gc_pause.h"
#include "core/jvm/jvm.h"
#include "core/jvm/perfdata.h"

enum {
	GC_COLLECTORS = 3,
	GC_SPACES = 8,      /* Serial, Parallel and G1 have 4 */
	GC_CAUSE_BYTES = 81 /* with the NUL */
};

/* Values in ns and bytes; GC_ABSENT if the JVM has no such counter. */
struct gc_values {
	int64_t safepoints; /* begun so far */
	int64_t stopped_ns; /* at safepoints; excludes sync_ns since JDK 12 */
	int64_t sync_ns;    /* to safepoints */
	struct {
		int64_t count, ns;
	} collectors[GC_COLLECTORS];
	int64_t used, committed; /* of the heap, after the last collection */
	int64_t gc_cpu_ns;       /* of GC threads; since JDK 22 */
	char cause[GC_CAUSE_BYTES], last_cause[GC_CAUSE_BYTES];
};

struct gc_counters;

/*
 * Opens the counters of a JVM. ERROR_UNAVAILABLE and others as perfdata_open();
 * also if the JVM has counters, but none of safepoints.
 */
struct gc_counters *gc_counters_open(const struct jvm *jvm, struct error *err);

/* The same for opened counters, which it takes over. */
struct gc_counters *gc_counters_of(struct perfdata *file, struct error *err);

void gc_counters_close(struct gc_counters *c); /* NULL is allowed */

/* Reads all counters in a state that did not change meanwhile. */
int gc_counters_read(const struct gc_counters *c, struct gc_values *v,
		     struct error *err);

/* True if a safepoint has ended since *v was read; one short read. */
int gc_counters_changed(const struct gc_counters *c, const struct gc_values *v,
			bool *changed, struct error *err);

/* "G1", "Serial", "Parallel", "ZGC", "Shenandoah", "CMS"; or "". */
const char *gc_counters_collector(const struct gc_counters *c);

/*
 * Fills kind, cause, collector, times, collections and heap of *p from two
 * readings, between which p->count stops ended. Strings are borrowed from c and
 * now. operation is the VM's operation, or NULL if unknown; it decides for
 * collectors whose counters do not.
 */
void gc_counters_interpret(const struct gc_counters *c,
			   const struct gc_values *before,
			   const struct gc_values *now, const char *operation,
			   struct gc_pause *p);

/* Bits of enum gc_column that these counters give. */
unsigned gc_counters_columns(const struct gc_counters *c);

/*
 * Offsets in the file of the values that a probe reads; 0 = none. The file is
 * identified by its inode among the JVM's mappings, if the address is 0.
 */
struct gc_offsets {
	uint64_t dev, ino, address;
	uint32_t safepoints, sync, stopped, collector_ns[GC_COLLECTORS],
		collector_count[GC_COLLECTORS], used[GC_SPACES],
		committed[GC_COLLECTORS], cause, last_cause;
};

void gc_counters_offsets(const struct gc_counters *c, struct gc_offsets *o);

/* True before JDK 12: stopped_ns includes sync_ns. */
bool gc_counters_stopped_includes_sync(const struct gc_counters *c);

/* Converts the ticks of a counter to ns. */
int64_t gc_counters_ns(const struct gc_counters *c, int64_t ticks);

/*
 * ---- gc_perfdata.c ----
 *
 * Pauses from a JVM's counters, read every 2
 * to 20 ms, more often after a pause.
 *
 * It needs no rights but the JVM's user and touches nothing. Durations are
 * those of the JVM, exact to the ns; several pauses between two readings are
 * one record with their sums.
 */

/* Opens the counters; jvm is borrowed. Errors as gc_counters_open(). */
struct gc_source *gc_perfdata_open(const struct jvm *jvm, struct error *err);

#endif
