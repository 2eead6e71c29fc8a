/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern: maps equal byte strings to one dense id.
 *
 * Ids count from 1 in the order of arrival; 0 is the empty string. A zeroed
 * struct is an empty interner.
 */
#ifndef CORE_BASE_INTERN_H
#define CORE_BASE_INTERN_H

#include "core/base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct intern {
	struct intern_entry *entries; /* index: id - 1 */
	size_t count, cap;
	uint32_t *slots; /* ids; 0 = free; slot_count is a power of two */
	size_t slot_count;
	struct arena arena;
};

/* Returns the id of len bytes, which are copied when new. */
uint32_t intern_id(struct intern *in, const void *bytes, size_t len);

/* Returns the id of known bytes, or 0. */
uint32_t intern_find(const struct intern *in, const void *bytes, size_t len);

/* Returns the bytes of an id, NUL-terminated, owned by the interner. */
const char *intern_text(const struct intern *in, uint32_t id);
size_t intern_len(const struct intern *in, uint32_t id);

/* Removes all strings; the interner may be used again. */
void intern_release(struct intern *in);

#endif
