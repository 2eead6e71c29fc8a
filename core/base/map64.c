/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/map64.h"

#include "core/base/pages.h"

#include <string.h>

#define FIRST_SIZE ((size_t)64)
/* Clearing a large map that few keys use costs more than a new map. */
#define MOSTLY_UNUSED 32

void map64_reserve(struct map64 *m, size_t more)
{
	struct map64_entry *old = m->entries;
	size_t old_size = m->size;
	size_t size = old_size ? old_size : FIRST_SIZE;

	while ((m->count + more) * 2 > size)
		size *= 2;
	if (size == old_size)
		return;
	m->entries = pages_new(size * sizeof(*m->entries));
	m->size = size;
	for (size_t i = 0; i < old_size; i++) {
		if (old[i].used)
			*map64_slot(m, old[i].key) = old[i];
	}
	pages_free(old, old_size * sizeof(*old));
}

void map64_clear(struct map64 *m)
{
	if (m->size > m->count * MOSTLY_UNUSED)
		map64_release(m);
	else if (m->size)
		memset(m->entries, 0, m->size * sizeof(*m->entries));
	m->count = 0;
}

void map64_release(struct map64 *m)
{
	pages_free(m->entries, m->size * sizeof(*m->entries));
	*m = (struct map64){ 0 };
}
