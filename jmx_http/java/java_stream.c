/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_stream.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "jmx_http/java/java_frame.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_HEADER 0xaced0005u /* STREAM_MAGIC, STREAM_VERSION */

struct java_frame *java_frame_top(struct java_stream *s)
{
	return &s->frames[s->depth - 1];
}

void java_stream_wrong(struct java_stream *s, const char *what)
{
	if (!s->wrong)
		s->wrong = what;
}

void *java_stream_zeroed(struct java_stream *s, size_t size)
{
	return memset(arena_alloc(&s->arena, size), 0, size);
}

struct java_value *java_stream_value(struct java_stream *s, enum java_kind kind)
{
	struct java_value *v = java_stream_zeroed(s, sizeof(*v));

	v->kind = kind;
	return v;
}

struct java_bytes java_stream_bytes(struct java_stream *s, const void *bytes,
				    size_t len)
{
	return (struct java_bytes){ arena_copy(&s->arena, bytes, len), len };
}

void java_stream_list(struct java_stream *s, struct java_list *list,
		      const struct java_value *v)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 4;
		const struct java_value **at = arena_alloc(&s->arena,
							   cap * sizeof(*at));

		if (list->count)
			memcpy(at, list->at, list->count * sizeof(*at));
		list->at = at;
		list->cap = cap;
	}
	list->at[list->count++] = v;
}

void java_stream_handle(struct java_stream *s, const struct java_value *v)
{
	if (s->handle_count == JAVA_HANDLES_MAX) {
		java_stream_wrong(s, "too many objects");
		return;
	}
	array_reserve(s->handles, s->handle_cap, s->handle_count + 1);
	s->handles[s->handle_count++] = v;
}

struct java_frame *java_frame_push(struct java_stream *s,
				   enum frame_state state)
{
	if (s->depth == JAVA_DEPTH_MAX) {
		/* The frame is read no further, but it is there. */
		java_stream_wrong(s, "nested too deeply");
		return java_frame_top(s);
	}
	array_reserve(s->frames, s->frame_cap, s->depth + 1);
	s->frames[s->depth++] = (struct java_frame){ .state = state };
	return java_frame_top(s);
}

void java_frame_finish(struct java_stream *s)
{
	s->pending = java_frame_top(s)->value;
	s->depth--;
}

static void read_header(struct java_stream *s, struct cursor *c)
{
	uint32_t header = cursor_u32(c);

	if (!cursor_ok(c))
		return;
	if (header == STREAM_HEADER)
		s->has_header = true;
	else
		java_stream_wrong(s, "no stream of Java objects");
}

static void step(struct java_stream *s, struct cursor *c)
{
	if (!s->has_header)
		read_header(s, c);
	else if (s->depth)
		java_frame_step(s, c);
	else
		java_tag_read(s, c, WANT_VALUE | WANT_BLOCK | WANT_RESET);
	if (s->arena.total > (s->memory_max ? s->memory_max : JAVA_MEMORY_MAX))
		java_stream_wrong(s, "more than can be held");
}

/* Hands what is whole to what it is part of; true when that is the caller. */
static bool hand_on(struct java_stream *s, const struct java_value **value)
{
	const struct java_value *v = s->pending;

	s->pending = NULL;
	*value = v;
	if (!s->depth || java_frame_top(s)->state == EXCEPTION)
		return true;
	java_frame_take(s, v);
	return false;
}

enum java_status java_stream_read(struct java_stream *s, const void *bytes,
				  size_t len, size_t *used,
				  const struct java_value **value)
{
	struct cursor c = cursor_over(bytes, len);

	*used = 0;
	while (!s->wrong) {
		if (s->pending) {
			if (!hand_on(s, value))
				continue;
			return s->depth ? JAVA_ABORTED : JAVA_DONE;
		}
		step(s, &c);
		if (s->wrong)
			break;
		if (!cursor_ok(&c))
			return JAVA_MORE;
		s->offset += cursor_offset(&c) - *used;
		*used = cursor_offset(&c);
	}
	return JAVA_WRONG;
}

void java_stream_release(struct java_stream *s)
{
	arena_release(&s->arena);
	free(s->frames);
	free(s->handles);
	*s = (struct java_stream){ 0 };
}
