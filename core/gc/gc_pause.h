/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_pause: stops of an application and garbage collection cycles as records,
 * and the interface of the sources that produce the records.
 *
 * A record is one stop of the application (a safepoint) or one concurrent
 * cycle, which stops nothing. The stopped time, which the application feels,
 * and the collector's own time are measured at different places and are never
 * added up or exchanged.
 */
#ifndef CORE_GC_GC_PAUSE_H
#define CORE_GC_GC_PAUSE_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/container.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time or size that a source does not know; others are 0 or more. */
#define GC_ABSENT INT64_C(-1)

enum gc_kind {
	GC_OTHER, /* a safepoint without a collection */
	GC_YOUNG,
	GC_MIXED,       /* G1 only */
	GC_FULL,        /* the application is stopped during all of it */
	GC_CYCLE_PAUSE, /* of a concurrent cycle: Remark, Pause Mark Start, … */
	GC_PAUSE,       /* a collection of an unknown kind */
	GC_CYCLE,       /* a concurrent cycle; has no stopped time */
	GC_STALL,       /* one thread waited for memory; no stopped time */
	GC_KINDS,
};

/* Phases in the order and nesting of the JVM; level 0 is the outermost. */
struct gc_phase {
	const char *name; /* foreign */
	unsigned level;
	bool is_concurrent;
	int64_t start_ns; /* since the JVM started */
	int64_t ns;
};

/*
 * Strings are foreign and NULL if unknown. They and the phases belong to the
 * source and are valid until its next record.
 */
struct gc_pause {
	enum gc_kind kind;
	int64_t end_ns;        /* when it ended, ns since the epoch */
	int64_t uptime_ns;     /* when it ended, ns since the JVM started */
	int64_t number;        /* "GC(12)" in a log is 12 */
	const char *operation; /* "G1CollectForAllocation"; of a stall, its
				  thread */
	const char *cause;     /* "Allocation Failure" */
	const char *collector; /* "G1", "Serial", … */
	int64_t stopped_ns;    /* including the time to safepoint */
	int64_t sync_ns;       /* time to safepoint */
	int64_t gc_ns;  /* the collector's own time; of a cycle, its duration */
	int64_t cpu_ns; /* CPU time of the collection */
	int64_t before, after, committed; /* bytes of the heap */
	const char *last_thread;          /* the last to reach the safepoint */
	const struct gc_phase *phases;
	size_t phase_count;
	/*
	 * Number of stops, more than 1 if the source could not separate them;
	 * times are then their sums. 0 for a cycle or stall, and for the rest
	 * of a stop that is counted in an earlier record.
	 */
	unsigned count;
	unsigned collections; /* by this operation; 0 = unknown or none */
};

/* Makes all values absent; count is 1. */
void gc_pause_init(struct gc_pause *p);

/* True for a stop for garbage collection. */
bool gc_pause_is_collection(const struct gc_pause *p);

/* True if records of the kind stop the application. */
bool gc_kind_stops(enum gc_kind kind);

/* "young", "full", "cycle pause", …; a constant. */
const char *gc_kind_name(enum gc_kind kind);

/* What a source's records can hold; a bit for each column. */
enum gc_column {
	GC_HAS_STOPPED = 1 << 0,
	GC_HAS_SYNC = 1 << 1,
	GC_HAS_GC = 1 << 2,
	GC_HAS_CAUSE = 1 << 3,
	GC_HAS_BEFORE = 1 << 4,
	GC_HAS_AFTER = 1 << 5,
	GC_HAS_OPERATION = 1 << 6,
	GC_HAS_PHASES = 1 << 7,
	GC_HAS_OTHER = 1 << 8,  /* safepoints without a collection */
	GC_HAS_CYCLES = 1 << 9, /* concurrent cycles */
	GC_HAS_CPU = 1 << 10,
};

enum gc_next {
	GC_NEXT_RECORD,
	GC_NEXT_LATER,  /* none so far: call again after wait_ns */
	GC_NEXT_END,    /* the JVM or the input has ended */
	GC_NEXT_FAILED, /* *err; records so far are good */
};

/* Records that exist but were not delivered, each counted once. */
struct gc_lost {
	uint64_t pauses;  /* the JVM counted them, the source missed them */
	uint64_t records; /* the kernel's buffer was full */
	uint64_t lines;   /* unreadable input; bytes that were cut off: 1 */
	bool more_pauses; /* any of the records; no counter tells */
};

/* A stop that had begun and not ended when the source was read last. */
struct gc_pending {
	int64_t since_ns;      /* at the latest, CLOCK_MONOTONIC; 0 = none */
	bool is_synchronizing; /* threads have not reached the safepoint */
};

struct gc_source;

struct gc_source_methods {
	/* Never waits. */
	enum gc_next (*next)(struct gc_source *s, struct gc_pause *p,
			     struct error *err);
	/* May be NULL: nothing can be lost. */
	void (*lost)(const struct gc_source *s, struct gc_lost *lost);
	void (*close)(struct gc_source *s);
};

/* The first member of each source. */
struct gc_source {
	const struct gc_source_methods *methods;
	unsigned columns; /* bits of enum gc_column */
	/* How it measures: "2 probes in libjvm: times are estimates". */
	struct text description;
	struct text collector; /* "G1"; empty = unknown */
	struct text label;     /* "4711 Main", or the name of a file */
	int64_t begin_ns; /* live: since when it observes, CLOCK_MONOTONIC */
	int64_t wait_ns;  /* after GC_NEXT_LATER; live sources only */
	int fd;           /* readable when a record may be there; or -1 */
	int pid;          /* 0 = not a process */
	struct container_pod pod; /* of the process */
	bool is_ending; /* set before the last reads: nothing may be held */
	int64_t cpu_ns; /* of the GC threads so far; GC_ABSENT = unknown */
	struct gc_pending pending;
};

/*
 * Fills *p and returns GC_NEXT_RECORD, or the reason why there is none now.
 * Strings of *p are valid until the next call.
 */
enum gc_next gc_source_next(struct gc_source *s, struct gc_pause *p,
			    struct error *err);
void gc_source_lost(const struct gc_source *s, struct gc_lost *lost);
void gc_source_close(struct gc_source *s); /* NULL is allowed */

#endif
