/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/jfr_frames.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define TRUSTED_COUNT ((size_t)1 << 18)

enum { FRAME_METHOD, FRAME_LINE, FRAME_TYPE, FRAME_PICKS };

static const char *const picks[FRAME_PICKS] = { "method", "lineNumber",
						"type" };

/* A stack trace's fields before its frames, and those behind. */
struct jfr_frame_layout {
	struct jfr_layout before, frame, behind;
	/*
	 * True for method, line, bytecode index, type, all varints: what every
	 * JVM and async-profiler have written so far.  It is read without the
	 * layout, at twice the speed.
	 */
	bool is_usual;
};

static bool is_varint(const struct jfr_metadata *m, const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(m, f->type_id);

	return !f->is_array &&
	       (f->in_pool || (t && t->wire == JFR_WIRE_VARINT));
}

static bool is_usual(const struct jfr_metadata *m, const struct jfr_type *t)
{
	static const char *const names[] = { "method", "lineNumber",
					     "bytecodeIndex", "type" };
	const struct jfr_field *f = &m->fields[t->first_field];

	if (t->field_count != 4)
		return false;
	for (size_t i = 0; i < 4; i++) {
		if (strcmp(f[i].name, names[i]) != 0 || !is_varint(m, &f[i]))
			return false;
	}
	return true;
}

struct jfr_frame_layout *jfr_frames_new(const struct jfr_metadata *m,
					const struct jfr_type *t)
{
	static const char *const truncated[] = { "truncated" };
	const struct jfr_field *frames = jfr_type_field(m, t, "frames");
	const struct jfr_type *frame_type = frames ? jfr_type_by_id(
							     m, frames->type_id)
						   : NULL;
	struct jfr_type before = *t, behind = *t;
	struct jfr_frame_layout *l;

	if (!frame_type || !frames->is_array || frames->in_pool)
		return NULL;
	before.field_count = (size_t)(frames - &m->fields[t->first_field]);
	behind.first_field += before.field_count + 1;
	behind.field_count -= before.field_count + 1;
	l = xcalloc(1, sizeof(*l));
	l->is_usual = is_usual(m, frame_type);
	if (jfr_layout_compile(&l->before, m, &before, truncated, 1, true) &&
	    jfr_layout_compile(&l->frame, m, frame_type, picks, FRAME_PICKS,
			       true) &&
	    jfr_layout_compile(&l->behind, m, &behind, truncated, 1, true))
		return l;
	jfr_frames_free(l);
	return NULL;
}

/* The id of a place in a method, from 1. */
static inline uint32_t site_id(struct jfr_pools *ps, uint64_t method,
			       uint32_t line, uint32_t type)
{
	uint32_t tag = (uint32_t)(hash_mix(method, (uint64_t)line << 8 | type));
	struct idprobe probe = idtable_probe(&ps->site_ids, tag);
	uint32_t id;

	while ((id = idtable_next(&ps->site_ids, &probe))) {
		const struct jfr_site *s = &ps->sites[id - 1];

		if (s->method == method && s->line == line && s->type == type)
			return id;
	}
	array_reserve(ps->sites, ps->site_cap, ps->site_count + 1);
	ps->sites[ps->site_count++] = (struct jfr_site){ method, line, type };
	idtable_put(&ps->site_ids, &probe, (uint32_t)ps->site_count);
	idtable_reserve(&ps->site_ids, 1);
	return (uint32_t)ps->site_count;
}

/* -1, which is how "unknown" is written, comes as 2^32 - 1 or 2^64 - 1. */
static inline uint32_t known_line(uint64_t line)
{
	return line < INT32_MAX ? (uint32_t)line : 0;
}

static inline uint32_t known_type(uint64_t type)
{
	return type < UINT32_MAX ? (uint32_t)type : UINT32_MAX;
}

static void read_usual_frames(struct jfr_pools *ps, struct cursor *c,
			      size_t count, uint32_t *out)
{
	uint32_t line_mask = ps->profile->keep_lines ? UINT32_MAX : 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t method = cursor_varint(c);
		uint64_t line = cursor_varint(c);
		uint64_t type;

		cursor_skip_varint(c); /* bytecode index */
		type = cursor_varint(c);
		out[i] = site_id(ps, method, known_line(line) & line_mask,
				 known_type(type));
	}
}

static void read_frames(struct jfr_pools *ps, struct cursor *c, size_t count,
			uint32_t *out)
{
	for (size_t i = 0; i < count && cursor_ok(c); i++) {
		uint64_t v[FRAME_PICKS] = { 0 };
		uint32_t line;

		jfr_layout_read(&ps->frame->frame, c, v, NULL);
		line = known_line(v[FRAME_LINE]);
		out[i] = site_id(ps, v[FRAME_METHOD],
				 ps->profile->keep_lines ? line : 0,
				 known_type(v[FRAME_TYPE]));
	}
}

static void read_stack(struct jfr_pools *ps, struct cursor *c)
{
	const struct jfr_frame_layout *l = ps->frame;
	uint64_t truncated = 0;
	uint64_t key = cursor_varint(c);
	size_t first = ps->stack_site_count;
	size_t count;

	jfr_layout_read(&l->before, c, &truncated, NULL);
	/* A frame takes four bytes at the least, where it is the usual one. */
	count = cursor_count(c, l->is_usual ? 4 : 1);
	array_reserve(ps->stack_sites, ps->stack_site_cap, first + count);
	if (l->is_usual)
		read_usual_frames(ps, c, count, ps->stack_sites + first);
	else
		read_frames(ps, c, count, ps->stack_sites + first);
	jfr_layout_read(&l->behind, c, &truncated, NULL);
	if (!cursor_ok(c) || !map64_add(&ps->pools[JFR_POOL_STACK_TRACE].keys,
					key, (uint32_t)ps->stack_count))
		return;
	array_reserve(ps->stacks, ps->stack_cap, ps->stack_count + 1);
	ps->stacks[ps->stack_count++] = (struct jfr_stack){
		.first = first,
		.count = (uint32_t)count,
		.truncated = truncated != 0,
	};
	ps->stack_site_count = first + count;
}

void jfr_frames_read(struct jfr_pools *ps, struct cursor *c, size_t count)
{
	if (!ps->frame) {
		cursor_fail(c);
		return;
	}
	idtable_reserve(&ps->site_ids, 1);
	/* The count is the recording's word: not trusted with much memory. */
	map64_reserve(&ps->pools[JFR_POOL_STACK_TRACE].keys,
		      count < TRUSTED_COUNT ? count : TRUSTED_COUNT);
	for (size_t i = 0; i < count && cursor_ok(c); i++)
		read_stack(ps, c);
}

void jfr_frames_free(struct jfr_frame_layout *l)
{
	if (!l)
		return;
	jfr_layout_release(&l->before);
	jfr_layout_release(&l->frame);
	jfr_layout_release(&l->behind);
	free(l);
}
