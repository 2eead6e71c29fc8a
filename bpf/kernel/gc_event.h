/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_event: the records of the programs at a JVM's safepoints and collections.
 *
 * Values are as read: ticks and bytes of counters, pointers of the process.
 */
#ifndef BPF_KERNEL_GC_EVENT_H
#define BPF_KERNEL_GC_EVENT_H

#include <linux/types.h>

#define GC_EVENT_COLLECTORS 3
#define GC_EVENT_SPACES     8
#define GC_EVENT_CAUSE      48
#define GC_EVENT_PHASES     128U
#define GC_RING_BYTES       (1U << 20)

enum gc_event_kind {
	GC_EVENT_BEGIN, /* of a safepoint; only the head */
	GC_EVENT_STOP,
	GC_EVENT_HEAP,
	GC_EVENT_REPORT,
};

struct gc_event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 tid;     /* in the initial PID namespace */
	__u32 kind;    /* enum gc_event_kind */
};

/* At the end of a safepoint; counters that do not exist are 0. */
struct gc_event_stop {
	struct gc_event event;
	__s64 stopped; /* since all threads had stopped */
	__s64 safepoints, sync;
	__s64 stopped_before; /* the sum of `stopped` of earlier ones */
	__s64 collector_ns[GC_EVENT_COLLECTORS];
	__s64 collector_count[GC_EVENT_COLLECTORS];
	__s64 used, committed; /* sums */
	__u64 operation;       /* the table of its class; 0 = unknown */
	__u64 last_ns;         /* when the last thread reached the safepoint */
	__u32 last_tid;        /* that thread, in the reader's PID namespace;
				  0 = unknown */
	__u32 collections;     /* within this stop */
	__s64 collections_ns;  /* their sum, from begin to end */
	char cause[GC_EVENT_CAUSE], last_cause[GC_EVENT_CAUSE];
};

/* A GCHeapSummary, before (when 0) or after (when 1) a collection. */
struct gc_event_heap {
	struct gc_event event;
	__u32 when, unused;
	__u64 start, committed_end, used;
};

/* A GCPhase of HotSpot, JDK 17 to 28; times are ns and TSC ticks. */
struct gc_event_phase {
	__u64 name;
	__s32 level, unused1;
	__s64 start, start_tsc, end, end_tsc;
	__s32 is_concurrent, unused2;
};

/* The end of a collection or of a concurrent cycle, with its phases. */
struct gc_event_report {
	struct gc_event event;
	__u64 tracer;
	__s32 name, cause;     /* GCName and GCCause; differ by version */
	__s64 start, end;      /* ns since the JVM started */
	__s32 count, capacity; /* phases of the JVM; here, GC_EVENT_PHASES */
	char cause_text[GC_EVENT_CAUSE], last_cause[GC_EVENT_CAUSE];
	struct gc_event_phase phases[GC_EVENT_PHASES];
};

/* Addresses in the process that the programs read; 0 = none. */
struct gc_addresses {
	__u64 safepoints, sync, stopped;
	__u64 collector_ns[GC_EVENT_COLLECTORS];
	__u64 collector_count[GC_EVENT_COLLECTORS];
	__u64 used[GC_EVENT_SPACES], committed[GC_EVENT_COLLECTORS];
	__u64 cause, last_cause;
	__u64 operation, state;
};

#endif
