/* SPDX-License-Identifier: Apache-2.0 */
/* series_owners: adds owners of locks that a thread dump lacks. */
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/threads/dump_series.h"

#include <inttypes.h>
#include <string.h>

/* Returns the lock for which a thread is parked, or NULL. */
static struct tapped_lock *owners_parked(struct dump_series *s,
					 const struct series_thread *t)
{
	for (size_t i = 0; i < t->lock_count; i++) {
		struct tapped_lock *lock = &s->locks[t->first_lock + i];

		if (lock->kind == TAPPED_PARKS)
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
 * thread is parked on its condition.
 */
static struct tapped_lock *owners_match(struct dump_series *s,
					const struct lock_wait *w,
					const struct series_thread *t)
{
	static const char condition[] = "$ConditionObject";
	struct tapped_lock *lock = owners_parked(s, t);
	const char *name;

	if (!lock || w->kind != LOCK_SYNCHRONIZER)
		return NULL;
	name = profile_text(s->profile, lock->class_name);
	if (w->is_reacquired)
		return strlen(name) >= sizeof(condition) &&
				       strcmp(name + strlen(name) + 1 -
						      sizeof(condition),
					      condition) == 0
			       ? lock
			       : NULL;
	return lock->class_name == owners_class(s, w->lock_class) ? lock : NULL;
}

static void owners_set(struct dump_series *s, const struct map64 *ids,
		       const struct lock_wait *w, struct series_thread *t,
		       struct tapped_lock *lock)
{
	lock->owner_id = w->owner.java_id;
	if (!w->is_reacquired || !w->owner.java_id)
		return;
	lock->class_name = owners_class(s, w->lock_class);
	lock->id = owners_lock_id(s, ids, w->lock);
	t->wait_class = lock->class_name;
	t->wait_id = lock->id;
}

/* True if a lock without an owner may have one. */
static bool owners_lack(struct dump_series *s, const struct series_thread *t)
{
	const struct tapped_lock *lock = owners_parked(s, t);

	return lock &&
	       blocked_is_lock(profile_text(s->profile, lock->class_name));
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
	/* Locks with ids of their own first. */
	for (int reacquired = 0; reacquired < 2; reacquired++) {
		for (size_t i = 0; i < s->thread_count; i++) {
			struct series_thread *t = &s->threads[i];
			uint32_t at = map64_get(&by_id,
						(uint64_t)t->thread.java_id);
			const struct lock_wait *wait = at == MAP64_NONE
							       ? NULL
							       : &w->all[at];
			struct tapped_lock *lock = wait ? owners_match(s, wait,
								       t)
							: NULL;

			if (!lock && owners_lack(s, t))
				s->owners = SERIES_OWNERS_CHANGED;
			if (!lock || wait->is_reacquired != reacquired)
				continue;
			owners_set(s, &ids, wait, t, lock);
			map64_add(&ids, wait->lock, lock->id);
		}
	}
	map64_release(&by_id);
	map64_release(&ids);
}
