/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_chunk.h"

#include "core/base/alloc.h"
#include "core/formats/jfr/jfr_layout.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS_LIKE_HEADER = 8 }; /* bytes that identify a chunk's header */

#define EVENTS_IN_A_ROW                                                        \
	3 /* number of valid events in a row that make a position plausible */

static int64_t clock_scale(int64_t value, int64_t factor)
{
	int64_t product;

	if (__builtin_mul_overflow(value, factor, &product))
		return value < 0 ? INT64_MIN : INT64_MAX;
	return product;
}

/* Converts ticks to ns. In 128 bits, because ticks times 10^9 may exceed 64. */
static int64_t clock_ticks_to_ns(const struct jfr_clock *clock, int64_t ticks)
{
	__extension__ __int128 ns = (__int128)ticks * 1000000000 /
				    clock->ticks_per_second;

	if (ns > INT64_MAX || ns < INT64_MIN)
		return ns < 0 ? INT64_MIN : INT64_MAX;
	return (int64_t)ns;
}

int64_t jfr_clock_convert(const struct jfr_clock *clock, int64_t value,
			  enum jfr_unit unit)
{
	switch (unit) {
	case JFR_UNIT_TICKS:
		return clock_ticks_to_ns(clock, value);
	case JFR_UNIT_US:
		return clock_scale(value, 1000);
	case JFR_UNIT_MS:
		return clock_scale(value, 1000000);
	case JFR_UNIT_S:
		return clock_scale(value, 1000000000);
	default:
		return value;
	}
}

bool jfr_last_event(struct cursor *c, uint64_t *type, struct cursor *event)
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

static struct jfr_chunk chunk_read_header(struct cursor c)
{
	struct jfr_chunk chunk = { 0 };

	cursor_skip(&c, 4); /* magic */
	chunk.major = cursor_u16(&c);
	chunk.minor = cursor_u16(&c);
	chunk.size = cursor_u64(&c);
	chunk.checkpoint = cursor_u64(&c);
	chunk.metadata = cursor_u64(&c);
	chunk.clock.start_ns = (int64_t)cursor_u64(&c);
	chunk.duration_ns = (int64_t)cursor_u64(&c);
	chunk.clock.start_ticks = (int64_t)cursor_u64(&c);
	chunk.clock.ticks_per_second = (int64_t)cursor_u64(&c);
	chunk.state = cursor_u8(&c);
	cursor_skip(&c, 1);
	chunk.flags = cursor_u16(&c);
	return chunk;
}

bool jfr_is_header(const uint8_t *bytes, size_t len)
{
	return len >= LOOKS_LIKE_HEADER && memcmp(bytes, "FLR\0", 4) == 0 &&
	       bytes[4] == 0 && bytes[5] <= 2 && bytes[6] == 0;
}

struct cursor jfr_event_at(const struct jfr_chunk *chunk, uint64_t offset,
			   uint64_t type)
{
	struct cursor c = cursor_from(&chunk->bytes, offset);
	struct cursor event = c;
	uint64_t size = cursor_varint(&c);

	event = cursor_slice(&event, size);
	cursor_skip_varint(&event);
	if (offset < JFR_HEADER_SIZE || cursor_varint(&event) != type)
		cursor_fail(&event);
	return event;
}

struct cursor jfr_chunk_events(const struct jfr_chunk *chunk)
{
	struct cursor c = chunk->bytes;

	cursor_skip(&c, JFR_HEADER_SIZE);
	return c;
}

/*
 * True if events follow the header and the metadata is at its offset. Copies of
 * the header, which the JVM writes into checkpoints, do not pass.
 */
static bool header_heads_chunk(const uint8_t *bytes, size_t len)
{
	struct jfr_chunk chunk = { .bytes = cursor_over(bytes, len) };
	struct cursor c = chunk.bytes;
	struct cursor event;
	uint64_t type;

	if (!jfr_is_header(bytes, len))
		return false;
	if (len <= JFR_HEADER_SIZE || bytes[5] == 0)
		return true;
	chunk.metadata = chunk_read_header(c).metadata;
	if (chunk.metadata && chunk.metadata < len) {
		event = jfr_event_at(&chunk, chunk.metadata,
				     JFR_EVENT_METADATA);
		return cursor_ok(&event);
	}
	cursor_skip(&c, JFR_HEADER_SIZE);
	return jfr_next_event(&c, &type, &event);
}

size_t jfr_chunk_find(const uint8_t *bytes, size_t len, size_t offset)
{
	while (offset < len) {
		const uint8_t *at = memmem(bytes + offset, len - offset,
					   "FLR\0", 4);

		if (!at)
			break;
		offset = (size_t)(at - bytes);
		if (header_heads_chunk(at, len - offset))
			return offset;
		offset++;
	}
	return len;
}

struct jfr_chunk jfr_chunk_open(const uint8_t *file, size_t len, size_t offset)
{
	size_t left = len - offset;
	struct cursor c = cursor_over(file + offset, left);
	struct jfr_chunk chunk = chunk_read_header(c);

	chunk.offset = offset;
	/*
	 * If async-profiler is killed, the size stays 1 GiB and the offsets 0.
	 */
	chunk.unfinished = chunk.state != 0 || chunk.metadata == 0 ||
			   chunk.checkpoint == 0 ||
			   chunk.size < JFR_HEADER_SIZE;
	chunk.cut = chunk.size > left && !chunk.unfinished;
	if (!chunk.unfinished && !chunk.cut) {
		chunk.misfit = chunk.size < left &&
			       !jfr_is_header(file + offset + chunk.size,
					      left - (size_t)chunk.size);
		left = (size_t)chunk.size;
	}
	chunk.bytes = cursor_over(file + offset, left);
	if (chunk.clock.ticks_per_second <= 0)
		chunk.clock.ticks_per_second = 1000000000;
	return chunk;
}

int jfr_chunk_check_kind(const struct jfr_chunk *chunk, struct error *err)
{
	if (chunk->major != 1 && chunk->major != 2)
		return fail(err, ERROR_INPUT, "JFR %u.%u is not supported%s",
			    chunk->major, chunk->minor,
			    chunk->major ? ""
					 : ": the format of Oracle JDK 7 and "
					   "8; OpenJDK 8u262 and later write "
					   "2.0");
	if (!chunk->unfinished && !(chunk->flags & JFR_COMPRESSED_INTS))
		return fail(err, ERROR_INPUT,
			    "chunks without compressed integers are not "
			    "supported");
	return 0;
}

void jfr_chunk_measure(struct jfr_chunk *chunk, size_t len)
{
	const uint8_t *base = chunk->bytes.base;
	size_t left = len - chunk->offset;
	bool passed_size = false;
	struct cursor c, event;
	uint64_t type;
	size_t end;

	chunk->bytes.end = base + left;
	c = jfr_chunk_events(chunk);
	do {
		end = cursor_offset(&c);
		passed_size |= end == chunk->size;
	} while (!jfr_is_header(c.at, cursor_left(&c)) &&
		 jfr_next_event(&c, &type, &event));
	if (!jfr_is_header(c.at, cursor_left(&c)))
		end = jfr_chunk_find(base, left, end);
	if (chunk->misfit && chunk->metadata < chunk->size &&
	    chunk->checkpoint < chunk->size && (passed_size || end == left)) {
		/*
		 * The chunk's size is right, and the data behind it is not a
		 * chunk.
		 */
		chunk->misfit = false;
		end = (size_t)chunk->size;
	}
	chunk->bytes.end = base + end;
}

/*
 * True for an event of a known type at a plausible time. A long event may have
 * begun at any time before the chunk.
 */
static bool event_is_plausible(const struct jfr_chunk *chunk,
			       const struct jfr_metadata *m, uint64_t type,
			       struct cursor event, int64_t earliest)
{
	const struct jfr_type *t = jfr_type_by_id(m, type);
	__extension__ __int128 second = chunk->clock.ticks_per_second;
	int64_t ticks;

	if (type > JFR_EVENT_CHECKPOINT && !(t && t->is_event))
		return false;
	ticks = (int64_t)cursor_varint(&event);
	return cursor_ok(&event) && ticks >= earliest &&
	       (__int128)ticks - chunk->clock.start_ticks <=
		       JFR_LONGEST_CHUNK_S * second;
}

/* jfr_next_known() for events that began at or after `earliest`. */
static bool event_next_since(const struct jfr_chunk *chunk,
			     const struct jfr_metadata *m, int64_t earliest,
			     struct cursor *c, uint64_t *type,
			     struct cursor *event)
{
	const uint8_t *start = c->at;

	if (!jfr_next_event(c, type, event))
		return false;
	if (event_is_plausible(chunk, m, *type, *event, earliest))
		return true;
	c->at = start;
	return false;
}

bool jfr_next_known(const struct jfr_chunk *chunk, const struct jfr_metadata *m,
		    struct cursor *c, uint64_t *type, struct cursor *event)
{
	return event_next_since(chunk, m, 0, c, type, event);
}

size_t jfr_find_event(const struct jfr_chunk *chunk,
		      const struct jfr_metadata *m, size_t from)
{
	size_t len = (size_t)(chunk->bytes.end - chunk->bytes.base);
	bool end_counts = !jfr_chunk_is_damaged(chunk);
	int64_t earliest = chunk->clock.start_ticks / 2;

	for (size_t offset = from; offset < len; offset++) {
		struct cursor c = cursor_from(&chunk->bytes, offset);
		struct cursor event;
		uint64_t type;
		unsigned row = 0;

		if (!*c.at)
			continue; /* no event has size 0, but many bytes are 0
				   */
		while (row < EVENTS_IN_A_ROW &&
		       event_next_since(chunk, m, earliest, &c, &type, &event))
			row++;
		/* At the end, if the end is known, fewer events suffice. */
		if (row == EVENTS_IN_A_ROW ||
		    (end_counts && row && c.at == c.end))
			return offset;
	}
	return 0;
}

/*
 * Checks the head of metadata: times, an id, and strings, the first not empty.
 */
static bool event_may_be_metadata(struct cursor event)
{
	size_t strings;
	uint8_t encoding;

	cursor_skip_varint(&event); /* start time */
	cursor_skip_varint(&event); /* duration */
	cursor_skip_varint(&event); /* id */
	strings = cursor_count(&event, 1);
	encoding = cursor_u8(&event);
	return cursor_ok(&event) && strings >= 8 && encoding >= JFR_UTF8 &&
	       encoding <= JFR_LATIN1 && cursor_count(&event, 1) > 0;
}

size_t jfr_find_metadata(const struct jfr_chunk *chunk, size_t from)
{
	size_t len = (size_t)(chunk->bytes.end - chunk->bytes.base);

	for (size_t offset = from; offset < len; offset++) {
		struct cursor event;

		/* The size of metadata takes more than one byte. */
		if (chunk->bytes.base[offset] < 0x80)
			continue;
		event = jfr_event_at(chunk, offset, JFR_EVENT_METADATA);
		if (cursor_ok(&event) && event_may_be_metadata(event))
			return offset;
	}
	return 0;
}

static void scan_note_checkpoint(struct jfr_scan *scan, size_t offset)
{
	array_add(scan->checkpoints, scan->count, scan->cap, offset);
}

size_t jfr_scan_events(struct jfr_scan *scan, const struct jfr_chunk *chunk,
		       const struct jfr_metadata *m)
{
	struct cursor c = jfr_chunk_events(chunk);
	struct cursor event;
	uint64_t type;
	size_t offset;

	scan->count = 0;
	for (;;) {
		offset = cursor_offset(&c);
		if (!(m ? jfr_next_known(chunk, m, &c, &type, &event)
			: jfr_next_event(&c, &type, &event))) {
			size_t next = m && c.at < c.end
					      ? jfr_find_event(chunk, m,
							       offset + 1)
					      : 0;

			if (!next)
				return offset;
			c = cursor_from(&chunk->bytes, next);
		} else if (type == JFR_EVENT_METADATA) {
			scan->metadata = offset;
		} else if (type == JFR_EVENT_CHECKPOINT) {
			scan_note_checkpoint(scan, offset);
		}
	}
}

void jfr_scan_release(struct jfr_scan *scan)
{
	free(scan->checkpoints);
	*scan = (struct jfr_scan){ 0 };
}
