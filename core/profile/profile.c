/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/profile.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/units.h"

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
	[FRAME_CLASS] = "class",
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
	[UNIT_COUNT] = "events",
};

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->from_ns = INT64_MIN;
	p->to_ns = INT64_MAX;
	p->keep_lines = true;
	/* Id 0 means none in each table. */
	array_reserve(p->frames, p->frame_cap, 1);
	array_reserve(p->stacks, p->stack_cap, 1);
	array_reserve(p->threads, p->thread_cap, 1);
	p->frames[0] = (struct frame){ .kind = FRAME_SYNTHETIC };
	p->stacks[0] = (struct stack){ 0 };
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
	for (size_t i = 0; i < p->table_count; i++)
		event_table_free(p->tables[i]);
	free(p->tables);
	map64_release(&p->table_ids);
	free(p->remarks);
	free(p->settings);
	free(p->frames);
	free(p->stacks);
	free(p->threads);
	free(p->events);
	free(p->cells);
	moments_free(p->moments);
	idtable_release(&p->frame_ids);
	idtable_release(&p->stack_ids);
	idtable_release(&p->thread_ids);
	idtable_release(&p->cell_ids);
	idtable_release(&p->event_ids);
	intern_release(&p->strings);
	free(p);
}

void profile_part_release(struct profile_part *part)
{
	text_release(&part->about);
	profile_free(part->profile);
}

uint32_t profile_string(struct profile *p, const char *text, size_t len)
{
	return intern_id(&p->strings, text, len);
}

const char *profile_text(const struct profile *p, uint32_t string)
{
	return intern_text(&p->strings, string);
}

static bool frame_equals(const struct frame *a, const struct frame *b)
{
	return a->class_name == b->class_name && a->method == b->method &&
	       a->line == b->line && a->kind == b->kind &&
	       a->source == b->source;
}

/* Adds up what names of a new frame are too long. */
static void profile_weigh_names(struct profile *p, const struct frame *f)
{
	const uint32_t names[] = { f->class_name, f->method };
	size_t before = p->long_bytes;

	for (size_t i = 0; i < 2; i++) {
		size_t len = intern_len(&p->strings, names[i]);

		if (len > FRAME_NAME_SHOWN)
			p->long_bytes += len - FRAME_NAME_SHOWN;
	}
	if (p->long_bytes == before)
		return;
	p->long_frames++;
	if (p->long_bytes <= FRAME_NAMES_LONG)
		return;
	profile_note(p, "frames with shortened names",
		     p->shortens ? 1 : p->long_frames,
		     "all names together are too long: classes and methods "
		     "are shown with at most %d bytes",
		     FRAME_NAME_SHOWN);
	p->shortens = true;
}

uint32_t profile_frame(struct profile *p, const struct frame *f)
{
	uint64_t name = (uint64_t)f->class_name << 32 | f->method;
	uint64_t rest = (uint64_t)f->line << 8 | f->kind;
	uint32_t tag = (uint32_t)hash_mix(name,
					  rest ^ (uint64_t)f->source << 40);
	struct idprobe probe;
	uint32_t id;

	idtable_reserve(&p->frame_ids, 1);
	probe = idtable_probe(&p->frame_ids, tag);
	while ((id = idtable_next(&p->frame_ids, &probe))) {
		if (frame_equals(&p->frames[id], f))
			return id;
	}
	array_reserve(p->frames, p->frame_cap, p->frame_count + 1);
	id = (uint32_t)p->frame_count++;
	p->frames[id] = *f;
	profile_weigh_names(p, f);
	idtable_put(&p->frame_ids, &probe, id);
	return id;
}

/*
 * A new stack trace appends its nodes one after another, so most nodes have one
 * callee, which directly follows them. Only other callees are in the table.
 */
static inline bool node_is_callee(const struct profile *p, uint32_t id,
				  uint32_t caller, uint32_t frame)
{
	return p->stacks[id].caller == caller && p->stacks[id].frame == frame;
}

static inline bool node_is_newest(const struct profile *p, uint32_t node)
{
	return node + 1 == p->stack_count;
}

static inline uint32_t callee_tag(uint32_t caller, uint32_t frame)
{
	return (uint32_t)hash_mix((uint64_t)caller << 32 | frame, 0);
}

static inline uint32_t node_new(struct profile *p, uint32_t caller,
				uint32_t frame)
{
	uint32_t id = (uint32_t)p->stack_count++;

	p->stacks[id] = (struct stack){ caller, frame };
	return id;
}

/* Finds or creates a node; the space must be reserved. */
static inline uint32_t node_get(struct profile *p, uint32_t caller,
				uint32_t frame)
{
	struct idprobe probe;
	uint32_t id;

	if (node_is_newest(p, caller))
		return node_new(p, caller, frame);
	if (node_is_callee(p, caller + 1, caller, frame))
		return caller + 1;
	probe = idtable_probe(&p->stack_ids, callee_tag(caller, frame));
	while ((id = idtable_next(&p->stack_ids, &probe))) {
		if (node_is_callee(p, id, caller, frame))
			return id;
	}
	id = node_new(p, caller, frame);
	idtable_put(&p->stack_ids, &probe, id);
	return id;
}

/*
 * Reserves space for the nodes of n stack traces. At most one node of each, the
 * first new one, is added to the table: the others directly follow it.
 */
static void nodes_reserve(struct profile *p, size_t nodes, size_t n)
{
	if (p->stack_count + nodes > UINT32_MAX)
		alloc_give_up(0);
	array_reserve(p->stacks, p->stack_cap, p->stack_count + nodes);
	idtable_reserve(&p->stack_ids, n);
}

uint32_t profile_push(struct profile *p, uint32_t caller, uint32_t frame)
{
	nodes_reserve(p, 1, 1);
	return node_get(p, caller, frame);
}

void profile_push_prefetch(const struct profile *p, uint32_t caller,
			   uint32_t frame)
{
	if (p->stack_ids.size)
		idtable_prefetch(&p->stack_ids, callee_tag(caller, frame));
}

uint32_t profile_push_class(struct profile *p, uint32_t stack,
			    uint32_t class_name)
{
	struct frame f = { .class_name = class_name, .kind = FRAME_CLASS };

	if (!stack || !class_name)
		return stack;
	return profile_push(p, stack, profile_frame(p, &f));
}

void profile_push_all(struct profile *p, uint32_t caller,
		      const uint32_t *frames, size_t count, uint32_t *made)
{
	nodes_reserve(p, count, 1);
	for (size_t i = 0; i < count; i++) {
		caller = node_get(p, caller, frames[i]);
		made[i] = caller;
	}
}

/*
 * Number of stack traces that are looked up together. The tree of a large
 * recording has millions of nodes, so that nearly every lookup waits for
 * memory; a batch overlaps the waits. It is large enough to hide a wait and
 * small enough that prefetched data is still in the cache when it is used.
 */
#define STACK_BATCH 16

/* The lookup of one stack trace of a batch, from the root to the leaf. */
struct walk {
	const uint32_t *frames; /* leaf first */
	size_t left;            /* number of frames left to look up */
	uint32_t node;          /* of the previous frame */
	uint32_t tag;           /* of the next node */
};

/*
 * Follows callees that directly follow their callers, and prefetches the
 * table's slot of the next one; false at the leaf.
 */
static inline bool walk_follow(const struct profile *p, struct walk *w)
{
	while (w->left && !node_is_newest(p, w->node) &&
	       node_is_callee(p, w->node + 1, w->node,
			      w->frames[w->left - 1])) {
		w->node++;
		w->left--;
	}
	if (!w->left)
		return false;
	w->tag = callee_tag(w->node, w->frames[w->left - 1]);
	idtable_prefetch(&p->stack_ids, w->tag);
	return true;
}

/* Prefetches the node that the table refers to, by its first probe. */
static inline void node_prefetch(const struct profile *p, uint32_t tag)
{
	struct idprobe probe = idtable_probe(&p->stack_ids, tag);

	__builtin_prefetch(&p->stacks[idtable_next(&p->stack_ids, &probe)]);
}

/* Follows the callee in the table; false if there is none. */
static inline bool walk_step(const struct profile *p, struct walk *w)
{
	struct idprobe probe = idtable_probe(&p->stack_ids, w->tag);
	uint32_t id;

	while ((id = idtable_next(&p->stack_ids, &probe))) {
		if (node_is_callee(p, id, w->node, w->frames[w->left - 1])) {
			w->node = id;
			w->left--;
			return true;
		}
	}
	return false;
}

/* Follows all stack traces in turn as far as their nodes exist. */
static void walks_find_nodes(const struct profile *p, struct walk *walks,
			     size_t n)
{
	struct walk *under_way[STACK_BATCH];
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (walk_follow(p, &walks[i]))
			under_way[left++] = &walks[i];
	}
	while (left) {
		n = left;
		left = 0;
		for (size_t i = 0; i < n; i++)
			node_prefetch(p, under_way[i]->tag);
		for (size_t i = 0; i < n; i++) {
			struct walk *w = under_way[i];

			if (walk_step(p, w) && walk_follow(p, w))
				under_way[left++] = w;
		}
	}
}

/* Looks up one batch with `total` consecutive frames. */
static void profile_find_batch(struct profile *p, const uint32_t *frames,
			       size_t total, const uint32_t *counts, size_t n,
			       uint32_t *ids)
{
	struct walk walks[STACK_BATCH];

	if (!total) {
		memset(ids, 0, n * sizeof(*ids));
		return; /* the array of frames may be NULL */
	}
	nodes_reserve(p, total, n);
	for (size_t i = 0; i < n; frames += counts[i++])
		walks[i] = (struct walk){ .frames = frames, .left = counts[i] };
	walks_find_nodes(p, walks, n);
	/*
	 * A stack trace may use nodes that the previous one has just created.
	 */
	for (size_t i = 0; i < n; i++) {
		struct walk *w = &walks[i];

		while (w->left)
			w->node = node_get(p, w->node, w->frames[--w->left]);
		ids[i] = w->node;
	}
}

void profile_stacks(struct profile *p, const uint32_t *frames,
		    const uint32_t *counts, size_t n, uint32_t *ids)
{
	while (n) {
		size_t batch = n < STACK_BATCH ? n : STACK_BATCH;
		size_t total = 0;

		for (size_t i = 0; i < batch; i++)
			total += counts[i];
		profile_find_batch(p, frames, total, counts, batch, ids);
		/* NULL if no stack of the batch has frames. */
		if (total)
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

	profile_find_batch(p, frames, count, &counts, 1, &id);
	return id;
}

uint32_t profile_thread(struct profile *p, const struct thread *t)
{
	/*
	 * Hashed with a salt: ids come from input, which could be chosen to
	 * collide.
	 */
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
	struct idprobe probe;
	uint32_t id;

	idtable_reserve(&p->event_ids, 1);
	probe = idtable_probe(&p->event_ids, (uint32_t)hash_mix(string, 0));
	while ((id = idtable_next(&p->event_ids, &probe))) {
		if (p->events[id - 1].name == string)
			return id - 1;
	}
	array_add(p->events, p->event_count, p->event_cap,
		  (struct event){ string, unit, 0, 0, 0 });
	idtable_put(&p->event_ids, &probe, (uint32_t)p->event_count);
	return (uint32_t)p->event_count - 1;
}

static void profile_add_remark(struct profile *p, bool is_loss,
			       const char *what, uint64_t count,
			       const char *where, va_list args)
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
	array_add(p->remarks, p->remark_count, p->remark_cap,
		  (struct remark){
			  .what = what,
			  .first = first ? first : xstrdup(""),
			  .count = count,
			  .is_loss = is_loss,
		  });
}

void profile_note(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...)
{
	va_list args;

	va_start(args, where);
	profile_add_remark(p, false, what, count, where, args);
	va_end(args);
}

void profile_lost(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...)
{
	va_list args;

	va_start(args, where);
	profile_add_remark(p, true, what, count, where, args);
	va_end(args);
}

void profile_remark_of(struct profile *p, const char *what, uint64_t of)
{
	for (size_t i = 0; i < p->remark_count; i++)
		if (strcmp(p->remarks[i].what, what) == 0)
			p->remarks[i].of = of;
}

void profile_remark_event(struct profile *p, const char *what, uint32_t event)
{
	for (size_t i = 0; i < p->remark_count; i++)
		if (strcmp(p->remarks[i].what, what) == 0)
			p->remarks[i].event = event + 1;
}

void remark_add_count(struct text *out, const struct remark *r)
{
	units_add_count(out, r->count);
	if (!r->of)
		return;
	text_puts(out, " of ");
	units_add_count(out, r->of);
}

bool profile_is_partial(const struct profile *p)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (p->remarks[i].is_loss)
			return true;
	}
	return false;
}

static struct setting *profile_find_setting(const struct profile *p,
					    uint32_t event, uint32_t name)
{
	for (size_t i = 0; i < p->setting_count; i++) {
		if (p->settings[i].event == event &&
		    p->settings[i].name == name)
			return &p->settings[i];
	}
	return NULL;
}

void profile_set(struct profile *p, const char *event, const char *name,
		 const char *value)
{
	struct setting new = {
		.event = profile_string(p, event, strlen(event)),
		.name = profile_string(p, name, strlen(name)),
		.value = profile_string(p, value, strlen(value)),
	};
	struct setting *s = profile_find_setting(p, new.event, new.name);

	if (s && s->value != new.value)
		s->value = 0;
	if (s || p->setting_count == PROFILE_SETTINGS)
		return;
	array_add(p->settings, p->setting_count, p->setting_cap, new);
}

const char *profile_setting(const struct profile *p, const char *event,
			    const char *name)
{
	for (size_t i = 0; i < p->setting_count; i++) {
		const struct setting *s = &p->settings[i];

		if (strcmp(profile_text(p, s->event), event) == 0 &&
		    strcmp(profile_text(p, s->name), name) == 0)
			return profile_text(p, s->value);
	}
	return NULL;
}
