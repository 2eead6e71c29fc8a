/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_chunk: the header of a chunk, the positions of its events, and the
 * positions where events continue after damage.
 *
 * A finished chunk is read by the offsets in its header, any other chunk by
 * walking its events.
 */
#ifndef CORE_FORMATS_JFR_JFR_CHUNK_H
#define CORE_FORMATS_JFR_JFR_CHUNK_H

#include "core/base/cursor.h"
#include "core/base/error.h"
#include "core/formats/jfr/jfr_metadata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JFR_HEADER_SIZE     68
#define JFR_COMPRESSED_INTS 1 /* a bit of the header's flags */

/*
 * Longest plausible duration of a chunk in seconds. JVMs start a new chunk
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

/* Implements jfr_clock_span() for units other than ns. */
int64_t jfr_clock_convert(const struct jfr_clock *clock, int64_t value,
			  enum jfr_unit unit);

/* Converts a value to a duration in ns; limited to the range of 64 bits. */
static inline int64_t jfr_clock_span(const struct jfr_clock *clock,
				     int64_t value, enum jfr_unit unit)
{
	/* Most JVMs count ticks of a nanosecond. */
	if (unit == JFR_UNIT_TICKS && clock->ticks_per_second == 1000000000)
		return value;
	return jfr_clock_convert(clock, value, unit);
}

/*
 * Converts a value to a time in ns since the epoch. Returns 0 if the result is
 * out of range.
 */
static inline int64_t jfr_clock_time(const struct jfr_clock *clock,
				     int64_t value, enum jfr_unit unit)
{
	int64_t ns;

	if (unit != JFR_UNIT_TICKS)
		return jfr_clock_convert(clock, value, unit);
	if (__builtin_sub_overflow(value, clock->start_ticks, &ns))
		return 0;
	ns = jfr_clock_span(clock, ns, unit);
	if (__builtin_add_overflow(clock->start_ns, ns, &ns))
		return 0;
	return ns;
}

struct jfr_chunk {
	size_t offset; /* position in the file */
	uint16_t major, minor;
	uint64_t size;                 /* according to the header */
	uint64_t checkpoint, metadata; /* offsets from the chunk's start */
	struct jfr_clock clock;
	int64_t duration_ns;
	uint8_t state; /* JDK 14 and later: 0 if finished */
	uint16_t flags;
	struct cursor bytes; /* the available bytes of the chunk */
	bool cut;            /* the file ends before the chunk */
	bool unfinished;     /* the chunk was not closed */
	bool misfit;         /* no chunk begins at its end */
};

/* Positions of special events. */
struct jfr_scan {
	size_t *checkpoints; /* offsets in ascending order */
	size_t count, cap;
	size_t metadata; /* offset of the last metadata event; 0 = none */
};

/* True for the header of a supported version; len may be short. */
bool jfr_is_header(const uint8_t *bytes, size_t len);

/*
 * Returns the position of the next header at or after offset; len if there is
 * none.
 */
size_t jfr_chunk_find(const uint8_t *bytes, size_t len, size_t offset);

/*
 * Opens the chunk at offset of a file of len bytes, at least JFR_HEADER_SIZE
 * from its end. The chunk ends where its header says, if plausible, or at the
 * end of the file.
 */
struct jfr_chunk jfr_chunk_open(const uint8_t *file, size_t len, size_t offset);

/* True if the offsets in the header are unreliable. */
static inline bool jfr_chunk_is_damaged(const struct jfr_chunk *chunk)
{
	return chunk->cut || chunk->unfinished || chunk->misfit;
}

/*
 * Fails with ERROR_INPUT for a chunk whose header has a version or an encoding
 * that no JVM in use writes.
 */
int jfr_chunk_check_kind(const struct jfr_chunk *chunk, struct error *err);

/*
 * Determines the end of a damaged chunk in a file of len bytes. If no chunk
 * seems to follow, a misfit may turn out to be correct.
 */
void jfr_chunk_measure(struct jfr_chunk *chunk, size_t len);

/* Returns a cursor at the first event. */
struct cursor jfr_chunk_events(const struct jfr_chunk *chunk);

/*
 * Returns the payload of the event at offset, from behind its type to its end.
 * Fails unless it is an event of that type inside of the chunk.
 */
struct cursor jfr_event_at(const struct jfr_chunk *chunk, uint64_t offset,
			   uint64_t type);

/* Implements jfr_next_event() near the end of the chunk. */
bool jfr_last_event(struct cursor *c, uint64_t *type, struct cursor *event);

/*
 * Reads the next event: *event is its payload, behind its type. False at the
 * end, and for an invalid size: c then stays before that event.
 */
static inline bool jfr_next_event(struct cursor *c, uint64_t *type,
				  struct cursor *event)
{
	const uint8_t *start = c->at, *at;
	uint64_t size;

	if (cursor_left(c) < 2 * (size_t)CURSOR_LONGEST_VARINT)
		return jfr_last_event(c, type, event);
	at = cursor_decode_varint(start, &size);
	if (size > cursor_left(c))
		return false;
	at = cursor_decode_varint(at, type);
	if (size < (size_t)(at - start))
		return false;
	*event = (struct cursor){ c->base, at, start + size, false };
	c->at = start + size;
	return true;
}

/*
 * The same for damaged chunks, where a wrong size may seem valid: also false
 * before an event of a type that is not in m, or at an implausible time.
 */
bool jfr_next_known(const struct jfr_chunk *chunk, const struct jfr_metadata *m,
		    struct cursor *c, uint64_t *type, struct cursor *event);

/*
 * Returns the first offset at or after `from` where events of types in m
 * continue at plausible times; 0 if there is none.
 */
size_t jfr_find_event(const struct jfr_chunk *chunk,
		      const struct jfr_metadata *m, size_t from);

/*
 * Returns the first offset at or after `from` that may have metadata; 0: none.
 */
size_t jfr_find_metadata(const struct jfr_chunk *chunk, size_t from);

/*
 * Walks the events and records the checkpoints and the metadata. Continues
 * after damage if m, which may be NULL, allows it. Returns the end of the walk.
 */
size_t jfr_scan_events(struct jfr_scan *scan, const struct jfr_chunk *chunk,
		       const struct jfr_metadata *m);

void jfr_scan_release(struct jfr_scan *scan);

#endif
