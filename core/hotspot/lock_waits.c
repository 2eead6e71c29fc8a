/* SPDX-License-Identifier: Apache-2.0 */
/* lock_waits: compares the waits of two readings, finds cycles, reads names. */
#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/lock_owners.h"

#include <stdlib.h>
#include <string.h>

void lock_waits_release(struct lock_waits *w)
{
	arena_release(&w->names);
	free(w->all);
	*w = (struct lock_waits){ 0 };
}

static void waits_index(const struct lock_waits *w, struct map64 *by_id)
{
	map64_reserve(by_id, w->count);
	for (size_t i = 0; i < w->count; i++)
		map64_add(by_id, (uint64_t)w->all[i].waiter.java_id,
			  (uint32_t)i);
}

void lock_waits_intersect(struct lock_waits *now, const struct lock_waits *then)
{
	struct map64 by_id = { 0 };
	size_t kept = 0;

	waits_index(then, &by_id);
	for (size_t i = 0; i < now->count; i++) {
		const struct lock_wait *a = &now->all[i], *b;
		uint32_t at = map64_get(&by_id, (uint64_t)a->waiter.java_id);

		b = at == MAP64_NONE ? NULL : &then->all[at];
		if (b && a->kind == b->kind &&
		    a->owner.java_id == b->owner.java_id &&
		    a->is_reacquired == b->is_reacquired &&
		    strcmp(a->lock_class, b->lock_class) == 0)
			now->all[kept++] = *a;
	}
	now->count = kept;
	map64_release(&by_id);
}

bool lock_waits_have_cycle(const struct lock_waits *w)
{
	uint32_t *seen = xcalloc(w->count + 1, sizeof(*seen));
	struct map64 by_id = { 0 };
	bool has_cycle = false;

	waits_index(w, &by_id);
	for (size_t i = 0; i < w->count && !has_cycle; i++) {
		uint32_t at = (uint32_t)i;

		/* seen has the walk, from 1, that visited a wait first. */
		while (at != MAP64_NONE && !seen[at]) {
			seen[at] = (uint32_t)i + 1;
			at = w->all[at].owner.java_id
				     ? map64_get(&by_id, (uint64_t)w->all[at]
								 .owner.java_id)
				     : MAP64_NONE;
		}
		has_cycle = at != MAP64_NONE && seen[at] == i + 1;
	}
	map64_release(&by_id);
	free(seen);
	return has_cycle;
}

/* Reads the names of some threads. */
static void names_read_some(struct lock_waits *w,
			    struct java_thread_names *reader,
			    struct lock_thread **threads, size_t count,
			    struct java_thread_name *names)
{
	for (size_t i = 0; i < count; i++)
		names[i] = (struct java_thread_name){
			.object = threads[i]->object,
		};
	java_thread_names_read(reader, names, count);
	for (size_t i = 0; i < count; i++) {
		/* Otherwise another object is at the address by now. */
		if (names[i].is_known &&
		    names[i].java_id == (uint64_t)threads[i]->java_id)
			threads[i]->name = arena_copy(&w->names, names[i].name,
						      strlen(names[i].name));
	}
}

void lock_waits_read_names(struct lock_waits *w,
			   struct java_thread_names *reader)
{
	enum { AT_ONCE = 256 };
	struct java_thread_name *names = xcalloc(AT_ONCE, sizeof(*names));
	struct lock_thread *threads[AT_ONCE];
	size_t count = 0;

	for (size_t i = 0; i < w->count; i++) {
		struct lock_wait *one = &w->all[i];

		if (count + 2 > AT_ONCE) {
			names_read_some(w, reader, threads, count, names);
			count = 0;
		}
		if (!one->owner.java_id)
			continue;
		if (one->waiter.is_virtual && one->waiter.object)
			threads[count++] = &one->waiter;
		if (one->owner.is_virtual && one->owner.object)
			threads[count++] = &one->owner;
	}
	if (count)
		names_read_some(w, reader, threads, count, names);
	free(names);
}
