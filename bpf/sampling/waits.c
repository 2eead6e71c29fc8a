/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/waits.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

static struct wait **waits_bucket(struct waits *w, enum sample_kind kind,
				  uint32_t tid, uint64_t out_ns)
{
	uint64_t key = kind == SAMPLE_LOCK ? hash_mix(out_ns, 1) : tid;

	return &w->buckets[key % WAITS_BUCKETS];
}

/* Removes a wait from its list; the caller frees it. */
static struct wait *waits_take(struct waits *w, struct wait **at)
{
	struct wait *one = *at;

	*at = one->next;
	w->bytes -= one->size;
	w->count--;
	return one;
}

static struct wait **waits_find_thread(struct waits *w, uint32_t tid)
{
	struct wait **at = waits_bucket(w, SAMPLE_OFFCPU, tid, 0);

	while (*at &&
	       ((*at)->event.kind != SAMPLE_OFFCPU || (*at)->event.tid != tid))
		at = &(*at)->next;
	return at;
}

static void waits_add(struct waits *w, const struct sample_event *e,
		      size_t size)
{
	struct wait **at, *one;

	if (w->bytes + size > WAITS_BYTES ||
	    (w->limit && w->bytes + size > w->limit)) {
		w->dropped++;
		return;
	}
	at = waits_bucket(w, e->kind, e->tid, e->time_ns);
	one = xmalloc(offsetof(struct wait, event) + size);
	one->size = size;
	one->out_ns = e->time_ns;
	memcpy(&one->event, e, size);
	one->next = *at;
	*at = one;
	w->bytes += size;
	w->count++;
}

static bool wait_began_earlier(const struct wait *one)
{
	return one->event.flags & SAMPLE_BEGAN_EARLIER;
}

void waits_begin(struct waits *w, const struct sample_event *e, size_t size)
{
	struct wait **at = waits_find_thread(w, e->tid);

	if (e->kind == SAMPLE_OFFCPU && *at) {
		struct wait *one = waits_take(w, at);

		/* A thread found asleep may be in this wait. */
		w->unended += !wait_began_earlier(one) ||
			      one->event.object[1] < e->time_ns;
		free(one);
	}
	waits_add(w, e, size);
}

void waits_begin_earlier(struct waits *w, const struct sample_event *e)
{
	if (!waits_find(w, e->tid))
		waits_add(w, e, sizeof(*e));
}

const struct wait *waits_find(struct waits *w, uint32_t tid)
{
	return *waits_find_thread(w, tid);
}

struct wait *waits_end_earlier(struct waits *w, uint32_t tid)
{
	struct wait **at = waits_find_thread(w, tid);

	return *at && wait_began_earlier(*at) ? waits_take(w, at) : NULL;
}

struct wait *waits_end(struct waits *w, enum sample_kind kind, uint32_t tgid,
		       uint32_t tid, uint64_t out_ns)
{
	struct wait **at = waits_bucket(w, kind, tid, out_ns);

	for (; *at; at = &(*at)->next) {
		const struct sample_event *e = &(*at)->event;

		if (e->kind == kind && (*at)->out_ns == out_ns &&
		    (kind == SAMPLE_LOCK ? e->tgid == tgid : e->tid == tid))
			return waits_take(w, at);
	}
	return NULL;
}

/* Frees the arrays of a wait whose stack trace is known. */
static void waits_shrink(struct waits *w, struct wait **at)
{
	struct wait *one = *at;

	if (!one->event.stack || one->event.flags & SAMPLE_CONTINUED)
		return;
	w->bytes -= one->size - sizeof(one->event);
	one->size = sizeof(one->event);
	one->event.flags |= SAMPLE_CONTINUED;
	one->event.kernel_frames = 0;
	one->event.stack_bytes = 0;
	*at = xrealloc(one, 1, sizeof(*one));
}

/* Returns false if the wait was removed. */
static bool waits_cut_one(struct waits *w, struct wait **at, uint64_t at_ns,
			  waits_part_fn *part, void *self)
{
	struct sample_event *e = &(*at)->event;

	if (e->time_ns >= at_ns)
		return true;
	e->weight = at_ns - e->time_ns;
	if (!part(self, *at)) {
		w->unended += !wait_began_earlier(*at);
		free(waits_take(w, at));
		return false;
	}
	e->time_ns = at_ns;
	waits_shrink(w, at);
	return true;
}

void waits_cut(struct waits *w, uint64_t at_ns, waits_part_fn *part, void *self)
{
	for (size_t i = 0; w->count && i < WAITS_BUCKETS; i++) {
		struct wait **at = &w->buckets[i];

		while (*at)
			if (waits_cut_one(w, at, at_ns, part, self))
				at = &(*at)->next;
	}
}

void waits_each_known(struct waits *w,
		      void (*fn)(void *self, struct sample_event *e),
		      void *self)
{
	for (size_t i = 0; w->count && i < WAITS_BUCKETS; i++) {
		for (struct wait *one = w->buckets[i]; one; one = one->next)
			if (one->event.stack)
				fn(self, &one->event);
	}
}

/* Removes waits that are chosen by a function; returns their number. */
static uint64_t waits_remove(struct waits *w,
			     bool (*is_chosen)(const struct wait *one,
					       const void *self),
			     const void *self)
{
	size_t before = w->count;

	for (size_t i = 0; w->count && i < WAITS_BUCKETS; i++) {
		struct wait **at = &w->buckets[i];

		while (*at) {
			if (is_chosen(*at, self))
				free(waits_take(w, at));
			else
				at = &(*at)->next;
		}
	}
	return before - w->count;
}

static bool wait_is_of(const struct wait *one, const void *tgid)
{
	return one->event.tgid == *(const uint32_t *)tgid;
}

static bool wait_is_lock_of(const struct wait *one, const void *tgid)
{
	return one->event.kind == SAMPLE_LOCK && wait_is_of(one, tgid);
}

void waits_forget_process(struct waits *w, uint32_t tgid)
{
	w->ended += waits_remove(w, wait_is_lock_of, &tgid);
	/* An ended thread has returned to a CPU. */
	w->unended += waits_remove(w, wait_is_of, &tgid);
}

static bool wait_is_lock(const struct wait *one, const void *unused)
{
	(void)unused;
	return one->event.kind == SAMPLE_LOCK;
}

void waits_forget_locks(struct waits *w)
{
	w->unsure += waits_remove(w, wait_is_lock, NULL);
}

int waits_compare(const void *a, const void *b)
{
	const struct waits_off_cpu *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->out_ns > y->out_ns) - (x->out_ns < y->out_ns);
}

struct waits_list {
	const struct waits_off_cpu *all;
	size_t count;
	uint64_t before_ns;
};

static bool wait_is_over(const struct wait *one, const void *self)
{
	const struct waits_list *list = self;
	struct waits_off_cpu key = { one->event.tid, one->out_ns };

	return one->event.kind == SAMPLE_OFFCPU && !wait_began_earlier(one) &&
	       one->out_ns < list->before_ns &&
	       !(list->count && bsearch(&key, list->all, list->count,
					sizeof(key), waits_compare));
}

void waits_keep_off_cpu(struct waits *w, const struct waits_off_cpu *all,
			size_t count, uint64_t before_ns)
{
	const struct waits_list list = { all, count, before_ns };

	waits_remove(w, wait_is_over, &list);
}

static bool wait_is_any(const struct wait *one, const void *unused)
{
	(void)one, (void)unused;
	return true;
}

void waits_release(struct waits *w) { waits_remove(w, wait_is_any, NULL); }
