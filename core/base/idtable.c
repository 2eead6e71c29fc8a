/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idtable.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SIZE ((size_t)256)
/* A large table that little is put into costs more to wipe than to make. */
#define MOSTLY_UNUSED 32
#define PAGE_SIZE     ((size_t)4096)
#define HUGE_BYTES    ((size_t)4 << 20) /* from here on huge pages pay */

/*
 * Searches of a table hop from page to page.  Of huge pages there are few
 * enough for the processor to remember all; and the system hands them out by
 * the hundred.  A refusal costs nothing.
 */
static void prefer_huge_pages(void *bytes, size_t len)
{
	uintptr_t from = ((uintptr_t)bytes + PAGE_SIZE - 1) & -PAGE_SIZE;
	uintptr_t to = ((uintptr_t)bytes + len) & -PAGE_SIZE;

	if (len >= HUGE_BYTES)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static void insert(struct idtable *t, struct idslot s)
{
	size_t slot = s.tag & (t->size - 1);

	while (t->slots[slot].id)
		slot = (slot + 1) & (t->size - 1);
	t->slots[slot] = s;
}

void idtable_reserve(struct idtable *t, size_t more)
{
	struct idslot *old = t->slots;
	size_t old_size = t->size;
	size_t size = old_size ? old_size : FIRST_SIZE;

	/* At most 5/8 full: short searches, and not too much memory. */
	while (t->count + more > size / 8 * 5)
		size *= 2;
	if (size == old_size)
		return;
	t->slots = xcalloc(size, sizeof(*t->slots));
	t->size = size;
	prefer_huge_pages(t->slots, size * sizeof(*t->slots));
	for (size_t i = 0; i < old_size; i++) {
		if (old[i].id)
			insert(t, old[i]);
	}
	free(old);
}

void idtable_clear(struct idtable *t)
{
	if (t->size > t->count * MOSTLY_UNUSED)
		idtable_release(t);
	else if (t->size)
		memset(t->slots, 0, t->size * sizeof(*t->slots));
	t->count = 0;
}

void idtable_release(struct idtable *t)
{
	free(t->slots);
	*t = (struct idtable){ 0 };
}
