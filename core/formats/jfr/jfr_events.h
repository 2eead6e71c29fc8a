/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_events: turns the events of one chunk into samples.
 *
 * Every event type with a field of type StackTrace is read. Its weight is
 * defined by the table in jfr_events.c, or is its duration, weight or size, or
 * 1. A class that was allocated, locked or parked on becomes the leaf of the
 * stack trace.
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
struct jfr_event_type; /* private: how one event type is read */

#define JFR_EVENT_BATCH 64
#define JFR_CLASSED     1024

#define JFR_WALL_SAMPLE "profiler.WallClockSample"

/* How the wall-clock samples of async-profiler are told from others. */
struct jfr_wall {
	bool is_old;   /* the version has no event for them */
	bool beside;   /* they are beside samples of another event */
	bool is_mixed; /* jdk.ExecutionSample has them */
};

struct jfr_events {
	/* Set by the caller after jfr_events_begin(), or NULL. */
	const struct jfr_wall *wall;
	struct profile *profile;
	struct jfr_pools *pools;
	struct first_weights *firsts;
	struct jfr_clock clock;
	int64_t longest_ns;
	struct jfr_event_type *types;
	size_t type_count;
	/* 1 + index into types, by type id; larger ids are in others. */
	uint16_t *dense;
	size_t dense_count;
	struct map64 others;

	/*
	 * Cache of stack traces with a class as leaf, in slots by hash: few of
	 * them make most events.
	 */
	struct jfr_classed {
		uint32_t stack, class_name, with_class;
	} classed[JFR_CLASSED];

	/* Samples are added to the profile in batches. */
	struct sample batch[JFR_EVENT_BATCH];
	size_t batch_len;

	uint64_t read;           /* number of events that became samples */
	uint64_t missing_stacks; /* stack traces that are not in the chunk */
	uint64_t damaged;        /* events with invalid fields */
	uint64_t wild_times;     /* events with a time too far from the chunk */
};

/* Returns the name of an event type as of JDK 11 and later. */
const char *jfr_event_name(const struct jfr_type *t);

/*
 * Starts a chunk. longest_ns is the maximum time from the chunk's start to the
 * start of an event, and from an event's end to the chunk's start; beyond, the
 * sample gets no time. All arguments except the clock are borrowed.
 */
void jfr_events_begin(struct jfr_events *es, struct profile *p,
		      struct jfr_pools *pools, struct first_weights *firsts,
		      const struct jfr_metadata *m,
		      const struct jfr_clock *clock, int64_t longest_ns);

/*
 * Reads one event, whose type id has been read from c; c ends with the event.
 */
void jfr_events_read(struct jfr_events *es, uint64_t type_id, struct cursor c);

/*
 * Returns true if stack traces of events are unwanted, by profile.wants_stacks.
 */
bool jfr_events_have_unwanted(const struct jfr_events *es);

/* Adds the key of the event's stack trace if it is wanted. */
void jfr_events_note_stack(struct jfr_events *es, uint64_t type_id,
			   struct cursor c, struct map64 *keys);

/* Adds the samples that are left in the batch, after the last event. */
void jfr_events_end(struct jfr_events *es);

/* True if events of the type become samples; a fast check to call first. */
static inline bool jfr_events_wants(const struct jfr_events *es,
				    uint64_t type_id)
{
	if (__builtin_expect(type_id < es->dense_count, 1))
		return es->dense[type_id] != 0;
	return map64_get(&es->others, type_id) != MAP64_NONE;
}

/* Releases the chunk. Zeroed storage is allowed. */
void jfr_events_release(struct jfr_events *es);

#endif
