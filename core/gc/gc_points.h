/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_points: the places in a libjvm where pauses can be observed by uprobes.
 *
 * The first instruction of a function decides the cost of a probe: the kernel
 * emulates nop, push, jmp and call (1 to 2 us a hit); it steps over any other
 * instruction (up to 20 us), such as the endbr64 at the start of functions,
 * which a probe therefore follows.
 */
#ifndef CORE_GC_GC_POINTS_H
#define CORE_GC_GC_POINTS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_point {
	uint64_t offset;  /* in the file; 0 = this libjvm has none */
	uint64_t address; /* of the same place */
	bool is_emulated;
};

/* A class of VM operations, known by its table of virtual functions. */
struct gc_operation {
	uint64_t vtable;  /* as the object points at it, in the file */
	const char *name; /* "G1CollectForAllocation" */
};

enum { GC_REPORTS = 5 };

struct gc_points {
	/*
	 * The note safepoint__end at the start of RuntimeService::
	 * record_safepoint_end(jlong), whose argument is the time since all
	 * threads had stopped. JDK 11 and earlier have no argument.
	 */
	struct gc_point stop;
	struct gc_point begin; /* the note safepoint__begin */
	bool has_note; /* safepoint__end, whatever its function's arguments */
	/* GCTracer::report_gc_heap_summary(when, const GCHeapSummary &) */
	struct gc_point heap;
	/* report_gc_end_impl(const Ticks &, TimePartitions *) of each tracer */
	struct gc_point reports[GC_REPORTS];
	size_t report_count;
	struct gc_point block; /* SafepointSynchronize::block(JavaThread *) */
	/*
	 * The constructor and the destructor of GCTraceCPUTime, which enclose
	 * the pause as the JVM logs it, with the object in the first register,
	 * and GCTraceTimeLoggerImpl::log_end(Ticks), where the JVM logs it. All
	 * are within the pause, so there are none unless the kernel emulates
	 * their instructions.
	 */
	struct gc_point collect, logged, collected;

	/* Addresses of variables in the file; 0 = none. */
	uint64_t operation;    /* VMThread::_cur_vm_operation */
	uint64_t state;        /* SafepointSynchronize::_state */
	uint64_t initial_time; /* initial_time_count: CLOCK_MONOTONIC, ns */
	struct gc_operation *operations;
	size_t operation_count, operation_cap;
};

/*
 * Finds the points of the file fd, which stays the caller's. ERROR_INPUT if it
 * is not an ELF file of this machine. Missing points are not an error.
 * gc_points_release() is due after success.
 */
int gc_points_read(struct gc_points *p, int fd, struct error *err);
void gc_points_release(struct gc_points *p); /* zeroed storage is allowed */

/*
 * The name of the operation whose object points at this table, or NULL.
 * Addresses of the process minus the library's bias are those in the file.
 */
const char *gc_points_operation(const struct gc_points *p, uint64_t vtable);

/* Why there is no p->stop: "libjvm has no USDT probes"; a constant. */
const char *gc_points_missing(const struct gc_points *p);

#endif
