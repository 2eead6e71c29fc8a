/* SPDX-License-Identifier: Apache-2.0 */
#include "render/threads/thread_groups.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/threads/pool_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * JDK 21 to 24 have no states of virtual threads. With frames, it may be
 * mounted: not all dumps name the carriers.
 */
bool series_thread_needs_carrier(const struct series_thread *t)
{
	return t->thread.is_virtual && !t->peer_id && !t->stack && !t->waits &&
	       (t->state == STATE_RUNNABLE || t->state == STATE_NEW ||
		t->state == STATE_NONE);
}

struct thread_kinds series_count_kinds(const struct dump_series *s)
{
	struct thread_kinds k = { 0 };

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];

		k.natives += t->activity == SERIES_NATIVE;
		k.runs += t->state == STATE_RUNNABLE &&
			  t->activity == SERIES_RUNS;
		k.daemons += t->is_daemon;
		k.virtuals += t->thread.is_virtual;
		k.mounted += t->thread.is_virtual && t->peer_id;
		k.unmounted += series_thread_needs_carrier(t);
	}
	return k;
}

double series_thread_cpu(const struct series_thread *t)
{
	return t->used_in_ns > 0 ? (double)t->used_ns / (double)t->used_in_ns
				 : -1;
}

static int compare_cpu(const void *left, const void *right, void *self)
{
	const struct dump_series *s = self;
	size_t l = *(const size_t *)left, r = *(const size_t *)right;
	double a = series_thread_cpu(&s->threads[l]);
	double b = series_thread_cpu(&s->threads[r]);

	if (a != b)
		return a > b ? -1 : 1;
	return l < r ? -1 : l > r;
}

size_t *series_by_cpu(const struct dump_series *s, size_t *count)
{
	size_t *found = xcalloc(s->thread_count + 1, sizeof(*found));

	*count = 0;
	for (size_t i = 0; i < s->thread_count; i++) {
		if (series_thread_cpu(&s->threads[i]) >= 0.001)
			found[(*count)++] = i;
	}
	qsort_r(found, *count, sizeof(*found), compare_cpu, (void *)s);
	return found;
}

static bool groups_want(const struct series_thread *t, enum thread_grouping by)
{
	switch (by) {
	case GROUP_STACKS:
		return t->stack;
	case GROUP_STUCK:
		return t->looks > 1 && t->activity <= SERIES_WAITS;
	case GROUP_POOLS:
		return true;
	}
	return false;
}

struct groups_sort {
	const struct thread_groups *g;
	const struct dump_series *s;
	enum thread_grouping by;
};

/* By pool, or by stack trace and state; then in the order of the dump. */
static int groups_compare_threads(const void *left, const void *right,
				  void *self)
{
	const struct groups_sort *sort = self;
	size_t l = *(const size_t *)left, r = *(const size_t *)right;
	const struct series_thread *a = &sort->s->threads[l];
	const struct series_thread *b = &sort->s->threads[r];
	const uint32_t *pool_of = sort->g->pool_of;

	if (sort->by == GROUP_POOLS) {
		if (pool_of[l] != pool_of[r])
			return pool_of[l] < pool_of[r] ? -1 : 1;
	} else {
		if (a->stack != b->stack)
			return a->stack < b->stack ? -1 : 1;
		if (a->state != b->state)
			return a->state < b->state ? -1 : 1;
	}
	return l < r ? -1 : l > r;
}

static bool groups_are_one(const struct groups_sort *sort, size_t l, size_t r)
{
	const struct series_thread *a = &sort->s->threads[l];
	const struct series_thread *b = &sort->s->threads[r];

	if (sort->by == GROUP_POOLS)
		return sort->g->pool_of[l] == sort->g->pool_of[r];
	return a->stack == b->stack && a->state == b->state;
}

/*
 * Threads that run come first when they are stuck, then the blocked ones; other
 * groups are sorted by size. Ties keep the order of the dump.
 */
static int groups_compare(const void *left, const void *right, void *self)
{
	const struct thread_group *a = left, *b = right;
	const struct groups_sort *sort = self;
	const size_t *order = sort->g->order;
	const struct series_thread *t = &sort->s->threads[order[a->first]];
	const struct series_thread *u = &sort->s->threads[order[b->first]];

	if (sort->by == GROUP_STUCK && t->activity != u->activity)
		return t->activity < u->activity ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (sort->by == GROUP_STACKS && t->activity != u->activity)
		return t->activity < u->activity ? -1 : 1;
	return order[a->first] < order[b->first] ? -1 : 1;
}

static void group_add(struct thread_group *g, const struct series_thread *t)
{
	double cpu = series_thread_cpu(t);

	g->states[t->state]++;
	if (cpu >= 0)
		g->cpu = g->cpu < 0 ? cpu : g->cpu + cpu;
	if (!g->count || t->looks < g->looks) {
		g->looks = t->looks;
		g->since_ns = t->since_ns;
	}
	g->count++;
}

static void groups_name_pools(struct thread_groups *g,
			      const struct dump_series *s)
{
	struct text name = { 0 };

	g->pool_of = xcalloc(s->thread_count + 1, sizeof(*g->pool_of));
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];

		text_clear(&name);
		pool_name(&name, profile_text(s->profile, t->thread.name));
		if (!name.len && series_thread_needs_carrier(t))
			text_puts(&name, "[virtual, not started or waiting for "
					 "a carrier]");
		else if (!name.len && t->thread.is_virtual)
			text_puts(&name, "[virtual, no name]");
		g->pool_of[i] = name.len ? intern_id(&g->names, name.bytes,
						     name.len)
					 : 0;
	}
	text_release(&name);
}

void thread_groups_make(struct thread_groups *g, const struct dump_series *s,
			enum thread_grouping by)
{
	struct groups_sort sort = { g, s, by };

	*g = (struct thread_groups){ 0 };
	groups_name_pools(g, s);
	g->order = xcalloc(s->thread_count + 1, sizeof(*g->order));
	for (size_t i = 0; i < s->thread_count; i++) {
		if (groups_want(&s->threads[i], by))
			g->order[g->ordered++] = i;
	}
	qsort_r(g->order, g->ordered, sizeof(*g->order), groups_compare_threads,
		&sort);
	for (size_t i = 0; i < g->ordered; i++) {
		size_t at = g->order[i];

		if (!i || !groups_are_one(&sort, g->order[i - 1], at)) {
			array_add(g->groups, g->count, g->cap,
				  (struct thread_group){
					  .first = i,
					  .cpu = -1,
					  .pool = g->pool_of[at],
				  });
		}
		group_add(&g->groups[g->count - 1], &s->threads[at]);
	}
	if (g->count)
		qsort_r(g->groups, g->count, sizeof(*g->groups), groups_compare,
			&sort);
}

void thread_groups_release(struct thread_groups *g)
{
	free(g->groups);
	free(g->order);
	free(g->pool_of);
	intern_release(&g->names);
	*g = (struct thread_groups){ 0 };
}

/* ---- words of the reports ---- */

#define NAMES_SHOWN 6 /* of a group */

/* Appends a foreign name in quotes. */
static void name_add_quoted(struct text *out, const char *name, size_t len)
{
	text_putc(out, '"');
	safe_text(out, name, len);
	text_putc(out, '"');
}

const char *series_state_name(enum thread_state state)
{
	return state == STATE_NONE ? "no state" : thread_state_names[state];
}

void series_thread_name(struct text *out, const struct dump_series *s,
			const struct series_thread *t)
{
	const char *name = profile_text(s->profile, t->thread.name);

	if (*name || !t->thread.is_virtual)
		name_add_quoted(out, name, strlen(name));
	else
		text_puts(out, "virtual thread");
	if (t->thread.java_id)
		text_printf(out, " #%" PRId64, t->thread.java_id);
	else if (t->thread.os_id)
		text_printf(out, " tid=%" PRId64, t->thread.os_id);
	if (t->carrier) {
		name = profile_text(s->profile, t->carrier);
		text_puts(out, " mounted on ");
		name_add_quoted(out, name, strlen(name));
	}
}

static bool frame_pins(const struct profile *p, const struct frame *f)
{
	const char *class = profile_text(p, f->class_name);
	const char *method = profile_text(p, f->method);

	if (strcmp(class, "java.lang.VirtualThread") == 0)
		return strcmp(method, "parkOnCarrierThread") == 0;
	return strcmp(class, "java.lang.Object") == 0 &&
	       (strcmp(method, "wait") == 0 || strcmp(method, "wait0") == 0);
}

/*
 * A dump reads the state and the carrier of a thread at different times, so a
 * thread that waits and has a carrier may just have been unmounted. It is
 * pinned if it waits in a method that keeps the carrier.
 */
bool series_thread_is_pinned(const struct dump_series *s,
			     const struct series_thread *t)
{
	const struct profile *p = s->profile;

	if (!t->thread.is_virtual || !t->peer_id)
		return false;
	if (t->state == STATE_BLOCKED)
		return true;
	for (uint32_t at = t->stack; at; at = p->stacks[at].caller) {
		if (frame_pins(p, &p->frames[p->stacks[at].frame]))
			return true;
	}
	return false;
}

void thread_group_names(struct text *out, const struct dump_series *s,
			const struct thread_groups *g,
			const struct thread_group *group)
{
	uint32_t pools[NAMES_SHOWN];
	size_t counts[NAMES_SHOWN], shown = 0, rest = 0;

	if (group->count == 1) {
		series_thread_name(out, s, &s->threads[g->order[group->first]]);
		return;
	}
	for (size_t i = 0; i < group->count; i++) {
		uint32_t pool = g->pool_of[g->order[group->first + i]];
		size_t at = 0;

		while (at < shown && pools[at] != pool)
			at++;
		if (at == NAMES_SHOWN) {
			rest++;
			continue;
		}
		if (at == shown) {
			pools[shown] = pool;
			counts[shown++] = 0;
		}
		counts[at]++;
	}
	for (size_t i = 0; i < shown; i++) {
		text_puts(out, i ? ", " : "");
		name_add_quoted(out, intern_text(&g->names, pools[i]),
				intern_len(&g->names, pools[i]));
		if (counts[i] > 1)
			text_printf(out, " (%zu)", counts[i]);
	}
	if (rest)
		text_printf(out, " and %zu other%s", rest, units_plural(rest));
}

/* The lock of the group's first thread; NULL unless all threads have one. */
static const struct tapped_lock *group_lock(const struct dump_series *s,
					    const struct thread_groups *g,
					    const struct thread_group *group,
					    bool *differs)
{
	const struct tapped_lock *first = NULL;

	*differs = false;
	for (size_t i = 0; i < group->count; i++) {
		const struct tapped_lock *lock = series_wait(
			s, &s->threads[g->order[group->first + i]]);

		if (!lock)
			return NULL;
		if (!i)
			first = lock;
		*differs |= lock->id != first->id;
	}
	return first;
}

bool thread_group_wait(struct text *out, const struct dump_series *s,
		       const struct thread_groups *g,
		       const struct thread_group *group)
{
	static const char *const verbs[] = {
		[TAPPED_ENTERS] = "waiting to lock",
		[TAPPED_REENTERS] = "waiting to lock again",
		[TAPPED_WAITS] = "waiting on",
		[TAPPED_PARKS] = "parking to wait for",
		[TAPPED_INITIALIZES] = "waiting for the initialization of",
	};
	bool differs;
	const struct tapped_lock *first = group_lock(s, g, group, &differs);

	if (!first || !first->class_name)
		return false;
	text_printf(out, "%s ", verbs[first->kind]);
	if (differs) {
		text_puts(out, "different objects, the first is ");
	} else if (first->id != first->class_name) {
		text_putc(out, '<');
		safe_text_puts(out, profile_text(s->profile, first->id));
		text_puts(out, "> ");
	}
	safe_text_puts(out, profile_text(s->profile, first->class_name));
	return true;
}

/* ---- peers ---- */

enum { PEERS_SHOWN = 5 };

struct like_peers {
	const struct series_thread *first;
	size_t threads;
};

static int peers_compare(const void *left, const void *right)
{
	const struct like_peers *a = left, *b = right;

	if (a->threads != b->threads)
		return a->threads > b->threads ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Returns the peers that the same words describe; the caller frees them. */
static struct like_peers *group_peers(const struct dump_series *s,
				      const struct thread_groups *g,
				      const struct thread_group *group,
				      size_t *count)
{
	struct like_peers *all = NULL;
	struct intern words = { 0 };
	struct text text = { 0 };
	size_t cap = 0;

	*count = 0;
	for (size_t i = 0; i < group->count; i++) {
		const struct series_thread
			*t = &s->threads[g->order[group->first + i]];
		const struct wait_peer *peer = series_peer(s, t);
		uint32_t id;

		if (!peer)
			continue;
		text_clear(&text);
		wait_peer_text(&s->peers, peer, true, &text);
		id = intern_id(&words, text.bytes, text.len);
		if (id > *count)
			array_add(all, *count, cap,
				  (struct like_peers){ .first = t });
		all[id - 1].threads++;
	}
	text_release(&text);
	intern_release(&words);
	if (*count)
		qsort(all, *count, sizeof(*all), peers_compare);
	return all;
}

void thread_group_peers(struct text *out, const struct dump_series *s,
			const struct thread_groups *g,
			const struct thread_group *group)
{
	size_t count, rest = 0;
	struct like_peers *all;

	if (!s->peers.count)
		return;
	all = group_peers(s, g, group, &count);
	for (size_t i = 0; i < count; i++) {
		if (i >= PEERS_SHOWN) {
			rest += all[i].threads;
			continue;
		}
		if (all[i].threads > 1)
			units_add_counted(out, all[i].threads, "thread");
		else if (group->count > 1)
			series_thread_name(out, s, all[i].first);
		if (group->count > 1)
			text_putc(out, ' ');
		wait_peer_text(&s->peers, series_peer(s, all[i].first),
			       all[i].threads > 1, out);
		text_putc(out, '\n');
	}
	if (rest) {
		units_add_counted(out, rest, "thread");
		text_printf(out, " wait%s for %zu other peers\n",
			    rest == 1 ? "s" : "", count - PEERS_SHOWN);
	}
	free(all);
}
