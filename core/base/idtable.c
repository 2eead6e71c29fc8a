/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idtable.h"

#include "core/base/pages.h"

#include <string.h>

#define FIRST_SIZE ((size_t)256)
/* Clearing a large table that few ids use costs more than a new table. */
#define MOSTLY_UNUSED 32

static void idtable_insert(struct idtable *t, struct idslot s)
{
	size_t slot = s.tag & (t->size - 1);

	while (t->slots[slot].id)
		slot = (slot + 1) & (t->size - 1);
	t->slots[slot] = s;
}

/*
 * Moves the ids to their slots after the table has doubled, in place: clearing
 * a second table would cost more than all searches. The loop starts behind the
 * last free slot of the old half and follows the order of the slots. So no id
 * is placed behind an id that still has to move: the slots up to its old
 * position, or to the matching position in the new half, are free.
 */
static void idtable_spread(struct idtable *t, size_t old_size)
{
	size_t free_slot = old_size - 1;

	while (t->slots[free_slot].id)
		free_slot--;
	for (size_t i = 1; i < old_size; i++) {
		size_t slot = (free_slot + i) & (old_size - 1);
		struct idslot s = t->slots[slot];

		if (s.id) {
			t->slots[slot] = (struct idslot){ 0 };
			idtable_insert(t, s);
		}
	}
}

void idtable_grow(struct idtable *t, size_t more)
{
	size_t size = t->size ? t->size : FIRST_SIZE;

	if (!t->size)
		t->slots = pages_new(size * sizeof(*t->slots));
	t->size = size;
	while (t->count + more > t->size / 8 * 5) {
		size = t->size;
		t->slots = pages_grown(t->slots, size * sizeof(*t->slots),
				       size * 2 * sizeof(*t->slots));
		t->size = size * 2;
		if (t->count)
			idtable_spread(t, size);
	}
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
	pages_free(t->slots, t->size * sizeof(*t->slots));
	*t = (struct idtable){ 0 };
}
