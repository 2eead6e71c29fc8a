/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_chunk: a chunk's header, where its events stand, and where they go on
 * behind damage.
 *
 * A finished chunk is read by the offsets in its header.  Of any other it is
 * found out by walking its events.
 */
#ifndef CORE_FORMATS_JFR_JFR_CHUNK_H
#define CORE_FORMATS_JFR_JFR_CHUNK_H

#include "core/base/cursor.h"
#include "core/formats/jfr/jfr_metadata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JFR_HEADER_SIZE     68
#define JFR_COMPRESSED_INTS 1 /* bit of the header's flags */

/*
 * Longest time that a chunk plausibly lasts, in seconds.  JVMs start a new one
 * every few minutes to hours; a time farther away from its chunk is damaged.
 */
#define JFR_LONGEST_CHUNK_S INT64_C(604800)

enum { JFR_EVENT_METADATA = 0, JFR_EVENT_CHECKPOINT = 1 };

/* The clock of a chunk. */
struct jfr_clock {
	int64_t start_ns; /* since the epoch */
	int64_t start_ticks;
	int64_t ticks_per_second; /* > 0 */
};

/* A time span in ns, and a time in ns since the epoch; 0: it does not fit. */
int64_t jfr_clock_span(const struct jfr_clock *clock, int64_t value,
		       enum jfr_unit unit);
int64_t jfr_clock_time(const struct jfr_clock *clock, int64_t value,
		       enum jfr_unit unit);

struct jfr_chunk {
	size_t offset; /* in the file */
	uint16_t major, minor;
	uint64_t size;                 /* as the header has it */
	uint64_t checkpoint, metadata; /* offsets from the chunk's start */
	struct jfr_clock clock;
	int64_t duration_ns;
	uint8_t state; /* JDK 14 and later: 0 when finished */
	uint16_t flags;
	struct cursor bytes; /* the chunk, as far as it is there */
	bool cut;            /* the file ends before the chunk does */
	bool unfinished;     /* its writer did not close it */
	bool misfit;         /* no chunk begins where it should end */
};

/* Where events stand that are worth to be known. */
struct jfr_scan {
	size_t *checkpoints; /* offsets, ascending */
	size_t count, cap;
	size_t metadata; /* offset of the last; 0 = none */
};

/* True at a header of a version that exists; len may be short. */
bool jfr_is_header(const uint8_t *bytes, size_t len);

/* Where the next chunk's header stands at or after offset; len: nowhere. */
size_t jfr_chunk_find(const uint8_t *bytes, size_t len, size_t offset);

/*
 * Opens the chunk at offset of a file of len bytes, at least JFR_HEADER_SIZE
 * from its end.  It ends where the header says, if it can, or with the file.
 */
struct jfr_chunk jfr_chunk_open(const uint8_t *file, size_t len, size_t offset);

/* True when the header's offsets cannot be relied on. */
static inline bool jfr_chunk_is_damaged(const struct jfr_chunk *chunk)
{
	return chunk->cut || chunk->unfinished || chunk->misfit;
}

/*
 * Finds out where a damaged chunk ends, in a file of len bytes.  Where nothing
 * follows that looks like a chunk, a misfit may turn out to be none.
 */
void jfr_chunk_measure(struct jfr_chunk *chunk, size_t len);

/* A cursor at the first event. */
struct cursor jfr_chunk_events(const struct jfr_chunk *chunk);

/*
 * The payload of the event at offset, behind its type, ending with the event.
 * Failed unless it is an event of that type that fits the chunk.
 */
struct cursor jfr_event_at(const struct jfr_chunk *chunk, uint64_t offset,
			   uint64_t type);

/*
 * Steps to the next event: *event is what it holds behind its type.  False at
 * the end, and when the size cannot be: c then stands before that event.
 */
static inline bool jfr_next_event(struct cursor *c, uint64_t *type,
				  struct cursor *event)
{
	const uint8_t *start = c->at;
	uint64_t size;

	if (start == c->end)
		return false;
	*event = *c;
	size = cursor_varint(event);
	*type = cursor_varint(event);
	if (size > (size_t)(c->end - start) ||
	    size < (size_t)(event->at - start) || event->failed)
		return false;
	event->end = start + size;
	c->at = start + size;
	return true;
}

/*
 * The same, and false before an event that is of no type in m or of a time
 * that the chunk cannot be of: for damaged chunks, where a size may be wrong
 * and yet fit.
 */
bool jfr_next_known(const struct jfr_chunk *chunk, const struct jfr_metadata *m,
		    struct cursor *c, uint64_t *type, struct cursor *event);

/*
 * The first offset at or after `from` where events of the types in m go on, at
 * times that the chunk can be of; 0 when there is none.
 */
size_t jfr_find_event(const struct jfr_chunk *chunk,
		      const struct jfr_metadata *m, size_t from);

/* The first offset at or after `from` that may hold metadata; 0: none. */
size_t jfr_find_metadata(const struct jfr_chunk *chunk, size_t from);

/*
 * Walks the events and notes the checkpoints and the metadata; behind damage
 * it goes on if m, which may be NULL, tells where.  Gives where that ended.
 */
size_t jfr_scan_events(struct jfr_scan *scan, const struct jfr_chunk *chunk,
		       const struct jfr_metadata *m);

void jfr_scan_release(struct jfr_scan *scan);

#endif
