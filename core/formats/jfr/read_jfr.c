/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_jfr: reads JDK Flight Recorder files, chunk versions 1 and 2.
 *
 * A file is a sequence of chunks, each with its own types, constant pools and
 * clock. They come from JDK 9 and later, OpenJDK 8u262 and later,
 * async-profiler, or several of them. A finished chunk is read by the offsets
 * in its header, an unfinished one by walking its events: the JVM writes pools
 * and types repeatedly, so most events of an unfinished chunk are readable.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/cursor.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/formats/jfr/first_weights.h"
#include "core/formats/jfr/jfr_chunk.h"
#include "core/formats/jfr/jfr_events.h"
#include "core/formats/jfr/jfr_layout.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_pool.h"
#include "core/formats/reader.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * jfr_settings: reads how a chunk's samples were taken.
 *
 * The JDK and async-profiler write an event jdk.ActiveSetting {id of an event
 * type, name, value} for each setting, and the JDK a jdk.BooleanFlag for each
 * boolean flag of the JVM that can be changed. Diagnostic flags such as
 * DebugNonSafepoints are included only with -XX:+UnlockDiagnosticVMOptions.
 */

struct jfr_settings {
	struct profile *profile;
	const struct jfr_metadata *metadata;
	struct jfr_pools *pools;
	struct jfr_wall *wall; /* of the events */
	/* The layout is empty if the chunk lacks the type. */
	uint64_t setting_type, flag_type;
	struct jfr_layout setting, flag;
	uint64_t flags; /* number of flags read */
	bool debug_non_safepoints;
	bool are_of_sjkc;
};

static inline bool jfr_settings_wants(const struct jfr_settings *js,
				      uint64_t type_id)
{
	return (type_id == js->setting_type && js->setting.ops) ||
	       (type_id == js->flag_type && js->flag.ops);
}

#define VALUE_LONGEST 64 /* longer than "beginChunk", "20 ms", "1000000" */

/* Fields of both event types. */
enum { FIELD_ID, FIELD_NAME, FIELD_VALUE, FIELDS };

/* Settings that decide which samples a recording has. */
static const char *const kept[] = {
	"period",    /* time between samples: "20 ms", "everyChunk" */
	"throttle",  /* maximum rate: "300/s" */
	"threshold", /* shorter events are omitted: "10 ms" */
	"interval",  /* async-profiler's period, in ns or events */
	"wall",      /* period of the wall clock beside another event */
	"nobatch",   /* running and waiting threads are in one event */
	"lock",      /* threshold of waits for locks, in ns (bias.c) */
	"alloc",     /* bytes between allocation samples */
	"sjkc",      /* the event that sjkc wrote as this type */
};

/* async-profiler's settings of its recording apply to all its events. */
#define RECORDING "jdk.ActiveRecording"

static const char *const of_all[] = {
	"event",   /* the event that it was asked to sample */
	"version", /* "4.0" */
};

static uint64_t settings_find_type(const struct jfr_metadata *m,
				   const char *name, struct jfr_layout *layout)
{
	static const char *const fields[FIELDS] = { "id", "name", "value" };

	for (size_t i = 0; i < m->type_count; i++) {
		const struct jfr_type *t = &m->types[i];

		if (strcmp(t->name, name) == 0 && t->is_event &&
		    jfr_layout_compile(layout, m, t, fields, FIELDS, false))
			return t->id;
		jfr_layout_release(layout);
	}
	return 0;
}

/* Releases the chunk. Zeroed storage is allowed. */
static void jfr_settings_release(struct jfr_settings *js)
{
	jfr_layout_release(&js->setting);
	jfr_layout_release(&js->flag);
	*js = (struct jfr_settings){ 0 };
}

/* All arguments are borrowed. */
static void jfr_settings_begin(struct jfr_settings *js, struct profile *p,
			       struct jfr_pools *pools,
			       const struct jfr_metadata *m,
			       struct jfr_wall *wall)
{
	jfr_settings_release(js);
	js->profile = p;
	js->pools = pools;
	js->metadata = m;
	js->wall = wall;
	js->setting_type = settings_find_type(m, "jdk.ActiveSetting",
					      &js->setting);
	js->flag_type = settings_find_type(m, "jdk.BooleanFlag", &js->flag);
}

/* Appends a string, terminated by NUL; "" if it is too long for a setting. */
static void settings_text(const struct jfr_settings *js,
			  const struct jfr_string *s, struct text *out)
{
	text_clear(out);
	if (s->len <= VALUE_LONGEST)
		jfr_pools_text(js->pools, s, out);
	if (out->len > VALUE_LONGEST)
		text_clear(out);
	text_puts(out, "");
}

static bool settings_is_one_of(const char *const *names, size_t count,
			       const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/*
 * async-profiler 2.10 to 3.0 writes samples of the wall clock as
 * jdk.ExecutionSample, also beside samples of the CPU. Samples of waiting
 * threads are of the wall clock; those of running threads may be of either, and
 * stay. Later versions have an event for the wall clock. The settings precede
 * the samples: "version", "event" if one was asked for, "wall" of the event.
 */
static void settings_note_wall(struct jfr_settings *js, const char *type,
			       const char *name, const char *value)
{
	struct jfr_wall *wall = js->wall;
	bool is_recording = strcmp(type, RECORDING) == 0;

	if (is_recording && strcmp(name, "version") == 0)
		*wall = (struct jfr_wall){
			.is_old = is_digit(value[0]) && value[0] < '4' &&
				  value[1] == '.',
		};
	else if (is_recording && strcmp(name, "event") == 0)
		wall->beside = strcmp(value, "wall") != 0;
	else if (wall->is_old && strcmp(type, "jdk.ExecutionSample") == 0 &&
		 strcmp(name, "wall") == 0)
		wall->is_mixed = strtoll(value, NULL, 10) > 0;
	if (wall->is_mixed && wall->beside)
		profile_set(js->profile, "jdk.ExecutionSample", "mixed",
			    "true");
	if (wall->is_mixed)
		profile_set(js->profile, JFR_WALL_SAMPLE, "mixed",
			    wall->beside ? "true" : "false");
}

static void settings_keep(struct jfr_settings *js, uint64_t type_id,
			  const char *name, const char *value)
{
	const struct jfr_type *t = jfr_type_by_id(js->metadata, type_id);

	if (!t || !*value)
		return;
	js->are_of_sjkc |= strcmp(name, "sjkc") == 0;
	settings_note_wall(js, jfr_event_name(t), name, value);
	if (settings_is_one_of(kept, sizeof(kept) / sizeof(*kept), name))
		profile_set(js->profile, jfr_event_name(t), name, value);
	if (settings_is_one_of(of_all, sizeof(of_all) / sizeof(*of_all),
			       name) &&
	    strcmp(jfr_event_name(t), RECORDING) == 0)
		profile_set(js->profile, "", name, value);
}

/*
 * Reads one event, whose type id has been read from c, into profile_set().  The
 * event that async-profiler sampled becomes the setting "event" of the event
 * "", its version the setting "version".
 */
static void jfr_settings_read(struct jfr_settings *js, uint64_t type_id,
			      struct cursor c)
{
	bool is_flag = type_id == js->flag_type && js->flag.ops;
	struct jfr_string strings[FIELDS] = { 0 };
	struct text name = { 0 }, value = { 0 };
	uint64_t numbers[FIELDS] = { 0 };

	jfr_layout_read(is_flag ? &js->flag : &js->setting, &c, numbers,
			strings);
	if (!cursor_ok(&c))
		return;
	settings_text(js, &strings[FIELD_NAME], &name);
	settings_text(js, &strings[FIELD_VALUE], &value);
	if (!is_flag) {
		settings_keep(js, numbers[FIELD_ID], name.bytes, value.bytes);
	} else {
		js->flags++;
		if (strcmp(name.bytes, "DebugNonSafepoints") == 0)
			js->debug_non_safepoints = numbers[FIELD_VALUE] != 0;
	}
	text_release(&name);
	text_release(&value);
}

/*
 * Ends the events. If they included flags, DebugNonSafepoints becomes a setting
 * of the event "", "false" if the flag was not among them.
 */
static void jfr_settings_end(struct jfr_settings *js)
{
	if (js->flags)
		profile_set(js->profile, "", "DebugNonSafepoints",
			    js->debug_non_safepoints ? "true" : "false");
}

/*
 * Maximum number of positions that are searched for the types of a chunk with a
 * wrong header.
 */
#define MOST_SEARCHES    16

#define LONGEST_CHUNK_NS (JFR_LONGEST_CHUNK_S * 1000000000)
/* A chunk may last longer than usual, but not arbitrarily long. */
#define MOST_DURATION_NS (LONGEST_CHUNK_NS * 52)

/* Concatenated recordings alternate between chunks of a few kinds. */
#define TYPED_CHUNKS 4

struct jfr_read {
	struct profile *profile;
	const uint8_t *bytes;
	size_t len;
	/* The types of the last chunks; metadata is the current one. */
	struct typed {
		const uint8_t *bytes; /* of the recording */
		size_t len;
		struct jfr_metadata metadata;
	} typed[TYPED_CHUNKS];
	size_t typed_next; /* index of the next one to be replaced */
	const struct jfr_metadata *metadata;
	struct jfr_clock
		typed_clock; /* of the chunk with the current metadata */
	uint16_t typed_version;
	struct jfr_pools pools;
	struct jfr_events events;
	struct first_weights firsts;
	struct jfr_settings settings;
	struct jfr_wall wall;
	struct map64 wanted; /* keys of stack traces, in the current chunk */
	struct jfr_clock clock_before; /* of the previous chunk */
	uint64_t chunks, samples;
	bool is_written; /* a process still writes the input */
};

static bool jfr_sniff(const uint8_t *head, size_t len)
{
	return len >= 4 && memcmp(head, "FLR\0", 4) == 0;
}

/* True if the header of b has the time that a's clock shows at b's ticks. */
static bool clocks_agree(const struct jfr_clock *a, const struct jfr_clock *b)
{
	int64_t at = jfr_clock_time(a, b->start_ticks, JFR_UNIT_TICKS);
	__extension__ __int128 off = (__int128)at - b->start_ns;

	return a->ticks_per_second == b->ticks_per_second &&
	       off <= LONGEST_CHUNK_NS && off >= -LONGEST_CHUNK_NS;
}

/*
 * Opens the chunk at offset. If the clocks of the previous and the next chunk
 * agree with each other but not with this chunk's header, they are right.
 */
static struct jfr_chunk chunk_open(const struct jfr_read *r, size_t offset,
				   const struct jfr_clock *before,
				   bool *is_mended)
{
	struct jfr_chunk chunk = jfr_chunk_open(r->bytes, r->len, offset);
	size_t next = offset + cursor_left(&chunk.bytes);
	struct jfr_clock after;

	*is_mended = false;
	if (!before->ticks_per_second || r->len - next < JFR_HEADER_SIZE ||
	    !jfr_is_header(r->bytes + next, r->len - next))
		return chunk;
	after = jfr_chunk_open(r->bytes, r->len, next).clock;
	if (clocks_agree(before, &after) &&
	    !clocks_agree(before, &chunk.clock)) {
		*is_mended = true;
		chunk.clock = *before;
	}
	return chunk;
}

/* Maximum time between a chunk's start and its samples. */
static int64_t chunk_longest_ns(const struct jfr_chunk *chunk)
{
	if (chunk->duration_ns > LONGEST_CHUNK_NS &&
	    chunk->duration_ns <= MOST_DURATION_NS)
		return chunk->duration_ns;
	return LONGEST_CHUNK_NS;
}

static void chunk_lost_pools(struct jfr_read *r, const struct jfr_chunk *chunk,
			     uint64_t at)
{
	profile_lost(r->profile, "damaged constant pools", 1, "offset %" PRIu64,
		     chunk->offset + at);
}

/*
 * Reads the pools along the chain that starts at the header, newest first.
 * False if the chain is broken.
 */
static bool chunk_read_chain(struct jfr_read *r, const struct jfr_chunk *chunk)
{
	uint64_t at = chunk->checkpoint;
	uint64_t end = cursor_left(&chunk->bytes);
	int64_t delta;

	do {
		struct cursor event = jfr_event_at(chunk, at,
						   JFR_EVENT_CHECKPOINT);

		delta = 0;
		/*
		 * A checkpoint inside of the next one would be read repeatedly.
		 */
		if (!cursor_ok(&event) ||
		    (uint64_t)(event.end - event.base) > end)
			return false;
		if (!jfr_pools_read(&r->pools, event, &delta))
			chunk_lost_pools(r, chunk, at);
		/* Offsets must decrease, so the chain ends. */
		if (delta > 0 || -(uint64_t)delta > at)
			return false;
		end = at;
		at += (uint64_t)delta;
	} while (delta);
	return true;
}

static void chunk_read_scanned(struct jfr_read *r,
			       const struct jfr_chunk *chunk,
			       const struct jfr_scan *scan)
{
	for (size_t i = scan->count; i-- > 0;) {
		struct cursor event = jfr_event_at(chunk, scan->checkpoints[i],
						   JFR_EVENT_CHECKPOINT);
		int64_t delta;

		if (!jfr_pools_read(&r->pools, event, &delta))
			chunk_lost_pools(r, chunk, scan->checkpoints[i]);
	}
}

/*
 * True if the types of the previous chunk may be used: a JVM keeps its type ids
 * from chunk to chunk, and may write the types at the end of a chunk.
 */
static bool chunk_is_same_jvm(const struct jfr_read *r,
			      const struct jfr_chunk *chunk)
{
	const struct jfr_clock *a = &r->typed_clock;
	const struct jfr_clock *b = &chunk->clock;

	return r->metadata && r->typed_version == chunk->major &&
	       a->ticks_per_second == b->ticks_per_second &&
	       a->start_ticks < b->start_ticks && a->start_ns < b->start_ns;
}

/*
 * Makes the metadata of an event current. Equal bytes mean equal types. The
 * metadata's id is not compared, since every JVM counts from 1.
 */
static int jfr_use_metadata(struct jfr_read *r, struct cursor event,
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

static int chunk_metadata_at(struct jfr_read *r, const struct jfr_chunk *chunk,
			     size_t offset)
{
	struct cursor event = jfr_event_at(chunk, offset, JFR_EVENT_METADATA);

	return cursor_ok(&event) ? jfr_use_metadata(r, event, error_unused())
				 : -1;
}

/* Searches for types if the header does not lead to any. */
static int chunk_search_metadata(struct jfr_read *r,
				 const struct jfr_chunk *chunk)
{
	struct jfr_scan scan = { 0 };
	size_t at = JFR_HEADER_SIZE - 1;
	size_t last;

	jfr_scan_events(&scan, chunk, NULL);
	last = scan.metadata;
	jfr_scan_release(&scan);
	/* The last metadata includes the earlier types. */
	if (last && chunk_metadata_at(r, chunk, last) == 0)
		return 0;
	/* Search everywhere: a wrong size may have skipped the metadata. */
	for (unsigned i = 0; i < MOST_SEARCHES; i++) {
		at = jfr_find_metadata(chunk, at + 1);
		if (!at)
			break;
		if (chunk_metadata_at(r, chunk, at) == 0)
			return 0;
	}
	return -1;
}

/* Reads the chunk's types. */
static int chunk_read_metadata(struct jfr_read *r,
			       const struct jfr_chunk *chunk, struct error *err)
{
	struct cursor event = jfr_event_at(chunk, chunk->metadata,
					   JFR_EVENT_METADATA);

	*err = (struct error){ 0 };
	if (cursor_ok(&event) && jfr_use_metadata(r, event, err) == 0)
		goto found;
	if (chunk_search_metadata(r, chunk) == 0) {
		if (chunk->metadata)
			profile_lost(r->profile, "damaged metadata", 1,
				     "chunk at offset %zu", chunk->offset);
		goto found;
	}
	if (jfr_chunk_is_damaged(chunk) && chunk_is_same_jvm(r, chunk))
		return 0;
	if (err->kind)
		return -1;
	return fail(err, ERROR_INPUT, "its type descriptions are %s",
		    chunk->cut ? "in the truncated part" : "missing");
found:
	if (r->metadata->damaged)
		profile_lost(r->profile, "damaged metadata", 1,
			     "chunk at offset %zu", chunk->offset);
	r->typed_clock = chunk->clock;
	r->typed_version = chunk->major;
	return 0;
}

/*
 * The header of sjkc has the times of the recording, which samples of an idle
 * program do not cover.
 */
static void chunk_note_times(struct profile *p, const struct jfr_chunk *chunk)
{
	int64_t end;

	if (!p->earliest_ns || chunk->duration_ns <= 1 ||
	    __builtin_add_overflow(chunk->clock.start_ns, chunk->duration_ns,
				   &end))
		return;
	if (chunk->clock.start_ns < p->earliest_ns)
		p->earliest_ns = chunk->clock.start_ns;
	if (end > p->latest_ns)
		p->latest_ns = end;
}

/*
 * If only some events need stack traces: finds the keys of these, so that the
 * others, which may be most of the recording, are skipped.
 */
static void chunk_find_wanted(struct jfr_read *r, const struct jfr_chunk *chunk)
{
	struct cursor c = jfr_chunk_events(chunk), event;
	uint64_t type;

	r->pools.wanted = NULL;
	if (jfr_chunk_is_damaged(chunk) ||
	    !jfr_events_have_unwanted(&r->events))
		return;
	map64_release(&r->wanted);
	while (jfr_next_event(&c, &type, &event)) {
		if (jfr_events_wants(&r->events, type))
			jfr_events_note_stack(&r->events, type, event,
					      &r->wanted);
	}
	/* Events behind an invalid size may need any stack trace. */
	if (c.at == c.end)
		r->pools.wanted = &r->wanted;
}

/* Reads all events, and continues after those with an invalid size. */
static void chunk_read_events(struct jfr_read *r, const struct jfr_chunk *chunk)
{
	struct cursor c = jfr_chunk_events(chunk);
	bool damaged = jfr_chunk_is_damaged(chunk);
	struct cursor event;
	uint64_t type;

	for (;;) {
		size_t at, next;

		while (damaged ? jfr_next_known(chunk, r->metadata, &c, &type,
						&event)
			       : jfr_next_event(&c, &type, &event)) {
			if (jfr_events_wants(&r->events, type))
				jfr_events_read(&r->events, type, event);
			if (jfr_settings_wants(&r->settings, type))
				jfr_settings_read(&r->settings, type, event);
		}
		at = cursor_offset(&c);
		if (c.at == c.end)
			break;
		next = jfr_find_event(chunk, r->metadata, at + 1);
		/* The damage of the chunk has been reported. */
		if (!next && damaged)
			break;
		if (!next)
			next = at + cursor_left(&c);
		profile_lost(r->profile, "unreadable bytes after events",
			     next - at, "offset %zu", chunk->offset + at);
		cursor_skip(&c, next - at);
	}
	jfr_events_end(&r->events);
	if (r->settings.are_of_sjkc && !damaged)
		chunk_note_times(r->profile, chunk);
	jfr_settings_end(&r->settings);
}

/* Returns the process that still writes the chunk, or 0. */
static pid_t chunk_writer(const struct jfr_read *r,
			  const struct jfr_chunk *chunk)
{
	const struct profile *p = r->profile;

	return chunk->unfinished && p->writer ? p->writer(p->writer_self) : 0;
}

static void chunk_remark_writer(struct jfr_read *r, pid_t writer)
{
	struct text until = { 0 };

	text_printf(&until, "by process %d", (int)writer);
	if (r->profile->latest_ns) {
		text_puts(&until, "; the last sample is from ");
		units_add_local_time(&until, r->profile->latest_ns);
	}
	profile_note(r->profile, "recordings that are still being written", 1,
		     "%s", until.bytes);
	r->is_written = true;
	text_release(&until);
}

/* Reports the damage of a chunk after its readable part was read. */
static void chunk_remark(struct jfr_read *r, const struct jfr_chunk *chunk)
{
	struct profile *p = r->profile;
	size_t len = cursor_left(&chunk->bytes);
	size_t at = chunk->offset;
	pid_t writer = chunk_writer(r, chunk);
	/* The JVM has yet to write what the part so far refers to. */
	bool is_damaged = jfr_chunk_is_damaged(chunk) && !writer;

	if (writer)
		chunk_remark_writer(r, writer);
	else if (chunk->cut)
		profile_lost(p, "truncated chunks", 1,
			     "the one at offset %zu has %zu of its %" PRIu64
			     " bytes; %" PRIu64 " of its samples were read",
			     at, len, chunk->size, r->events.read);
	else if (chunk->unfinished)
		profile_lost(p, "unfinished chunks", 1,
			     "at offset %zu; %" PRIu64
			     " of its samples were read",
			     at, r->events.read);
	else if (chunk->misfit)
		profile_lost(p, "chunks whose size differs from their header",
			     1,
			     "the one at offset %zu has %zu bytes, not %" PRIu64
			     "; %" PRIu64 " of its samples were read",
			     at, len, chunk->size, r->events.read);
	/*
	 * JVMs omit a few stack traces at the end of a chunk, which is not a
	 * loss.
	 */
	if (r->events.missing_stacks)
		(is_damaged ? profile_lost : profile_note)(
			p, "stack traces missing from the recording",
			r->events.missing_stacks, "chunk at offset %zu", at);
	if (r->events.wild_times)
		(is_damaged ? profile_lost : profile_note)(
			p, "samples with a damaged time", r->events.wild_times,
			"chunk at offset %zu", at);
	if (r->events.damaged)
		profile_lost(p, "damaged events", r->events.damaged,
			     "chunk at offset %zu", at);
	if (r->pools.unknown_frames)
		profile_lost(p, "methods missing from the recording",
			     r->pools.unknown_frames, "chunk at offset %zu",
			     at);
	if (r->pools.skipped_names)
		profile_lost(p, "long names skipped", r->pools.skipped_names,
			     "chunk at offset %zu", at);
}

/*
 * Reads the readable part of a chunk. *end is the end of the chunk, relative to
 * its start.
 */
static int chunk_read(struct jfr_read *r, struct jfr_chunk *chunk, size_t *end,
		      struct error *err)
{
	struct jfr_scan scan = { 0 };
	bool chained = false;

	*end = cursor_left(&chunk->bytes);
	if (jfr_chunk_check_kind(chunk, err)) {
		/* The size is unreliable, so the next chunk is searched for. */
		if (jfr_chunk_is_damaged(chunk))
			*end = 1;
		return -1;
	}
	if (jfr_chunk_is_damaged(chunk))
		jfr_chunk_measure(chunk, r->len);
	*end = cursor_left(&chunk->bytes);
	if (chunk_read_metadata(r, chunk, err))
		return -1;
	jfr_pools_begin(&r->pools, r->profile, r->metadata);
	first_weights_chunk(&r->firsts, chunk->clock.start_ns);
	jfr_events_begin(&r->events, r->profile, &r->pools, &r->firsts,
			 r->metadata, &chunk->clock, chunk_longest_ns(chunk));
	jfr_settings_begin(&r->settings, r->profile, &r->pools, r->metadata,
			   &r->wall);
	r->events.wall = &r->wall;
	chunk_find_wanted(r, chunk);
	if (!jfr_chunk_is_damaged(chunk)) {
		chained = chunk_read_chain(r, chunk);
		if (!chained)
			profile_lost(r->profile,
				     "broken chains of constant pools", 1,
				     "chunk at offset %zu", chunk->offset);
	}
	if (!chained) {
		jfr_scan_events(&scan, chunk, r->metadata);
		chunk_read_scanned(r, chunk, &scan);
		jfr_scan_release(&scan);
	}
	jfr_pools_end(&r->pools);
	chunk_read_events(r, chunk);
	chunk_remark(r, chunk);
	r->samples += r->events.read;
	return 0;
}

/*
 * Announces the times of all chunks to the profile, so that time buckets have
 * the right width from the first sample on. Implausible headers are skipped,
 * because buckets never become narrower again.
 */
static void jfr_expect_times(const struct jfr_read *r)
{
	int64_t from = INT64_MAX, to = 0;
	struct jfr_clock before = { 0 };
	size_t offset = 0;

	while (r->len - offset >= JFR_HEADER_SIZE) {
		bool is_mended;
		struct jfr_chunk c = chunk_open(r, offset, &before, &is_mended);
		int64_t end = c.clock.start_ns;

		if (c.major != 1 && c.major != 2)
			break;
		if (c.duration_ns > 0 && c.duration_ns <= LONGEST_CHUNK_NS &&
		    __builtin_add_overflow(end, c.duration_ns, &end))
			break;
		if (c.clock.start_ns < from)
			from = c.clock.start_ns;
		if (end > to)
			to = end;
		before = c.clock;
		offset += cursor_left(&c.bytes);
	}
	profile_expect_times(r->profile, from, to);
}

/* Reports which times of a chunk's header are damaged. */
static void chunk_remark_times(struct jfr_read *r,
			       const struct jfr_chunk *chunk, bool is_mended)
{
	if (is_mended)
		profile_note(
			r->profile, "chunk headers with a damaged clock", 1,
			"the one at offset %zu; sjkc uses the clock of the "
			"chunk before",
			chunk->offset);
	if (!chunk->unfinished &&
	    (chunk->duration_ns < 0 || chunk->duration_ns > MOST_DURATION_NS))
		profile_note(r->profile,
			     "chunk headers with a damaged duration", 1,
			     "the one at offset %zu", chunk->offset);
}

static int jfr_read_chunks(struct jfr_read *r, struct error *err)
{
	struct profile *p = r->profile;
	size_t offset = 0;
	size_t failed = 0;

	while (offset < r->len) {
		struct jfr_chunk chunk;
		struct error why;
		size_t next, size;
		bool is_mended;

		if (r->len - offset < JFR_HEADER_SIZE ||
		    !jfr_sniff(r->bytes + offset, r->len - offset)) {
			next = jfr_chunk_find(r->bytes, r->len, offset + 1);
			profile_lost(p, "bytes outside of chunks",
				     next - offset, "offset %zu", offset);
			offset = next;
			continue;
		}
		chunk = chunk_open(r, offset, &r->clock_before, &is_mended);
		chunk_remark_times(r, &chunk, is_mended);
		r->clock_before = chunk.clock;
		if (chunk_read(r, &chunk, &size, &why)) {
			profile_lost(p, "unreadable chunks", 1,
				     "the one at offset %zu: %s", offset,
				     why.text);
			if (!failed++)
				*err = why;
		}
		r->chunks++;
		offset += size;
		/* After a damaged chunk, the next one must be searched for. */
		if (jfr_chunk_is_damaged(&chunk) &&
		    !jfr_is_header(r->bytes + offset, r->len - offset))
			offset = jfr_chunk_find(r->bytes, r->len, offset);
		profile_progress(p, offset, r->len);
	}
	if (r->chunks == 0)
		return fail(
			err, ERROR_INPUT,
			jfr_is_header(r->bytes, r->len)
				? "the header of the first chunk is truncated"
				: "not a JFR recording: it contains no "
				  "chunk header");
	return r->chunks == failed ? -1 : 0;
}

static int jfr_read(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err)
{
	struct jfr_read r = { .profile = p, .bytes = bytes, .len = len };
	int ret;

	jfr_expect_times(&r);
	ret = jfr_read_chunks(&r, err);
	first_weights_end(&r.firsts, p);
	if (ret == 0 && r.samples == 0 &&
	    (r.is_written || profile_is_partial(p)))
		ret = fail(err, ERROR_INPUT, "no sample is readable: %s: %s",
			   p->remarks[0].what, p->remarks[0].first);
	jfr_events_release(&r.events);
	first_weights_release(&r.firsts);
	jfr_settings_release(&r.settings);
	jfr_pools_release(&r.pools);
	map64_release(&r.wanted);
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
