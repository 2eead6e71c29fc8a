/* SPDX-License-Identifier: Apache-2.0 */
/* series_owners: adds owners of locks that a thread dump lacks. */
#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/threads/dump_series.h"

#include <inttypes.h>
#include <string.h>

/* Returns the lock of a kind for which a thread waits, or NULL. */
static struct tapped_lock *owners_lock(struct dump_series *s,
				       const struct series_thread *t,
				       enum tapped_lock_kind kind)
{
	for (size_t i = 0; i < t->lock_count; i++) {
		struct tapped_lock *lock = &s->locks[t->first_lock + i];

		if (lock->kind == kind)
			return lock;
	}
	return NULL;
}

/* The JVM's names of classes have a slash where those of dumps have a dot. */
static uint32_t owners_class(struct dump_series *s, const char *name)
{
	struct text text = { 0 };
	uint32_t id;

	text_puts(&text, name);
	for (size_t i = 0; i < text.len; i++) {
		if (text.bytes[i] == '/')
			text.bytes[i] = '.';
	}
	id = profile_string(s->profile, text.bytes, text.len);
	text_release(&text);
	return id;
}

/* The id of a lock as in the dump, which has it if others wait for the lock. */
static uint32_t owners_lock_id(struct dump_series *s, const struct map64 *ids,
			       uint64_t address)
{
	uint32_t id = map64_get(ids, address);
	char text[32];
	int len;

	if (id != MAP64_NONE)
		return id;
	len = snprintf(text, sizeof(text), "0x%016" PRIx64, address);
	return profile_string(s->profile, text, (size_t)len);
}

/*
 * Returns the lock of the dump that a wait refers to, or NULL. A signalled
 * thread is parked on its condition. The dump has the owners of monitors,
 * except virtual threads that are not mounted.
 */
static struct tapped_lock *owners_match(struct dump_series *s,
					const struct lock_wait *w,
					const struct series_thread *t)
{
	struct tapped_lock *lock = owners_lock(
		s, t, w->kind == LOCK_MONITOR ? TAPPED_ENTERS : TAPPED_PARKS);
	struct line name;
	bool is_same;

	if (!lock || (w->kind == LOCK_MONITOR && !w->owner.is_virtual))
		return NULL;
	name.text = profile_text(s->profile, lock->class_name);
	name.len = strlen(name.text);
	is_same = w->is_reacquired
			  ? line_ends(name, "$ConditionObject")
			  : lock->class_name == owners_class(s, w->lock_class);
	return is_same ? lock : NULL;
}

static void owners_set(struct dump_series *s, const struct map64 *ids,
		       const struct lock_wait *w, struct series_thread *t,
		       struct tapped_lock *lock)
{
	lock->owner_id = w->owner.java_id;
	if (lock->id && (!w->is_reacquired || !w->owner.java_id))
		return;
	lock->class_name = owners_class(s, w->lock_class);
	lock->id = owners_lock_id(s, ids, w->lock);
	t->wait_class = lock->class_name;
	t->wait_id = lock->id;
}

/* True if a lock without an owner may have one. */
static bool owners_lack(struct dump_series *s, const struct series_thread *t)
{
	const struct tapped_lock *lock = owners_lock(s, t, TAPPED_PARKS);

	return lock &&
	       blocked_is_lock(profile_text(s->profile, lock->class_name));
}

/* Returns what a thread waits for, or NULL. */
static const struct lock_wait *owners_wait(const struct lock_waits *w,
					   const struct map64 *by_id,
					   int64_t java_id)
{
	uint32_t at = map64_get(by_id, (uint64_t)java_id);

	return at == MAP64_NONE ? NULL : &w->all[at];
}

/* Adds a virtual thread that the dump lacks; w NULL: it does not wait. */
static void owners_add_thread(struct dump_series *s, const struct map64 *ids,
			      const struct lock_thread *t,
			      const struct lock_wait *w)
{
	bool is_monitor = w && w->kind == LOCK_MONITOR;
	uint32_t name = profile_string(s->profile, t->name, strlen(t->name));
	struct tapped_lock lock = {
		.kind = is_monitor ? TAPPED_ENTERS : TAPPED_PARKS,
		.id = w ? owners_lock_id(s, ids, w->lock) : 0,
		.class_name = w ? owners_class(s, w->lock_class) : 0,
		.owner_id = w ? w->owner.java_id : 0,
	};
	struct tapped_thread thread = {
		.thread = {
			.name = name,
			.java_id = t->java_id,
			.is_virtual = true,
		},
		.state = !w	      ? STATE_NONE
			 : is_monitor ? STATE_BLOCKED
				      : STATE_WAITING,
		.cpu_ns = -1,
		.elapsed_ns = -1,
		/* It sleeps, or waits for input, and needs no carrier. */
		.waits = !w,
		.locks = &lock,
		.lock_count = w != NULL,
	};

	s->tap.thread(s, &thread);
}

/*
 * Adds virtual threads that the dump lacks and that wait for a lock with an
 * owner, and those that own a lock.
 */
static void owners_add_threads(struct dump_series *s, const struct map64 *ids,
			       const struct lock_waits *w,
			       const struct map64 *by_id)
{
	struct map64 known = { 0 };

	for (size_t i = 0; i < s->thread_count; i++)
		map64_add(&known, (uint64_t)s->threads[i].thread.java_id, 0);
	for (size_t i = 0; i < w->count; i++) {
		const struct lock_wait *one = &w->all[i];

		if (one->owner.java_id && one->waiter.is_virtual &&
		    map64_add(&known, (uint64_t)one->waiter.java_id, 0))
			owners_add_thread(s, ids, &one->waiter, one);
	}
	for (size_t i = 0; i < w->count; i++) {
		const struct lock_thread *owner = &w->all[i].owner;

		if (owner->java_id && owner->is_virtual &&
		    map64_add(&known, (uint64_t)owner->java_id, 0))
			owners_add_thread(
				s, ids, owner,
				owners_wait(w, by_id, owner->java_id));
	}
	map64_release(&known);
}

/* Adds the lock to a virtual thread whose dump lacks locks (JDK 21 to 24). */
static struct tapped_lock *owners_add_lock(struct dump_series *s,
					   const struct lock_wait *w,
					   struct series_thread *t)
{
	struct tapped_lock lock = {
		.kind = TAPPED_PARKS,
		.class_name = owners_class(s, w->lock_class),
	};

	if (t->lock_count || w->kind != LOCK_SYNCHRONIZER ||
	    !w->owner.java_id || !w->waiter.is_virtual)
		return NULL;
	array_reserve(s->locks, s->lock_cap, s->lock_count + 1);
	t->first_lock = s->lock_count;
	t->lock_count = 1;
	s->locks[s->lock_count++] = lock;
	return &s->locks[t->first_lock];
}

/* Sets the owners of the threads that were, or were not, signalled. */
static void owners_set_all(struct dump_series *s, const struct lock_waits *w,
			   const struct map64 *by_id, struct map64 *ids,
			   bool is_reacquired)
{
	for (size_t i = 0; i < s->thread_count; i++) {
		struct series_thread *t = &s->threads[i];
		const struct lock_wait *wait = owners_wait(w, by_id,
							   t->thread.java_id);
		struct tapped_lock *lock = wait ? owners_match(s, wait, t)
						: NULL;

		if (!lock && owners_lack(s, t))
			s->owners = SERIES_OWNERS_CHANGED;
		if (!wait || wait->is_reacquired != is_reacquired)
			continue;
		if (!lock)
			lock = owners_add_lock(s, wait, t);
		if (!lock)
			continue;
		owners_set(s, ids, wait, t, lock);
		map64_add(ids, wait->lock, lock->id);
	}
}

void dump_series_set_owners(struct dump_series *s, const struct lock_waits *w)
{
	struct map64 by_id = { 0 }, ids = { 0 };

	if (!s->is_open)
		return;
	for (size_t i = 0; i < w->count; i++)
		map64_add(&by_id, (uint64_t)w->all[i].waiter.java_id,
			  (uint32_t)i);
	s->owners = SERIES_OWNERS_KNOWN;
	/* The ids of locks in the dump first: others wait for the same locks.
	 */
	owners_set_all(s, w, &by_id, &ids, false);
	owners_set_all(s, w, &by_id, &ids, true);
	owners_add_threads(s, &ids, w, &by_id);
	map64_release(&by_id);
	map64_release(&ids);
}
