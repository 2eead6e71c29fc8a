/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_events: turns the events of one chunk into samples.
 *
 * Every event type with a field of type StackTrace is read.  Its weight is
 * what the table in jfr_events.c says of its name, or else its duration, its
 * weight, its size, or 1.  A class that was allocated, locked or parked on is
 * the leaf of its stack trace.
 */
#ifndef CORE_FORMATS_JFR_JFR_EVENTS_H
#define CORE_FORMATS_JFR_JFR_EVENTS_H

#include "core/base/cursor.h"
#include "core/formats/jfr/jfr_chunk.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_pool.h"
#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct first_weights;
struct jfr_event_type; /* private: how one type of event is read */

#define JFR_EVENT_BATCH 64
#define JFR_CLASSED     1024

struct jfr_events {
	struct profile *profile;
	struct jfr_pools *pools;
	struct first_weights *firsts;
	struct jfr_clock clock;
	int64_t longest_ns;
	struct jfr_event_type *types;
	size_t type_count;
	/* 1 + index into types by type id; ids beyond it are in others. */
	uint16_t *dense;
	size_t dense_count;
	struct map64 others;

	/* Stack traces that a class was put below, where they were hashed to:
	 * few of them make most events. */
	struct jfr_classed {
		uint32_t stack, class_name, with_class;
	} classed[JFR_CLASSED];

	/* Samples are handed to the profile by the batch. */
	struct sample batch[JFR_EVENT_BATCH];
	size_t batch_len;

	uint64_t read;           /* events that became samples */
	uint64_t missing_stacks; /* whose stack trace the chunk lacks */
	uint64_t damaged;        /* whose fields did not fit */
	uint64_t wild_times;     /* whose time was too far from the chunk */
};

/* The name of a type of event as JDK 11 and later have it. */
const char *jfr_event_name(const struct jfr_type *t);

/*
 * Starts a chunk.  longest_ns bounds how long after the chunk's start an event
 * may begin and how long before it an event may end; beyond that, its sample
 * gets no time.  All but the clock are borrowed.
 */
void jfr_events_begin(struct jfr_events *es, struct profile *p,
		      struct jfr_pools *pools, struct first_weights *firsts,
		      const struct jfr_metadata *m,
		      const struct jfr_clock *clock, int64_t longest_ns);

/* Reads one event: c stands behind its type id and ends with the event. */
void jfr_events_read(struct jfr_events *es, uint64_t type_id, struct cursor c);

/* All events have been read: hands in what is still held back. */
void jfr_events_end(struct jfr_events *es);

/* True when events of the type become samples; to be asked first, it is fast.
 */
static inline bool jfr_events_wants(const struct jfr_events *es,
				    uint64_t type_id)
{
	if (__builtin_expect(type_id < es->dense_count, 1))
		return es->dense[type_id] != 0;
	return map64_get(&es->others, type_id) != MAP64_NONE;
}

/* Forgets the chunk.  Zeroed storage is fine. */
void jfr_events_release(struct jfr_events *es);

#endif
