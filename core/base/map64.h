/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map64: maps 64-bit keys of any value to 32-bit numbers.
 *
 * A zeroed struct is an empty map.
 */
#ifndef CORE_BASE_MAP64_H
#define CORE_BASE_MAP64_H

#include "core/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map64_entry {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

struct map64 {
	struct map64_entry *entries;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

#define MAP64_NONE UINT32_MAX

/* Reserves space for `more` keys. */
void map64_reserve(struct map64 *m, size_t more);

/* Removes all keys and keeps the memory. */
void map64_clear(struct map64 *m);

void map64_release(struct map64 *m);

static inline struct map64_entry *map64_slot(const struct map64 *m,
					     uint64_t key)
{
	size_t mask = m->size - 1;
	/*
	 * Consecutive keys stay neighbors; the others are spread by the hash.
	 */
	size_t at = (key ^ hash_mix(key >> 4, 0)) & mask;

	while (m->entries[at].used && m->entries[at].key != key)
		at = (at + 1) & mask;
	return &m->entries[at];
}

/* Returns the value of key, or MAP64_NONE. */
static inline uint32_t map64_get(const struct map64 *m, uint64_t key)
{
	const struct map64_entry *e;

	if (!m->size)
		return MAP64_NONE;
	e = map64_slot(m, key);
	return e->used ? e->value : MAP64_NONE;
}

/*
 * Adds a key unless it exists, and keeps the first value. True if it was added.
 */
static inline bool map64_add(struct map64 *m, uint64_t key, uint32_t value)
{
	struct map64_entry *e;

	if ((m->count + 1) * 2 > m->size)
		map64_reserve(m, 1);
	e = map64_slot(m, key);
	if (e->used)
		return false;
	*e = (struct map64_entry){ key, value, 1 };
	m->count++;
	return true;
}

#endif
