/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/profile.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const frame_kind_names[FRAME_KINDS] = {
	[FRAME_INTERPRETED] = "interpreted",
	[FRAME_C1] = "c1",
	[FRAME_JIT] = "jit",
	[FRAME_INLINED] = "inlined",
	[FRAME_NATIVE] = "native",
	[FRAME_CPP] = "cpp",
	[FRAME_KERNEL] = "kernel",
	[FRAME_JAVA] = "java",
	[FRAME_SYNTHETIC] = "synthetic",
};

const char *const thread_state_names[THREAD_STATES] = {
	[STATE_NONE] = "none",
	[STATE_NEW] = "NEW",
	[STATE_RUNNABLE] = "RUNNABLE",
	[STATE_BLOCKED] = "BLOCKED",
	[STATE_WAITING] = "WAITING",
	[STATE_TIMED_WAITING] = "TIMED_WAITING",
	[STATE_TERMINATED] = "TERMINATED",
};

const char *const unit_names[] = {
	[UNIT_SAMPLES] = "samples",
	[UNIT_NS] = "ns",
	[UNIT_BYTES] = "bytes",
};

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->from_ns = INT64_MIN;
	p->to_ns = INT64_MAX;
	p->keep_lines = true;
	/* Id 0 of each means none. */
	array_reserve(p->frames, p->frame_cap, 1);
	array_reserve(p->stacks, p->stack_cap, 1);
	array_reserve(p->threads, p->thread_cap, 1);
	p->frames[0] = (struct frame){ .kind = FRAME_SYNTHETIC };
	p->stacks[0] = (struct stack){ .tag = (uint32_t)hash_salt };
	p->threads[0] = (struct thread){ 0 };
	p->frame_count = p->stack_count = p->thread_count = 1;
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->remark_count; i++)
		free(p->remarks[i].first);
	free(p->remarks);
	free(p->frames);
	free(p->stacks);
	free(p->threads);
	free(p->events);
	free(p->cells);
	free(p->path_tags);
	idtable_release(&p->frame_ids);
	idtable_release(&p->stack_ids);
	idtable_release(&p->thread_ids);
	idtable_release(&p->cell_ids);
	intern_release(&p->strings);
	free(p);
}

uint32_t profile_string(struct profile *p, const char *text, size_t len)
{
	return intern_id(&p->strings, text, len);
}

const char *profile_text(const struct profile *p, uint32_t string)
{
	return intern_text(&p->strings, string);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->class_name == b->class_name && a->method == b->method &&
	       a->line == b->line && a->kind == b->kind;
}

uint32_t profile_frame(struct profile *p, const struct frame *f)
{
	uint64_t name = (uint64_t)f->class_name << 32 | f->method;
	uint64_t rest = (uint64_t)f->line << 8 | f->kind;
	uint32_t tag = (uint32_t)hash_mix(name, rest);
	struct idprobe probe;
	uint32_t id;

	idtable_reserve(&p->frame_ids, 1);
	probe = idtable_probe(&p->frame_ids, tag);
	while ((id = idtable_next(&p->frame_ids, &probe))) {
		if (same_frame(&p->frames[id], f))
			return id;
	}
	array_reserve(p->frames, p->frame_cap, p->frame_count + 1);
	id = (uint32_t)p->frame_count++;
	p->frames[id] = *f;
	idtable_put(&p->frame_ids, &probe, id);
	return id;
}

/* The tag of a node follows from its path alone, without reading memory. */
static inline uint32_t callee_tag(uint32_t caller_tag, uint32_t frame)
{
	uint64_t x = ((uint64_t)caller_tag << 32 | frame) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(x >> 32) ^ (uint32_t)(x >> 15);
}

/* Finds or makes the node; room for it must have been reserved. */
static inline uint32_t node_of(struct profile *p, uint32_t caller,
			       uint32_t frame, uint32_t tag)
{
	struct idprobe probe = idtable_probe(&p->stack_ids, tag);
	uint32_t id;

	while ((id = idtable_next(&p->stack_ids, &probe))) {
		if (p->stacks[id].caller == caller &&
		    p->stacks[id].frame == frame)
			return id;
	}
	id = (uint32_t)p->stack_count++;
	p->stacks[id] = (struct stack){ caller, frame, tag };
	idtable_put(&p->stack_ids, &probe, id);
	return id;
}

static void reserve_nodes(struct profile *p, size_t more)
{
	if (p->stack_count + more > UINT32_MAX)
		alloc_give_up(SIZE_MAX);
	array_reserve(p->stacks, p->stack_cap, p->stack_count + more);
	idtable_reserve(&p->stack_ids, more);
}

uint32_t profile_push(struct profile *p, uint32_t caller, uint32_t frame)
{
	reserve_nodes(p, 1);
	return node_of(p, caller, frame,
		       callee_tag(p->stacks[caller].tag, frame));
}

/* Puts a node in that is known to be new; room must have been reserved. */
static inline uint32_t new_node(struct profile *p, uint32_t caller,
				uint32_t frame, uint32_t tag)
{
	struct idprobe probe = idtable_probe(&p->stack_ids, tag);
	uint32_t id = (uint32_t)p->stack_count++;

	while (idtable_next(&p->stack_ids, &probe))
		;
	p->stacks[id] = (struct stack){ caller, frame, tag };
	idtable_put(&p->stack_ids, &probe, id);
	return id;
}

void profile_push_all(struct profile *p, uint32_t caller,
		      const uint32_t *frames, size_t count, uint32_t *made)
{
	uint32_t tag = p->stacks[caller].tag;
	size_t known, i = 0;

	reserve_nodes(p, count);
	array_reserve(p->path_tags, p->path_cap, count);
	/* All tags first, as in profile_stack(). */
	for (size_t k = 0; k < count; k++) {
		tag = callee_tag(tag, frames[k]);
		p->path_tags[k] = tag;
		idtable_prefetch(&p->stack_ids, tag);
	}
	do {
		known = p->stack_count;
		if (i < count) {
			caller = node_of(p, caller, frames[i], p->path_tags[i]);
			made[i++] = caller;
		}
	} while (i < count && caller < known);
	/* A new node has no callees yet: nothing is to be searched for. */
	for (; i < count; i++) {
		caller = new_node(p, caller, frames[i], p->path_tags[i]);
		made[i] = caller;
	}
}

/*
 * Stack traces that are looked up together.  A large recording's tree has
 * millions of nodes: nearly every look into it waits for memory, and waiting
 * once for many is what makes it fast.  Enough of them to hide a wait, few
 * enough that what was fetched is still there when it is used.
 */
#define STACK_BATCH 16

/* Where a tag's slot leads, as far as one look tells; 0 = nowhere. */
static inline uint32_t peek(const struct profile *p, uint32_t tag)
{
	struct idprobe probe = idtable_probe(&p->stack_ids, tag);

	return idtable_next(&p->stack_ids, &probe);
}

/* The tags of all nodes of a path, leaf first like the frames. */
static void path_tags(const struct profile *p, const uint32_t *frames,
		      size_t count, uint32_t *tags)
{
	uint32_t tag = p->stacks[0].tag;

	for (size_t i = count; i-- > 0;) {
		tag = callee_tag(tag, frames[i]);
		tags[i] = tag;
	}
}

/*
 * One stack trace of a batch, leaf first.  Of its nodes those from some frame
 * on, towards the root, exist already; the search narrows down which.
 */
struct lookup {
	const uint32_t *frames, *tags;
	size_t count;
	size_t low, known; /* the first that exists lies in [low, known] */
	uint32_t id;       /* of the node at known; 0 at count, the root */
	size_t at;         /* how far it was verified */
	uint32_t node;     /* to be verified at `at` */
};

/* The leaf first: it may all have been here before. */
static size_t next_probe(const struct lookup *l)
{
	return l->low ? l->low + (l->known - l->low) / 2 : 0;
}

/* Narrows every search of the batch by one look; false when all are done. */
static bool narrow(const struct profile *p, struct lookup *l, size_t n)
{
	bool more = false;

	for (size_t i = 0; i < n; i++) {
		if (l[i].low < l[i].known)
			idtable_prefetch(&p->stack_ids,
					 l[i].tags[next_probe(&l[i])]);
	}
	for (size_t i = 0; i < n; i++) {
		size_t probe = next_probe(&l[i]);
		uint32_t id;

		if (l[i].low >= l[i].known)
			continue;
		id = peek(p, l[i].tags[probe]);
		if (id) {
			l[i].known = probe;
			l[i].id = id;
		} else {
			l[i].low = probe + 1;
		}
		more |= l[i].low < l[i].known;
	}
	return more;
}

/*
 * Equal tags are no proof: follows each path to the root, all side by side.
 * Meanwhile the slots of the nodes to be made are fetched.
 */
static void verify(const struct profile *p, struct lookup *l, size_t n)
{
	bool more = true;

	for (size_t i = 0; i < n; i++) {
		l[i].at = l[i].known;
		l[i].node = l[i].id;
		__builtin_prefetch(&p->stacks[l[i].id]);
		for (size_t k = 0; k < l[i].known; k++)
			idtable_prefetch(&p->stack_ids, l[i].tags[k]);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct stack *s = &p->stacks[l[i].node];

			if (l[i].at == l[i].count || !l[i].node ||
			    s->frame != l[i].frames[l[i].at])
				continue;
			l[i].node = s->caller;
			l[i].at++;
			more = true;
		}
	}
}

/* The id of the stack trace, what is missing of its nodes made. */
static uint32_t make_path(struct profile *p, const struct lookup *l)
{
	bool proven = l->at == l->count && !l->node;
	size_t i = proven ? l->known : l->count;
	uint32_t id = proven ? l->id : 0;

	while (i-- > 0)
		id = node_of(p, id, l->frames[i], l->tags[i]);
	return id;
}

/* One batch; its `total` frames stand one after the other. */
static void find_batch(struct profile *p, const uint32_t *frames, size_t total,
		       const uint32_t *counts, size_t n, uint32_t *ids)
{
	struct lookup lookups[STACK_BATCH];
	size_t at = 0;

	if (!total) {
		memset(ids, 0, n * sizeof(*ids));
		return; /* there may not even be an array of frames */
	}
	reserve_nodes(p, total);
	array_reserve(p->path_tags, p->path_cap, total);
	for (size_t i = 0; i < n; at += counts[i++]) {
		path_tags(p, frames + at, counts[i], p->path_tags + at);
		lookups[i] = (struct lookup){
			.frames = frames + at,
			.tags = p->path_tags + at,
			.count = counts[i],
			.known = counts[i],
		};
	}
	while (narrow(p, lookups, n))
		;
	verify(p, lookups, n);
	for (size_t i = 0; i < n; i++)
		ids[i] = make_path(p, &lookups[i]);
}

void profile_stacks(struct profile *p, const uint32_t *frames,
		    const uint32_t *counts, size_t n, uint32_t *ids)
{
	while (n) {
		size_t batch = n < STACK_BATCH ? n : STACK_BATCH;
		size_t total = 0;

		for (size_t i = 0; i < batch; i++)
			total += counts[i];
		find_batch(p, frames, total, counts, batch, ids);
		frames += total;
		counts += batch;
		ids += batch;
		n -= batch;
	}
}

uint32_t profile_stack(struct profile *p, const uint32_t *frames, size_t count)
{
	uint32_t counts = (uint32_t)count;
	uint32_t id;

	find_batch(p, frames, count, &counts, 1, &id);
	return id;
}

uint32_t profile_thread(struct profile *p, const struct thread *t)
{
	/* Ids come from input, so that they could be made to collide. */
	const uint64_t key[] = { (uint64_t)t->java_id, (uint64_t)t->os_id,
				 t->name };
	uint32_t tag = (uint32_t)hash_bytes(key, sizeof(key));
	struct idprobe probe;
	uint32_t id;

	idtable_reserve(&p->thread_ids, 1);
	probe = idtable_probe(&p->thread_ids, tag);
	while ((id = idtable_next(&p->thread_ids, &probe))) {
		const struct thread *known = &p->threads[id];

		if (known->name == t->name && known->java_id == t->java_id &&
		    known->os_id == t->os_id &&
		    known->is_virtual == t->is_virtual)
			return id;
	}
	array_reserve(p->threads, p->thread_cap, p->thread_count + 1);
	id = (uint32_t)p->thread_count++;
	p->threads[id] = *t;
	idtable_put(&p->thread_ids, &probe, id);
	return id;
}

uint32_t profile_event(struct profile *p, const char *name, enum unit unit)
{
	uint32_t string = profile_string(p, name, strlen(name));

	for (size_t i = 0; i < p->event_count; i++) {
		if (p->events[i].name == string)
			return (uint32_t)i;
	}
	array_reserve(p->events, p->event_cap, p->event_count + 1);
	p->events[p->event_count] = (struct event){ string, unit, 0, 0, 0 };
	return (uint32_t)p->event_count++;
}

static void remark(struct profile *p, bool is_loss, const char *what,
		   uint64_t count, const char *where, va_list args)
{
	struct remark *r;
	char *first = NULL;

	for (size_t i = 0; i < p->remark_count; i++) {
		r = &p->remarks[i];
		if (r->is_loss == is_loss && strcmp(r->what, what) == 0) {
			r->count += count;
			return;
		}
	}
	if (vasprintf(&first, where, args) < 0)
		first = NULL;
	array_reserve(p->remarks, p->remark_cap, p->remark_count + 1);
	p->remarks[p->remark_count++] = (struct remark){
		.what = what,
		.first = first ? first : xstrdup(""),
		.count = count,
		.is_loss = is_loss,
	};
}

void profile_note(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...)
{
	va_list args;

	va_start(args, where);
	remark(p, false, what, count, where, args);
	va_end(args);
}

void profile_lost(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...)
{
	va_list args;

	va_start(args, where);
	remark(p, true, what, count, where, args);
	va_end(args);
}

bool profile_is_partial(const struct profile *p)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (p->remarks[i].is_loss)
			return true;
	}
	return false;
}
