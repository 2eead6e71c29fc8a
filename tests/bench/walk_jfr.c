/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_jfr FILE: skips over each event and each constant of a recording and
 * keeps nothing.  Its time is the minimum cost of reading the recording.
 */
#include "core/base/cursor.h"
#include "core/base/input.h"
#include "core/formats/jfr/jfr_layout.h"
#include "core/formats/jfr/jfr_metadata.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEADER_SIZE 68

static struct {
	uint64_t chunks, events, constants, traces, frames;
	uint64_t sum; /* of the bytes read, so that the compiler keeps the reads
		       */
} seen;

/* Returns the cursor after the common head of metadata and constant pools. */
static struct cursor event_at(const struct cursor *chunk, uint64_t offset)
{
	struct cursor c = cursor_from(chunk, offset);

	for (int i = 0; i < 4; i++) /* size, type, start time, duration */
		cursor_skip_varint(&c);
	return c;
}

/* Stack traces are most of a recording, so they have a loop of their own. */
static void walk_traces(struct cursor *c, size_t count)
{
	seen.traces += count;
	while (count-- > 0 && cursor_ok(c)) {
		size_t frames;

		cursor_skip_varint(c); /* key */
		cursor_u8(c);          /* truncated */
		frames = cursor_count(c, 4);
		seen.frames += frames;
		for (size_t i = 0; i < 4 * frames; i++)
			seen.sum += cursor_varint(c);
	}
}

static void walk_pool(struct cursor *c, const struct jfr_metadata *m)
{
	const struct jfr_type *t = jfr_type_by_id(m, cursor_varint(c));
	size_t count = cursor_count(c, 1);
	struct jfr_layout layout = { 0 };

	seen.constants += count;
	if (!t) {
		cursor_fail(c);
		return;
	}
	if (strcmp(t->name, "jdk.types.StackTrace") == 0) {
		walk_traces(c, count);
		return;
	}
	if (!jfr_layout_compile(&layout, m, t, NULL, 0, true))
		cursor_fail(c);
	while (count-- > 0 && cursor_ok(c)) {
		seen.sum += cursor_varint(c);
		jfr_layout_read(&layout, c, NULL, NULL);
	}
	jfr_layout_release(&layout);
}

static void walk_checkpoints(const struct cursor *chunk, uint64_t offset,
			     const struct jfr_metadata *m)
{
	for (;;) {
		struct cursor c = event_at(chunk, offset);
		uint64_t delta = cursor_varint(&c);
		size_t pools;

		cursor_u8(&c); /* flags */
		pools = cursor_count(&c, 2);
		while (pools-- > 0 && cursor_ok(&c))
			walk_pool(&c, m);
		/* Each checkpoint precedes the one that refers to it. */
		if (!delta || (int64_t)delta > 0)
			return;
		offset += delta;
	}
}

static void walk_events(struct cursor c)
{
	while (cursor_left(&c)) {
		struct cursor event = c;
		uint64_t size = cursor_varint(&event);

		seen.sum += cursor_varint(&event);
		if (!size)
			return;
		cursor_skip(&c, size);
		seen.events++;
	}
}

static int walk_chunk(struct cursor *in, struct error *err)
{
	struct cursor c = *in;
	struct cursor chunk, metadata;
	struct jfr_metadata m = { 0 };
	uint64_t size, pools, types;

	cursor_u64(&c);
	size = cursor_u64(&c);
	pools = cursor_u64(&c);
	types = cursor_u64(&c);
	chunk = cursor_slice(in, size);
	if (!cursor_ok(&c) || !cursor_ok(&chunk) || size < HEADER_SIZE)
		return fail(err, ERROR_INPUT, "no chunk here");
	chunk = cursor_over(chunk.at, size);
	metadata = event_at(&chunk, types);
	cursor_skip_varint(&metadata); /* id */
	if (jfr_metadata_read(&m, metadata, err))
		return -1;
	walk_events(cursor_from(&chunk, HEADER_SIZE));
	walk_checkpoints(&chunk, pools, &m);
	jfr_metadata_release(&m);
	seen.chunks++;
	return 0;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct input in = { 0 };
	struct cursor c;
	int ret = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: walk_jfr FILE\n");
		return 2;
	}
	if (input_open(&in, argv[1], &err) || input_complete(&in, &err)) {
		fprintf(stderr, "walk_jfr: %s\n", err.text);
		return 1;
	}
	c = cursor_over(in.bytes, in.len);
	while (ret == 0 && cursor_left(&c))
		ret = walk_chunk(&c, &err);
	if (ret)
		fprintf(stderr, "walk_jfr: %s: %s\n", argv[1], err.text);
	printf("%" PRIu64 " chunks, %" PRIu64 " events, %" PRIu64
	       " constants, %" PRIu64 " stack traces, %" PRIu64
	       " frames (%" PRIx64 ")\n",
	       seen.chunks, seen.events, seen.constants, seen.traces,
	       seen.frames, seen.sum);
	input_close(&in);
	return ret ? 1 : 0;
}
