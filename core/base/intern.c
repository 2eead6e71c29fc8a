/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/intern.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

struct intern_entry {
	const char *text;
	size_t len;
	uint32_t hash;
};

/* Returns the slot of these bytes, or the free slot for them. */
static size_t intern_slot(const struct intern *in, const void *bytes,
			  size_t len, uint32_t hash)
{
	size_t mask = in->slot_count - 1;
	size_t slot = hash & mask;

	for (; in->slots[slot]; slot = (slot + 1) & mask) {
		const struct intern_entry
			*e = &in->entries[in->slots[slot] - 1];

		if (e->hash == hash && e->len == len &&
		    memcmp(e->text, bytes, len) == 0)
			break;
	}
	return slot;
}

static void intern_grow(struct intern *in)
{
	free(in->slots);
	in->slot_count = in->slot_count ? in->slot_count * 2 : 1024;
	in->slots = xcalloc(in->slot_count, sizeof(*in->slots));
	for (size_t i = 0; i < in->count; i++) {
		size_t slot = in->entries[i].hash & (in->slot_count - 1);

		while (in->slots[slot])
			slot = (slot + 1) & (in->slot_count - 1);
		in->slots[slot] = (uint32_t)i + 1;
	}
}

uint32_t intern_id(struct intern *in, const void *bytes, size_t len)
{
	uint32_t hash = (uint32_t)hash_bytes(bytes, len);
	size_t slot;

	if (len == 0)
		return 0;
	if (in->count * 2 >= in->slot_count)
		intern_grow(in);
	slot = intern_slot(in, bytes, len, hash);
	if (!in->slots[slot]) {
		array_add(in->entries, in->count, in->cap,
			  (struct intern_entry){
				  .text = arena_copy(&in->arena, bytes, len),
				  .len = len,
				  .hash = hash,
			  });
		in->slots[slot] = (uint32_t)in->count;
	}
	return in->slots[slot];
}

uint32_t intern_find(const struct intern *in, const void *bytes, size_t len)
{
	uint32_t hash = (uint32_t)hash_bytes(bytes, len);

	if (len == 0 || in->slot_count == 0)
		return 0;
	return in->slots[intern_slot(in, bytes, len, hash)];
}

const char *intern_text(const struct intern *in, uint32_t id)
{
	return id && id <= in->count ? in->entries[id - 1].text : "";
}

size_t intern_len(const struct intern *in, uint32_t id)
{
	return id && id <= in->count ? in->entries[id - 1].len : 0;
}

void intern_release(struct intern *in)
{
	free(in->entries);
	free(in->slots);
	arena_release(&in->arena);
	*in = (struct intern){ 0 };
}
