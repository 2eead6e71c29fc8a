/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_join: makes records of pauses and cycles from the events of the programs
 * in kernel/gc.bpf.c.
 *
 * A stop is one event with the counters at its end; the difference to the stop
 * before it tells what happened. Events of collections inside the stop precede
 * it, on the same thread. The phases of a concurrent cycle are reported when
 * the cycle ends, on another thread: pauses of the cycle whose collector's time
 * is only there are held until then.
 */
#ifndef BPF_GC_JOIN_H
#define BPF_GC_JOIN_H

#include "bpf/kernel/gc_event.h"
#include "core/gc/gc_counters.h"
#include "core/gc/gc_points.h"

struct gc_join_options {
	const struct gc_counters *counters; /* NULL: the JVM has none */
	const struct gc_points *points;
	uint64_t bias;       /* of libjvm */
	int64_t vm_start_ns; /* CLOCK_MONOTONIC; GC_ABSENT = unknown */
	int64_t (*wall_of)(int64_t monotonic_ns); /* clock_wall_of() */
	const char *collector;                    /* "" = unknown */
	bool holds_pauses; /* of cycles, until the cycle ends */
	bool keeps_phases;
	bool has_collections; /* stops have the times of their collections */
	/* Returns a string of the process that lives as long as self; or NULL.
	 */
	const char *(*name)(void *self, uint64_t address);
	/* Appends the name of a thread by its TID. */
	void (*thread)(void *self, uint32_t tid, struct text *out);
	void *self;
};

struct gc_join;

/* first: the counters when the probes were attached; NULL = there are none. */
struct gc_join *gc_join_new(const struct gc_join_options *o,
			    const struct gc_values *first);
void gc_join_free(struct gc_join *j); /* NULL is allowed */

/* Adds an event; one of an unknown kind or size is ignored. */
void gc_join_add(struct gc_join *j, const void *bytes, size_t len);

/*
 * Returns false if no record is complete. now_ns is CLOCK_MONOTONIC: pauses
 * are held for at most 10 s. At the end, INT64_MAX releases all.
 */
bool gc_join_next(struct gc_join *j, int64_t now_ns, struct gc_pause *p);

/* Pauses that were counted by the JVM, but had no event. */
uint64_t gc_join_missed(const struct gc_join *j);

#endif
