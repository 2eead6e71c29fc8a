/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_jfr: JDK Flight Recorder files, chunk versions 1 and 2.
 *
 * A file is a sequence of chunks, each with its own types, constant pools and
 * clock: of JDK 9 and later, OpenJDK 8u262 and later, async-profiler, or
 * several of them in one file.  A chunk that was finished is read by the
 * offsets in its header; one that was not, by walking its events: the JVM
 * writes pools and types again and again, so most of it can be had.
 */
#include "core/base/cursor.h"
#include "core/profile/jfr_events.h"
#include "core/profile/jfr_metadata.h"
#include "core/profile/jfr_pool.h"
#include "core/profile/readers.h"

#include "core/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JFR_MAGIC       0x464c5200u /* "FLR\0" */
#define JFR_HEADER_SIZE 68
#define COMPRESSED_INTS 1 /* bit of the header's flags */

/*
 * Frames that differ only in their lines make a huge recording's tree several
 * times larger; up to this size of the file that costs little.
 */
#define LINES_UP_TO ((size_t)128 << 20)

enum { EVENT_METADATA = 0, EVENT_CHECKPOINT = 1 };

struct chunk {
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

/* Where events stand in a chunk that are worth to be known. */
struct scan {
	size_t *checkpoints; /* offsets, ascending */
	size_t count, cap;
	/* Of a walk over the events of a damaged chunk: */
	size_t metadata;  /* offset of the last; 0 = none */
	size_t end;       /* where the walk ended */
	bool passed_size; /* one event ended where the header says all do */
};

enum { LOOKS_LIKE_HEADER = 8 }; /* bytes that tell a chunk's header */

/* Recordings put together mix chunks of a few kinds, over and over. */
#define TYPED_CHUNKS 4

struct jfr_read {
	struct profile *profile;
	const uint8_t *bytes;
	size_t len;
	/* Of the last chunks that had any; metadata is the one in use. */
	struct typed {
		const uint8_t *bytes; /* of the recording */
		size_t len;
		struct jfr_metadata metadata;
	} typed[TYPED_CHUNKS];
	size_t typed_next; /* the one to be replaced next */
	const struct jfr_metadata *metadata;
	struct jfr_clock typed_clock; /* of the chunk metadata are from */
	uint16_t typed_version;
	struct jfr_pools pools;
	struct jfr_events events;
	uint64_t chunks, samples;
};

static bool jfr_sniff(const uint8_t *head, size_t len)
{
	return len >= 4 && memcmp(head, "FLR\0", 4) == 0;
}

static struct chunk read_header(struct cursor c)
{
	struct chunk chunk = { 0 };

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

/* A header of a version that exists; four bytes alone may be anything. */
static bool is_header(const uint8_t *bytes, size_t len)
{
	return len >= LOOKS_LIKE_HEADER && jfr_sniff(bytes, len) &&
	       bytes[4] == 0 && bytes[5] <= 2 && bytes[6] == 0;
}

/*
 * The payload of the event at offset, behind its type, ending with the event.
 * Failed unless it is an event of that type that fits the chunk.
 */
static struct cursor event_at(const struct chunk *chunk, uint64_t offset,
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

/*
 * Steps to the next event: *event is what it holds behind its type.  False at
 * the end, and when the size cannot be: c then stands before that event.
 */
static inline bool next_event(struct cursor *c, uint64_t *type,
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

static struct cursor events_of(const struct chunk *chunk)
{
	struct cursor c = chunk->bytes;

	cursor_skip(&c, JFR_HEADER_SIZE);
	return c;
}

/*
 * True when events follow the header and its metadata are where it says.  The
 * JVM writes copies of the header into checkpoints: of those it is not true.
 */
static bool heads_chunk(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct chunk chunk = { .bytes = c };
	struct cursor event;
	uint64_t type;

	if (!is_header(bytes, len))
		return false;
	if (len <= JFR_HEADER_SIZE || bytes[5] == 0)
		return true;
	chunk.metadata = read_header(c).metadata;
	if (chunk.metadata && chunk.metadata < len) {
		event = event_at(&chunk, chunk.metadata, EVENT_METADATA);
		return cursor_ok(&event);
	}
	cursor_skip(&c, JFR_HEADER_SIZE);
	return next_event(&c, &type, &event);
}

/* Where the next chunk's header stands at or after offset; len: nowhere. */
static size_t find_chunk(const uint8_t *bytes, size_t len, size_t offset)
{
	while (offset < len) {
		const uint8_t *at = memmem(bytes + offset, len - offset,
					   "FLR\0", 4);

		if (!at)
			break;
		offset = (size_t)(at - bytes);
		if (heads_chunk(at, len - offset))
			return offset;
		offset++;
	}
	return len;
}

/*
 * Opens the chunk at offset.  Its end is the header's word, if it can be; else
 * the end of the file, until end_scanned() knows better.
 */
static struct chunk open_chunk(const struct jfr_read *r, size_t offset)
{
	size_t left = r->len - offset;
	struct cursor c = cursor_over(r->bytes + offset, left);
	struct chunk chunk = read_header(c);

	chunk.offset = offset;
	/* async-profiler leaves 1 GiB and no offsets when it is killed. */
	chunk.unfinished = chunk.state != 0 || chunk.metadata == 0 ||
			   chunk.checkpoint == 0 ||
			   chunk.size < JFR_HEADER_SIZE;
	chunk.cut = chunk.size > left && !chunk.unfinished;
	if (!chunk.unfinished && !chunk.cut) {
		chunk.misfit = chunk.size < left &&
			       !is_header(r->bytes + offset + chunk.size,
					  left - (size_t)chunk.size);
		left = (size_t)chunk.size;
	}
	chunk.bytes = cursor_over(r->bytes + offset, left);
	if (chunk.clock.ticks_per_second <= 0)
		chunk.clock.ticks_per_second = 1000000000;
	return chunk;
}

static void note_checkpoint(struct scan *scan, size_t offset)
{
	array_reserve(scan->checkpoints, scan->cap, scan->count + 1);
	scan->checkpoints[scan->count++] = offset;
}

/*
 * Walks a chunk whose header cannot be relied on, up to where the events end
 * or the next chunk begins.  (Inside an event stands a copy of the header.)
 */
static void scan_events(const struct chunk *chunk, struct scan *scan)
{
	struct cursor c = events_of(chunk);
	struct cursor event;
	uint64_t type;
	size_t offset = cursor_offset(&c);

	scan->count = 0;
	for (; next_event(&c, &type, &event); offset = cursor_offset(&c)) {
		scan->passed_size |= cursor_offset(&c) == chunk->size;
		if (is_header(chunk->bytes.base + offset,
			      cursor_left(&chunk->bytes) - offset))
			break;
		if (type == EVENT_METADATA)
			scan->metadata = offset;
		else if (type == EVENT_CHECKPOINT)
			note_checkpoint(scan, offset);
	}
	scan->end = offset;
}

static void lost_pools(struct jfr_read *r, const struct chunk *chunk,
		       uint64_t at)
{
	profile_lost(r->profile, "damaged constant pools", 1, "offset %" PRIu64,
		     chunk->offset + at);
}

/*
 * Reads the pools along the chain that the header begins, newest first.  False
 * when it breaks off; scan then holds the checkpoints up to there.
 */
static bool read_chain(struct jfr_read *r, const struct chunk *chunk,
		       struct scan *scan)
{
	uint64_t at = chunk->checkpoint;
	uint64_t end = cursor_left(&chunk->bytes);
	bool whole = false;
	int64_t delta;

	do {
		struct cursor event = event_at(chunk, at, EVENT_CHECKPOINT);

		delta = 0;
		/* One within the next would be read over and over. */
		if (!cursor_ok(&event) ||
		    (uint64_t)(event.end - event.base) > end)
			goto out;
		note_checkpoint(scan, at);
		if (!jfr_pools_read(&r->pools, event, &delta))
			lost_pools(r, chunk, at);
		/* Offsets must fall, so the chain has an end. */
		if (delta > 0 || -(uint64_t)delta > at)
			goto out;
		end = at;
		at += (uint64_t)delta;
	} while (delta);
	whole = true;
out:
	for (size_t i = 0; i < scan->count / 2; i++) {
		size_t *a = &scan->checkpoints[i];
		size_t *b = &scan->checkpoints[scan->count - 1 - i];
		size_t offset = *a;

		*a = *b;
		*b = offset;
	}
	return whole;
}

static void read_scanned(struct jfr_read *r, const struct chunk *chunk,
			 const struct scan *scan)
{
	for (size_t i = scan->count; i-- > 0;) {
		struct cursor event = event_at(chunk, scan->checkpoints[i],
					       EVENT_CHECKPOINT);
		int64_t delta;

		if (!jfr_pools_read(&r->pools, event, &delta))
			lost_pools(r, chunk, scan->checkpoints[i]);
	}
}

/*
 * The chunk before may stand in with its types: a JVM that ran on gives them
 * the same ids in each chunk, and may write them last of all.
 */
static bool is_same_jvm(const struct jfr_read *r, const struct chunk *chunk)
{
	const struct jfr_clock *a = &r->typed_clock;
	const struct jfr_clock *b = &chunk->clock;

	return r->metadata && r->typed_version == chunk->major &&
	       a->ticks_per_second == b->ticks_per_second &&
	       a->start_ticks < b->start_ticks && a->start_ns < b->start_ns;
}

/*
 * Makes the metadata in event those in use.  Equal bytes are equal types; the
 * metadata's id is not asked, since every JVM counts from 1.
 */
static int use_metadata(struct jfr_read *r, struct cursor event,
			struct error *err)
{
	struct typed *t = &r->typed[r->typed_next];
	size_t len;

	cursor_skip_varint(&event); /* start time */
	cursor_skip_varint(&event); /* duration */
	cursor_skip_varint(&event); /* id */
	len = cursor_left(&event);
	for (size_t i = 0; i < TYPED_CHUNKS; i++) {
		if (len && r->typed[i].len == len &&
		    memcmp(r->typed[i].bytes, event.at, len) == 0) {
			r->metadata = &r->typed[i].metadata;
			return 0;
		}
	}
	if (r->metadata == &t->metadata)
		r->metadata = NULL;
	jfr_metadata_release(&t->metadata);
	t->len = 0;
	if (jfr_metadata_read(&t->metadata, event, err))
		return -1;
	t->bytes = event.at;
	t->len = len;
	r->metadata = &t->metadata;
	r->typed_next = (r->typed_next + 1) % TYPED_CHUNKS;
	return 0;
}

/*
 * Reads the chunk's types: those the header leads to, or the last that a scan
 * found, which are a superset of those before.
 */
static int read_metadata(struct jfr_read *r, const struct chunk *chunk,
			 const struct scan *scan, struct error *err)
{
	struct cursor event = event_at(chunk, chunk->metadata, EVENT_METADATA);

	if (cursor_ok(&event) && use_metadata(r, event, err) == 0)
		goto found;
	event = event_at(chunk, scan->metadata, EVENT_METADATA);
	if (cursor_ok(&event)) {
		if (use_metadata(r, event, err) == 0)
			goto found;
		return -1;
	}
	if (chunk->cut && is_same_jvm(r, chunk))
		return 0;
	return fail(err, ERROR_INPUT, "its descriptions of types are %s",
		    chunk->cut ? "in the part that was cut off" : "missing");
found:
	r->typed_clock = chunk->clock;
	r->typed_version = chunk->major;
	return 0;
}

/* The first checkpoint after offset, or 0. */
static size_t next_checkpoint(const struct scan *scan, size_t offset)
{
	size_t low = 0, high = scan->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->checkpoints[middle] > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low < scan->count ? scan->checkpoints[low] : 0;
}

/*
 * Reads all events.  Behind one whose size cannot be, the next checkpoint is
 * the next place where an event is known to begin.
 */
static void read_events(struct jfr_read *r, const struct chunk *chunk,
			const struct scan *scan)
{
	struct cursor c = events_of(chunk);
	struct cursor event;
	uint64_t type;

	for (;;) {
		size_t at, next;

		while (next_event(&c, &type, &event)) {
			if (jfr_events_wants(&r->events, type))
				jfr_events_read(&r->events, type, event);
		}
		at = cursor_offset(&c);
		if (c.at == c.end)
			break;
		next = next_checkpoint(scan, at);
		if (!next)
			next = cursor_offset(&c) + cursor_left(&c);
		profile_lost(r->profile, "bytes behind events that cannot be",
			     next - at, "offset %zu", chunk->offset + at);
		cursor_skip(&c, next - at);
	}
	jfr_events_end(&r->events);
}

static bool is_damaged(const struct chunk *chunk)
{
	return chunk->cut || chunk->unfinished || chunk->misfit;
}

/* Says what was wrong with a chunk that was read as far as it could be. */
static void remark_chunk(struct jfr_read *r, const struct chunk *chunk)
{
	struct profile *p = r->profile;
	size_t len = cursor_left(&chunk->bytes);
	size_t at = chunk->offset;

	if (chunk->cut)
		profile_lost(p, "chunks cut short", 1,
			     "the one at offset %zu has %zu of its %" PRIu64
			     " bytes; %" PRIu64 " of its samples were read",
			     at, len, chunk->size, r->events.read);
	else if (chunk->unfinished)
		profile_lost(p, "chunks that their writer did not finish", 1,
			     "at offset %zu; %" PRIu64
			     " of its samples were read",
			     at, r->events.read);
	else if (chunk->misfit)
		profile_lost(p, "chunks that are not of the size they say", 1,
			     "the one at offset %zu has %zu bytes, not %" PRIu64
			     "; %" PRIu64 " of its samples were read",
			     at, len, chunk->size, r->events.read);
	/* A JVM forgets a few at the end of a chunk: no loss of ours. */
	if (r->events.missing_stacks)
		(is_damaged(chunk) ? profile_lost : profile_note)(
			p, "stack traces that the recording lacks",
			r->events.missing_stacks, "chunk at offset %zu", at);
	if (r->events.damaged)
		profile_lost(p, "damaged events", r->events.damaged,
			     "chunk at offset %zu", at);
	if (r->pools.unknown_frames)
		profile_lost(p, "methods that the recording lacks",
			     r->pools.unknown_frames, "chunk at offset %zu",
			     at);
}

/* Fails when it is of a kind that no JVM in use writes. */
static int check_kind(const struct chunk *chunk, struct error *err)
{
	if (chunk->major != 1 && chunk->major != 2)
		return fail(err, ERROR_INPUT, "JFR %u.%u is not supported%s",
			    chunk->major, chunk->minor,
			    chunk->major ? ""
					 : ": the format of Oracle JDK 7 and "
					   "8; OpenJDK 8u262 and later write "
					   "2.0");
	if (!chunk->unfinished && !(chunk->flags & COMPRESSED_INTS))
		return fail(err, ERROR_INPUT,
			    "chunks without compressed integers are not "
			    "supported");
	return 0;
}

/*
 * Finds out by its events where a damaged chunk ends.  One that no other
 * follows may be whole, and what follows no chunk.
 */
static bool measure_chunk(struct jfr_read *r, struct chunk *chunk,
			  struct scan *scan)
{
	const uint8_t *base = chunk->bytes.base;
	size_t left = r->len - chunk->offset;

	chunk->bytes.end = base + left;
	scan_events(chunk, scan);
	if (chunk->misfit &&
	    (scan->passed_size ||
	     (scan->end < chunk->size &&
	      !is_header(base + scan->end, left - scan->end)))) {
		chunk->misfit = false;
		chunk->bytes.end = base + chunk->size;
		scan->count = 0;
		return false;
	}
	chunk->bytes.end = base + scan->end;
	return true;
}

/*
 * Reads the chunk as far as it can be.  *end is where it turned out to end,
 * from its start on.
 */
static int read_chunk(struct jfr_read *r, struct chunk *chunk, size_t *end,
		      struct error *err)
{
	struct scan scan = { 0 };
	bool scanned = false;
	int ret = -1;

	*end = cursor_left(&chunk->bytes);
	if (check_kind(chunk, err)) {
		/* Its size may mean anything then: the next is looked for. */
		if (is_damaged(chunk))
			*end = LOOKS_LIKE_HEADER;
		goto out;
	}
	if (is_damaged(chunk))
		scanned = measure_chunk(r, chunk, &scan);
	*end = cursor_left(&chunk->bytes);
	if (read_metadata(r, chunk, &scan, err)) {
		if (scanned)
			goto out;
		scan_events(chunk, &scan);
		scanned = true;
		if (read_metadata(r, chunk, &scan, err))
			goto out;
		profile_lost(r->profile, "damaged metadata", 1,
			     "offset %" PRIu64,
			     chunk->offset + chunk->metadata);
	}
	jfr_pools_begin(&r->pools, r->profile, r->metadata);
	jfr_events_begin(&r->events, r->profile, &r->pools, r->metadata,
			 &chunk->clock);
	if (!scanned && !read_chain(r, chunk, &scan)) {
		profile_lost(r->profile, "broken chains of constant pools", 1,
			     "chunk at offset %zu", chunk->offset);
		scan_events(chunk, &scan);
		scanned = true;
	}
	if (scanned)
		read_scanned(r, chunk, &scan);
	jfr_pools_end(&r->pools);
	read_events(r, chunk, &scan);
	remark_chunk(r, chunk);
	r->samples += r->events.read;
	ret = 0;
out:
	free(scan.checkpoints);
	return ret;
}

/* So that time buckets have the right width from the first sample on. */
static void expect_times(const struct jfr_read *r)
{
	int64_t from = INT64_MAX, to = 0;
	size_t offset = 0;

	while (r->len - offset >= JFR_HEADER_SIZE) {
		struct chunk c = open_chunk(r, offset);
		int64_t end;

		if (c.major != 1 && c.major != 2)
			break;
		if (c.clock.start_ns < from)
			from = c.clock.start_ns;
		if (!__builtin_add_overflow(c.clock.start_ns, c.duration_ns,
					    &end) &&
		    end > to)
			to = end;
		offset += cursor_left(&c.bytes);
	}
	profile_expect_times(r->profile, from, to);
}

static int read_chunks(struct jfr_read *r, struct error *err)
{
	struct profile *p = r->profile;
	size_t offset = 0;
	size_t failed = 0;

	while (offset < r->len) {
		struct chunk chunk;
		struct error why;
		size_t next, size;

		if (r->len - offset < JFR_HEADER_SIZE ||
		    !jfr_sniff(r->bytes + offset, r->len - offset)) {
			next = find_chunk(r->bytes, r->len, offset + 1);
			profile_lost(p, "bytes that are no chunk",
				     next - offset, "offset %zu", offset);
			offset = next;
			continue;
		}
		chunk = open_chunk(r, offset);
		if (read_chunk(r, &chunk, &size, &why)) {
			profile_lost(p, "chunks that cannot be read", 1,
				     "the one at offset %zu: %s", offset,
				     why.text);
			if (!failed++)
				*err = why;
		}
		r->chunks++;
		offset += size;
		/* Behind a damaged chunk the next one has to be looked for. */
		if (is_damaged(&chunk))
			offset = find_chunk(r->bytes, r->len, offset);
		profile_progress(p, offset, r->len);
	}
	if (r->chunks == 0)
		return fail(err, ERROR_INPUT,
			    "the first chunk's header is cut");
	return r->chunks == failed ? -1 : 0;
}

static int jfr_read(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err)
{
	struct jfr_read r = { .profile = p, .bytes = bytes, .len = len };
	int ret;

	if (len > LINES_UP_TO && p->keep_lines && !p->want_lines) {
		p->keep_lines = false;
		profile_note(p, "line numbers left out", 1,
			     "recordings over %zu MB have them with --lines",
			     LINES_UP_TO >> 20);
	}
	expect_times(&r);
	ret = read_chunks(&r, err);
	if (ret == 0 && r.samples == 0 && profile_is_partial(p))
		ret = fail(err, ERROR_INPUT, "no sample can be read: %s: %s",
			   p->remarks[0].what, p->remarks[0].first);
	jfr_events_release(&r.events);
	jfr_pools_release(&r.pools);
	for (size_t i = 0; i < TYPED_CHUNKS; i++)
		jfr_metadata_release(&r.typed[i].metadata);
	return ret;
}

const struct reader jfr_reader = {
	.name = "jfr",
	.summary = "JDK Flight Recorder",
	.sniff = jfr_sniff,
	.read = jfr_read,
};
