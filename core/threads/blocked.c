/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/blocked.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

void blocked_begin(struct blocked *b, const char *source, int64_t at_ns)
{
	struct blocked_thread *threads = b->old;
	struct arena strings = b->old_strings;
	size_t cap = b->old_cap;

	arena_release(&strings);
	text_clear(&b->recorded);
	b->old = b->threads;
	b->old_count = b->count;
	b->old_cap = b->cap;
	b->old_strings = b->strings;
	b->threads = threads;
	b->cap = cap;
	b->count = 0;
	b->strings = strings;
	b->waiting = b->left_out = 0;
	b->deadlocks = 0;
	b->source = source;
	b->old_at_ns = b->at_ns;
	b->at_ns = at_ns;
	b->pause_ns = -1;
	b->knows_synchronizers = b->knows_blocks = false;
	b->owner_hint = NULL;
}

void blocked_release(struct blocked *b)
{
	arena_release(&b->strings);
	arena_release(&b->old_strings);
	free(b->threads);
	free(b->old);
	free(b->order);
	text_release(&b->recorded);
	*b = (struct blocked){ 0 };
}

struct blocked_thread *blocked_add(struct blocked *b)
{
	struct blocked_thread *t;

	if (b->count == BLOCKED_MAX) {
		b->left_out++;
		return NULL;
	}
	array_reserve(b->threads, b->cap, b->count + 1);
	t = &b->threads[b->count++];
	*t = (struct blocked_thread){
		.name = "",
		.leaf = "",
		.frame = "",
		.peer = "",
		.lock_class = "",
		.lock_id = "",
		.blocks = COUNTER_ABSENT,
		.cpu_ns = -1,
		.owner = BLOCKED_NONE,
	};
	return t;
}

const char *blocked_string(struct blocked *b, const char *bytes, size_t len)
{
	return arena_copy(&b->strings, bytes, len);
}

bool blocked_is_lock(const char *class_name)
{
	return has_any(class_name,
		       "java.util.concurrent.locks.ReentrantLock$|"
		       "java.util.concurrent.locks.ReentrantReadWriteLock$|"
		       "java.util.concurrent.locks.StampedLock",
		       true);
}

bool blocked_is_plumbing(const char *frame)
{
	static const char starts
		[] = "java.util.concurrent.locks.|"
		     "java.util.concurrent.ForkJoinPool.managedBlock|"
		     "java.util.concurrent.ForkJoinPool.unmanagedBlock|"
		     "jdk.internal.misc.Unsafe.|sun.misc.Unsafe.|"
		     "java.lang.Object.wait|java.lang.Thread.sleep|"
		     "jdk.internal.misc.Blocker.|java.lang.VirtualThread.park|"
		     "java.lang.VirtualThread.yieldContinuation|"
		     "java.lang.System$2.parkVirtualThread|"
		     "jdk.internal.vm.Continuation.";

	return has_any(frame, starts, true);
}

static void blocked_find_owners(struct blocked *b)
{
	struct map64 by_id = { 0 };

	map64_reserve(&by_id, b->count);
	for (size_t i = 0; i < b->count; i++)
		map64_add(&by_id, (uint64_t)b->threads[i].id, (uint32_t)i);
	for (size_t i = 0; i < b->count; i++) {
		struct blocked_thread *t = &b->threads[i];
		uint32_t owner = MAP64_NONE;

		b->waiting += t->kind != BLOCKED_NOT;
		if (t->kind != BLOCKED_NOT && t->owner_id)
			owner = map64_get(&by_id, (uint64_t)t->owner_id);
		t->owner = owner == MAP64_NONE || owner == i ? BLOCKED_NONE
							     : owner;
	}
	map64_release(&by_id);
}

/*
 * Follows the owners from each thread. seen has the walk in which a thread was
 * visited; a second visit in the same walk reveals a cycle.
 */
static void blocked_find_cycles(struct blocked *b)
{
	uint32_t *seen = xcalloc(b->count + 1, sizeof(*seen));

	for (size_t i = 0; i < b->count; i++) {
		size_t at = i;

		while (at != BLOCKED_NONE && !seen[at]) {
			seen[at] = (uint32_t)i + 1;
			at = b->threads[at].owner;
		}
		if (at == BLOCKED_NONE || seen[at] != (uint32_t)i + 1)
			continue;
		b->deadlocks++;
		while (!b->threads[at].deadlock) {
			b->threads[at].deadlock = b->deadlocks;
			at = b->threads[at].owner;
		}
	}
	free(seen);
}

/*
 * Counts for each thread how many threads it blocks, directly and through
 * others, starting at threads that block no other. Threads of a cycle block
 * each other and are not counted.
 */
static void blocked_count_held_back(struct blocked *b)
{
	size_t *pending = xcalloc(b->count + 1, sizeof(*pending));
	size_t *queue = xcalloc(b->count + 1, sizeof(*queue));
	size_t first = 0, last = 0;

	for (size_t i = 0; i < b->count; i++) {
		if (b->threads[i].owner != BLOCKED_NONE)
			pending[b->threads[i].owner]++;
	}
	for (size_t i = 0; i < b->count; i++) {
		if (!pending[i])
			queue[last++] = i;
	}
	while (first < last) {
		const struct blocked_thread *t = &b->threads[queue[first++]];

		if (t->owner == BLOCKED_NONE)
			continue;
		b->threads[t->owner].held_back += t->held_back + 1;
		if (--pending[t->owner] == 0)
			queue[last++] = t->owner;
	}
	free(pending);
	free(queue);
}

/*
 * A thread that waits for a monitor wakes about once a second before JDK 24
 * (ObjectMonitor::EnterI, recheckInterval): measured on JDK 17, 0.1 ms of CPU
 * time a second, 0.3 ms on a loaded machine. Other blocked threads use none.
 */
bool blocked_has_run(int64_t old_cpu_ns, int64_t cpu_ns, int64_t in_ns)
{
	return old_cpu_ns >= 0 && cpu_ns >= 0 &&
	       cpu_ns - old_cpu_ns > CLOCK_NS_PER_MS / 2 + in_ns / 2000;
}

static bool blocked_forever(const struct blocked_thread *now,
			    const struct blocked_thread *old)
{
	return now->deadlock && old->deadlock;
}

/*
 * True if a thread is blocked as in the previous sample, in_ns before. The
 * address of a lock changes when the object moves, so the same class, frame and
 * owner mean the same lock. If the number of blocks is known, a different
 * number means another block.
 */
static bool blocked_continues(const struct blocked_thread *now,
			      const struct blocked_thread *old, int64_t in_ns)
{
	if (old->kind != now->kind || old->blocks != now->blocks ||
	    (!blocked_forever(now, old) &&
	     blocked_has_run(old->cpu_ns, now->cpu_ns, in_ns)) ||
	    strcmp(old->lock_class, now->lock_class) != 0 ||
	    strcmp(old->frame, now->frame) != 0)
		return false;
	return strcmp(old->lock_id, now->lock_id) == 0 ||
	       (now->owner_id && old->owner_id == now->owner_id);
}

static void blocked_find_since(struct blocked *b)
{
	struct map64 by_id = { 0 };

	map64_reserve(&by_id, b->old_count);
	for (size_t i = 0; i < b->old_count; i++)
		map64_add(&by_id, (uint64_t)b->old[i].id, (uint32_t)i);
	for (size_t i = 0; i < b->count; i++) {
		struct blocked_thread *t = &b->threads[i];
		uint32_t at = map64_get(&by_id, (uint64_t)t->id);
		const struct blocked_thread *old;

		t->since_ns = b->at_ns;
		t->looks = 1;
		if (at == MAP64_NONE)
			continue;
		old = &b->old[at];
		if (!blocked_continues(t, old, b->at_ns - b->old_at_ns))
			continue;
		t->since_ns = old->since_ns;
		t->looks = old->looks + 1;
		t->did_run = !blocked_forever(t, old) &&
			     (old->did_run || t->cpu_ns < 0 ||
			      t->cpu_ns != old->cpu_ns);
	}
	map64_release(&by_id);
}

/* By owner, unknown owners last; then by lock, then the longest wait first. */
static int blocked_compare(const void *left, const void *right, void *self)
{
	const struct blocked *b = self;
	size_t at[2] = { *(const size_t *)left, *(const size_t *)right };
	const struct blocked_thread *a = &b->threads[at[0]];
	const struct blocked_thread *c = &b->threads[at[1]];
	int order;

	if (a->owner != c->owner)
		return a->owner < c->owner ? -1 : 1;
	if ((order = strcmp(a->lock_id, c->lock_id)) != 0)
		return order;
	if (a->since_ns != c->since_ns)
		return a->since_ns < c->since_ns ? -1 : 1;
	return at[0] < at[1] ? -1 : 1;
}

void blocked_link(struct blocked *b)
{
	blocked_find_owners(b);
	blocked_find_cycles(b);
	blocked_count_held_back(b);
	blocked_find_since(b);
	array_reserve(b->order, b->order_cap, b->count + 1);
	for (size_t i = 0; i < b->count; i++)
		b->order[i] = i;
	qsort_r(b->order, b->count, sizeof(*b->order), blocked_compare, b);
}

size_t blocked_waiters(const struct blocked *b, size_t owner, size_t *first)
{
	size_t low = 0, high = b->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->threads[b->order[middle]].owner < owner)
			low = middle + 1;
		else
			high = middle;
	}
	/* Threads that are not blocked have no owner and are skipped. */
	for (end = low;
	     end < b->count && b->threads[b->order[end]].owner == owner;)
		end++;
	*first = low;
	return end - low;
}
