/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/dump_series.h"

#include "core/base/alloc.h"
#include "core/profile/idle_method.h"
#include "core/threads/idle_stack.h"

#include <stdlib.h>
#include <string.h>

const char *const series_activity_names[SERIES_ACTIVITIES] = {
	[SERIES_RUNS] = "runs",     [SERIES_BLOCKED] = "blocked",
	[SERIES_WAITS] = "waits",   [SERIES_IDLE] = "idle",
	[SERIES_NATIVE] = "native",
};

enum series_activity series_activity_of(const struct profile *p,
					const struct series_thread *t)
{
	const struct frame *leaf = &p->frames[p->stacks[t->stack].frame];

	if (!t->stack)
		return SERIES_NATIVE;
	if (t->state == STATE_BLOCKED)
		return SERIES_BLOCKED;
	if (t->state == STATE_NEW || t->state == STATE_TERMINATED)
		return SERIES_IDLE;
	/* Threads in native code are RUNNABLE even if they wait. */
	if (t->state != STATE_WAITING && t->state != STATE_TIMED_WAITING &&
	    !t->waits && !idle_method_is(p, leaf))
		return SERIES_RUNS;
	return idle_stack_waits(p, t->stack) ? SERIES_IDLE : SERIES_WAITS;
}

/* ---- comparison with the dump before ---- */

/* Threads of one JVM have the same id; 0 if a dump has none. */
static uint64_t thread_key(const struct thread *t)
{
	return t->java_id ? (uint64_t)t->java_id
	       : t->os_id ? (uint64_t)t->os_id | UINT64_C(1) << 63
			  : 0;
}

/* True if both may be the same thread of one JVM. */
static bool thread_is_same(const struct series_thread *a,
			   const struct series_thread *b)
{
	return a->thread.name == b->thread.name &&
	       (!a->thread.os_id || !b->thread.os_id ||
		a->thread.os_id == b->thread.os_id);
}

/* Fills *by_id with the threads of the dump before. */
static void old_by_id(const struct dump_series *s, struct map64 *by_id)
{
	map64_reserve(by_id, s->old_count);
	for (size_t i = 0; i < s->old_count; i++) {
		uint64_t key = thread_key(&s->old[i].thread);

		if (key)
			map64_add(by_id, key, (uint32_t)i);
	}
}

static const struct series_thread *old_of(const struct dump_series *s,
					  const struct map64 *by_id,
					  const struct series_thread *t)
{
	uint64_t key = thread_key(&t->thread);
	uint32_t at = key ? map64_get(by_id, key) : MAP64_NONE;

	return at == MAP64_NONE ? NULL : &s->old[at];
}

/* The age of a thread never decreases, and no two threads share an id. */
static bool old_contradicts(const struct series_thread *now,
			    const struct series_thread *old)
{
	if (now->thread.name != old->thread.name)
		return false; /* threads may be renamed */
	return !thread_is_same(now, old) ||
	       (now->elapsed_ns >= 0 && old->elapsed_ns >= 0 &&
		now->elapsed_ns < old->elapsed_ns);
}

/* Finds out whether the dump is of the JVM of the dump before. */
static void dump_find_relation(const struct dump_series *s,
			       const struct map64 *by_id,
			       struct series_dump *now)
{
	size_t same = 0, contradictions = 0;

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];
		const struct series_thread *old = old_of(s, by_id, t);

		if (!old)
			continue;
		if (old_contradicts(t, old))
			contradictions++;
		else if (thread_is_same(t, old))
			same++;
	}
	now->is_of_another_jvm = (now->head.vm && now[-1].head.vm &&
				  now->head.vm != now[-1].head.vm) ||
				 (contradictions && contradictions >= same);
	now->is_unrelated = !now->is_of_another_jvm && !same;
}

/* The time since the dump before, by the age of a thread, or by the dates. */
static int64_t dump_interval(const struct dump_series *s,
			     const struct map64 *by_id)
{
	const struct series_dump *now = &s->dumps[s->dump_count - 1];

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];
		const struct series_thread *old = old_of(s, by_id, t);

		if (old && thread_is_same(t, old) && t->elapsed_ns >= 0 &&
		    old->elapsed_ns >= 0 && t->elapsed_ns >= old->elapsed_ns)
			return t->elapsed_ns - old->elapsed_ns;
	}
	if (s->dump_count < 2 || !now->head.time_ns || !now[-1].head.time_ns ||
	    now->head.time_ns < now[-1].head.time_ns)
		return 0;
	return now->head.time_ns - now[-1].head.time_ns;
}

/*
 * The id of a lock is its address, which a garbage collection changes. A thread
 * that used no CPU time since cannot have changed from one lock to another.
 */
static bool thread_keeps_lock(const struct series_thread *now,
			      const struct series_thread *old)
{
	return now->wait_class == old->wait_class &&
	       (now->wait_id == old->wait_id ||
		(now->wait_id && old->wait_id && now->cpu_ns >= 0 &&
		 now->cpu_ns == old->cpu_ns));
}

/*
 * True if a thread has not moved since the dump before, in_ns ago: the same
 * frames and the same lock. A waiting thread that used CPU time has run.
 */
static bool thread_stays(const struct series_thread *now,
			 const struct series_thread *old, int64_t in_ns)
{
	return now->stack && now->stack == old->stack &&
	       now->state == old->state && thread_keeps_lock(now, old) &&
	       (now->state == STATE_RUNNABLE || now->state == STATE_NONE ||
		!blocked_has_run(old->cpu_ns, now->cpu_ns, in_ns));
}

static void thread_compare(struct series_thread *t,
			   const struct series_thread *old,
			   const struct series_dump *dump)
{
	int64_t clock_ns = dump->clock_ns;
	/* Formats without the age of a thread have the time of the dump. */
	int64_t age_ns = t->elapsed_ns < 0 ? clock_ns : t->elapsed_ns;

	t->looks = 1;
	t->since_ns = clock_ns;
	t->first_cpu_ns = t->cpu_ns;
	t->first_age_ns = age_ns;
	t->used_ns = t->used_in_ns = -1;
	if (!old || !thread_is_same(t, old))
		return;
	if (thread_stays(t, old, clock_ns - dump[-1].clock_ns)) {
		t->looks = old->looks + 1;
		t->since_ns = old->since_ns;
	}
	if (old->first_cpu_ns < 0 || t->cpu_ns < old->first_cpu_ns ||
	    (old->elapsed_ns < 0) != (t->elapsed_ns < 0) ||
	    age_ns <= old->first_age_ns)
		return;
	t->first_cpu_ns = old->first_cpu_ns;
	t->first_age_ns = old->first_age_ns;
	t->used_ns = t->cpu_ns - t->first_cpu_ns;
	t->used_in_ns = age_ns - t->first_age_ns;
}

/*
 * Most threads are as in the dump before, whose result is kept: finding the
 * activity compares all frames with the names of known methods.
 */
static enum series_activity thread_activity(const struct profile *p,
					    const struct series_thread *now,
					    const struct series_thread *old)
{
	if (old && now->stack == old->stack && now->state == old->state &&
	    now->waits == old->waits)
		return old->activity;
	return series_activity_of(p, now);
}

static void dump_compare(struct dump_series *s)
{
	struct series_dump *now = &s->dumps[s->dump_count - 1];
	struct map64 by_id = { 0 };

	old_by_id(s, &by_id);
	if (s->dump_count > 1)
		dump_find_relation(s, &by_id, now);
	if (now->is_of_another_jvm || now->is_unrelated) {
		s->old_count = 0;
		map64_clear(&by_id);
		blocked_release(&s->blocked);
	} else if (s->dump_count > 1) {
		now->clock_ns = now[-1].clock_ns + dump_interval(s, &by_id);
	}
	for (size_t i = 0; i < s->thread_count; i++) {
		struct series_thread *t = &s->threads[i];
		const struct series_thread *old = old_of(s, &by_id, t);

		thread_compare(t, old, now);
		t->activity = thread_activity(s->profile, t, old);
		t->blocked = BLOCKED_NONE;
	}
	map64_release(&by_id);
}

/* ---- the tap ---- */

/* Maps the Java ids of the threads to their indices. */
static void series_map_ids(const struct dump_series *s, struct map64 *by_id)
{
	map64_reserve(by_id, s->thread_count);
	for (size_t i = 0; i < s->thread_count; i++) {
		int64_t id = s->threads[i].thread.java_id;

		if (id)
			map64_add(by_id, (uint64_t)id, (uint32_t)i);
	}
}

static void series_name_carriers(struct dump_series *s)
{
	struct map64 by_id = { 0 };

	series_map_ids(s, &by_id);
	for (size_t i = 0; i < s->thread_count; i++) {
		struct series_thread *t = &s->threads[i];
		uint32_t at = t->thread.is_virtual && t->peer_id
				      ? map64_get(&by_id, (uint64_t)t->peer_id)
				      : MAP64_NONE;

		if (at != MAP64_NONE)
			t->carrier = s->threads[at].thread.name;
	}
	map64_release(&by_id);
}

static bool series_has_wanted(const struct dump_series *s)
{
	return s->wanted && s->dump_count >= s->wanted && !s->is_open;
}

void dump_series_end(struct dump_series *s)
{
	struct series_dump *dump;

	if (!s->is_open)
		return;
	s->is_open = false;
	s->number = s->dump_count;
	dump = &s->dumps[s->dump_count - 1];
	dump_compare(s);
	series_name_carriers(s);
	series_find_blocked(s);
	s->is_supplemented = false;
	map64_clear(&s->by_id);
	dump->is_analyzed = true;
	dump->threads = s->thread_count;
	for (size_t i = 0; i < s->thread_count; i++)
		dump->states[s->threads[i].state]++;
	dump->blocked = s->blocked.waiting;
	dump->deadlocks = s->blocked.deadlocks;
	for (size_t i = 0; i < s->fact_count; i++)
		dump->vm_deadlocks += s->facts[i].kind == TAPPED_DEADLOCK;
}

static void series_on_dump(void *self, const struct tap_dump *head)
{
	struct dump_series *s = self;
	struct series_thread *threads = s->old;
	size_t cap = s->old_cap;

	if (s->is_supplemented)
		return;
	dump_series_end(s);
	if (series_has_wanted(s)) {
		/* The dumps after the wanted one are only counted. */
		array_add(s->dumps, s->dump_count, s->dump_cap,
			  (struct series_dump){ .head = *head });
		return;
	}
	s->old = s->threads;
	s->old_count = s->thread_count;
	s->old_cap = s->thread_cap;
	s->threads = threads;
	s->thread_cap = cap;
	s->thread_count = s->lock_count = s->fact_count = 0;
	array_add(s->dumps, s->dump_count, s->dump_cap,
		  (struct series_dump){ .head = *head });
	s->is_open = true;
	s->owners = SERIES_OWNERS_OF_DUMP;
}

static void series_add_lock(struct dump_series *s, struct series_thread *to,
			    struct tapped_lock lock)
{
	array_add(s->locks, s->lock_count, s->lock_cap, lock);
	to->lock_count++;
}

/*
 * Sets the locks of a thread. In a supplemented dump, only the first reading
 * knows the owners of java.util.concurrent locks, by ids of its own.
 */
static void series_set_locks(struct dump_series *s, struct series_thread *to,
			     const struct tapped_thread *t)
{
	const struct series_thread old = *to;
	const struct tapped_lock *wait = series_wait(s, &old);
	struct tapped_lock parks = wait ? *wait : (struct tapped_lock){ 0 };
	bool has_parked = wait && parks.kind == TAPPED_PARKS;

	to->first_lock = s->lock_count;
	to->lock_count = 0;
	for (size_t i = 0; i < t->lock_count; i++)
		series_add_lock(s, to,
				has_parked && t->locks[i].kind == TAPPED_PARKS
					? parks
					: t->locks[i]);
	for (size_t i = 0; i < old.lock_count; i++) {
		if (s->locks[old.first_lock + i].kind ==
		    TAPPED_OWNS_SYNCHRONIZER)
			series_add_lock(s, to, s->locks[old.first_lock + i]);
	}
}

/* Sets what a thread does. */
static void series_set_activity(struct dump_series *s, struct series_thread *to,
				const struct tapped_thread *t)
{
	const struct tapped_lock *wait;

	to->state = t->state;
	to->stack = t->stack;
	if (t->peer_id)
		to->peer_id = t->peer_id;
	to->waits = t->waits;
	series_set_locks(s, to, t);
	wait = series_wait(s, to);
	to->wait_id = wait ? wait->id : 0;
	to->wait_class = wait ? wait->class_name : 0;
}

/* Returns the thread of a supplemented dump with the id of t, or NULL. */
static struct series_thread *series_known(struct dump_series *s,
					  const struct tapped_thread *t)
{
	uint32_t at = s->is_supplemented && t->thread.java_id
			      ? map64_get(&s->by_id,
					  (uint64_t)t->thread.java_id)
			      : MAP64_NONE;

	return at == MAP64_NONE ? NULL : &s->threads[at];
}

static void series_on_thread(void *self, const struct tapped_thread *t)
{
	struct dump_series *s = self;
	struct series_thread *added = series_known(s, t);

	if (added) {
		/* Thread.print does not name mounted virtual threads. */
		if (!*profile_text(s->profile, added->thread.name))
			added->thread.name = t->thread.name;
		/* With states, the second reading knows the carriers, too. */
		if (t->state != STATE_NONE && added->thread.is_virtual)
			added->peer_id = t->peer_id;
		if (t->state != STATE_NONE)
			series_set_activity(s, added, t);
		return;
	}
	if (!s->is_open) {
		s->dumps[s->dump_count - 1].threads++;
		s->dumps[s->dump_count - 1].states[t->state]++;
		return;
	}
	array_reserve(s->threads, s->thread_cap, s->thread_count + 1);
	added = &s->threads[s->thread_count++];
	*added = (struct series_thread){
		.thread = t->thread,
		.cpu_ns = t->cpu_ns,
		.elapsed_ns = t->elapsed_ns,
		.is_daemon = t->is_daemon,
	};
	series_set_activity(s, added, t);
}

bool dump_series_supplement(struct dump_series *s)
{
	if (!s->is_open)
		return false;
	s->is_supplemented = true;
	series_map_ids(s, &s->by_id);
	return true;
}

static void series_on_deadlock(void *self, enum tapped_deadlock_kind kind,
			       uint32_t text)
{
	struct dump_series *s = self;

	if (!s->is_open)
		return;
	array_add(s->facts, s->fact_count, s->fact_cap,
		  (struct series_fact){ kind, text });
}

void dump_series_init(struct dump_series *s, struct profile *p)
{
	*s = (struct dump_series){
		.profile = p,
		.tap = { .dump = series_on_dump,
			 .thread = series_on_thread,
			 .deadlock = series_on_deadlock },
	};
	s->tap.self = s;
	p->thread_tap = &s->tap;
	p->keep_lines = true;
}

void dump_series_release(struct dump_series *s)
{
	free(s->dumps);
	free(s->threads);
	free(s->old);
	free(s->locks);
	free(s->facts);
	map64_release(&s->by_id);
	blocked_release(&s->blocked);
	wait_peers_release(&s->peers);
	*s = (struct dump_series){ 0 };
}

bool dump_series_compares(const struct dump_series *s)
{
	const struct series_dump *kept;

	if (s->number < 2)
		return false;
	kept = &s->dumps[s->number - 1];
	return !kept->is_of_another_jvm && !kept->is_unrelated;
}
