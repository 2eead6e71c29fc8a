/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_record_fields: the names of a sample's members in a recording.
 *
 * One table per struct, used by top_record to write and by replay_source to
 * read.
 */
#ifndef CORE_THREADS_TOP_RECORD_FIELDS_H
#define CORE_THREADS_TOP_RECORD_FIELDS_H

#include "core/threads/thread_source.h"

#include <stddef.h>

#define TOP_RECORD_SCHEMA "sjkc.ttop-record/1"

enum record_type {
	RECORD_COUNTER, /* int64_t; COUNTER_ABSENT is omitted */
	RECORD_ID, /* int64_t; for this and the following types, 0 is omitted */
	RECORD_PID,      /* pid_t */
	RECORD_UNSIGNED, /* uint64_t */
	RECORD_FLAG,     /* bool */
	RECORD_KIND,     /* enum thread_kind, by its name */
	RECORD_STATE,    /* enum thread_run_state, by its name */
	RECORD_STRING,   /* const char * */
	RECORD_CHARS,    /* char[size]; "" is omitted */
};

struct record_field {
	const char *key; /* NULL ends a table */
	enum record_type type;
	size_t offset, size;
};

#define RECORD_FIELD(k, t, s, m)                                               \
	{                                                                      \
		(k), RECORD_##t, offsetof(struct s, m),                        \
			sizeof(((struct s *)0)->m)                             \
	}

/* clang-format off */
static const struct record_field sample_fields[] = {
	RECORD_FIELD("at", COUNTER, top_sample, monotonic_ns),
	RECORD_FIELD("wall", ID, top_sample, wall_ns),
	RECORD_FIELD("missed", UNSIGNED, top_sample, missed),
	{ 0 },
};

static const struct record_field process_fields[] = {
	RECORD_FIELD("cpu", COUNTER, process_sample, cpu_ns),
	RECORD_FIELD("user", COUNTER, process_sample, user_ns),
	RECORD_FIELD("sys", COUNTER, process_sample, sys_ns),
	RECORD_FIELD("safepoints", COUNTER, process_sample, safepoints),
	RECORD_FIELD("safepoint_time", COUNTER, process_sample, safepoint_ns),
	RECORD_FIELD("sync_time", COUNTER, process_sample, sync_ns),
	RECORD_FIELD("alloc", COUNTER, process_sample, alloc_bytes),
	RECORD_FIELD("heap_used", COUNTER, process_sample, heap_used),
	RECORD_FIELD("heap_committed", COUNTER, process_sample, heap_committed),
	RECORD_FIELD("heap_max", COUNTER, process_sample, heap_max),
	RECORD_FIELD("rss", COUNTER, process_sample, rss_bytes),
	RECORD_FIELD("threads", COUNTER, process_sample, threads),
	RECORD_FIELD("threads_started", COUNTER, process_sample,
		     threads_started),
	RECORD_FIELD("virtual_threads", COUNTER, process_sample,
		     virtual_threads),
	RECORD_FIELD("cpus", COUNTER, process_sample, cpus),
	RECORD_FIELD("machine_busy", COUNTER, process_sample, machine_busy_ns),
	RECORD_FIELD("machine_idle", COUNTER, process_sample, machine_idle_ns),
	RECORD_FIELD("cpu_limit", COUNTER, process_sample, cpu_limit),
	RECORD_FIELD("throttled", COUNTER, process_sample, throttled_ns),
	RECORD_FIELD("periods", COUNTER, process_sample, cfs_periods),
	RECORD_FIELD("throttled_periods", COUNTER, process_sample,
		     throttled_periods),
	RECORD_FIELD("stops", COUNTER, process_sample, measured.all.count),
	RECORD_FIELD("stop_time", COUNTER, process_sample, measured.all.time_ns),
	RECORD_FIELD("longest_stop", COUNTER, process_sample, measured.all.longest_ns),
	RECORD_FIELD("stop_sync", COUNTER, process_sample, measured.sync_ns),
	RECORD_FIELD("gc_stops", COUNTER, process_sample, measured.gc.count),
	RECORD_FIELD("gc_stop_time", COUNTER, process_sample, measured.gc.time_ns),
	RECORD_FIELD("longest_gc_stop", COUNTER, process_sample, measured.gc.longest_ns),
	RECORD_FIELD("collections", COUNTER, process_sample, measured.collections),
	RECORD_FIELD("collect_time", COUNTER, process_sample, measured.collect_ns),
	RECORD_FIELD("longest_cause", CHARS, process_sample, measured.cause),
	RECORD_FIELD("gc_cause", CHARS, process_sample, gc_cause),
	RECORD_FIELD("namespace", CHARS, process_sample, pod_namespace),
	RECORD_FIELD("pod", CHARS, process_sample, pod),
	RECORD_FIELD("container", CHARS, process_sample, container),
	{ 0 },
};

static const struct record_field gc_fields[] = {
	RECORD_FIELD("name", CHARS, gc_sample, name),
	RECORD_FIELD("count", COUNTER, gc_sample, count),
	RECORD_FIELD("time", COUNTER, gc_sample, time_ns),
	RECORD_FIELD("last", COUNTER, gc_sample, last_ns),
	RECORD_FIELD("at_most", FLAG, gc_sample, at_most),
	RECORD_FIELD("is_cycles", FLAG, gc_sample, is_cycles),
	{ 0 },
};

static const struct record_field note_fields[] = {
	RECORD_FIELD("figure", STRING, source_note, figure),
	RECORD_FIELD("text", CHARS, source_note, text),
	RECORD_FIELD("absent", FLAG, source_note, is_absent),
	{ 0 },
};

/* The counters have the names of thread_counter_name(). */
static const struct record_field thread_fields[] = {
	RECORD_FIELD("tid", PID, thread_sample, tid),
	RECORD_FIELD("ns_tid", PID, thread_sample, ns_tid),
	RECORD_FIELD("id", ID, thread_sample, java_id),
	RECORD_FIELD("virtual_id", ID, thread_sample, virtual_id),
	RECORD_FIELD("start", UNSIGNED, thread_sample, start),
	RECORD_FIELD("name", STRING, thread_sample, name),
	RECORD_FIELD("kind", KIND, thread_sample, kind),
	RECORD_FIELD("state", STATE, thread_sample, state),
	RECORD_FIELD("state_is_old", FLAG, thread_sample, state_is_old),
	RECORD_FIELD("alloc_is_coarse", FLAG, thread_sample, alloc_is_coarse),
	RECORD_FIELD("has_alloc_mean", FLAG, thread_sample, has_alloc_mean),
	RECORD_FIELD("alloc_mean", ID, thread_sample, alloc_mean),
	{ 0 },
};
/* clang-format on */

#endif
