/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idtable: finds dense ids by hash; the caller stores the objects.
 *
 * A slot holds 32 bits of the hash and an id (never 0). The caller compares the
 * object of each id that idtable_next() returns. The position of a slot follows
 * from its tag alone, so growing reads and writes memory in order. A zeroed
 * struct is an empty table.
 */
#ifndef CORE_BASE_IDTABLE_H
#define CORE_BASE_IDTABLE_H

#include <stddef.h>
#include <stdint.h>

struct idslot {
	uint32_t tag;
	uint32_t id; /* 0 = free */
};

struct idtable {
	struct idslot *slots;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

/* The state of a search. */
struct idprobe {
	size_t slot;
	uint32_t tag;
};

/* Implements idtable_reserve() for a table that is too small. */
void idtable_grow(struct idtable *t, size_t more);

/* Reserves space for `more` additional ids. */
static inline void idtable_reserve(struct idtable *t, size_t more)
{
	/* At most 5/8 full: short searches without wasting memory. */
	if (t->count + more > t->size / 8 * 5)
		idtable_grow(t, more);
}

/* Removes all ids and keeps the memory; idtable_reserve() must follow. */
void idtable_clear(struct idtable *t);

void idtable_release(struct idtable *t);

static inline struct idprobe idtable_probe(const struct idtable *t,
					   uint32_t tag)
{
	return (struct idprobe){ .slot = tag & (t->size - 1), .tag = tag };
}

static inline void idtable_prefetch(const struct idtable *t, uint32_t tag)
{
	__builtin_prefetch(&t->slots[tag & (t->size - 1)]);
}

/*
 * Returns the next id with the probe's tag, or 0 at the end; the probe then
 * refers to a free slot. idtable_reserve() must have been called.
 */
static inline uint32_t idtable_next(const struct idtable *t, struct idprobe *p)
{
	for (;;) {
		const struct idslot *s = &t->slots[p->slot];

		if (!s->id)
			return 0;
		p->slot = (p->slot + 1) & (t->size - 1);
		if (s->tag == p->tag)
			return s->id;
	}
}

/* Stores an id where idtable_next() returned 0. The space must be reserved. */
static inline void idtable_put(struct idtable *t, const struct idprobe *p,
			       uint32_t id)
{
	t->slots[p->slot] = (struct idslot){ .tag = p->tag, .id = id };
	t->count++;
}

#endif
