/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/arena.h"

#include "core/base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n)   ((void)0)
#define UNPOISON(p, n) ((void)0)
#endif

#define BLOCK_SIZE ((size_t)64 << 10)
#define ALIGNMENT  ((size_t)16)

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(16) char bytes[];
};

static void arena_add_block(struct arena *a, size_t need)
{
	size_t size = need > BLOCK_SIZE ? need : BLOCK_SIZE;
	struct arena_block *b = xmalloc(sizeof(*b) + size);

	b->next = a->blocks;
	b->size = size;
	a->blocks = b;
	a->at = b->bytes;
	a->left = size;
	a->total += sizeof(*b) + size;
	POISON(b->bytes, size);
}

static void *arena_take(struct arena *a, size_t size)
{
	void *piece;

	if (size > a->left)
		arena_add_block(a, size);
	piece = a->at;
	a->at += size;
	a->left -= size;
	UNPOISON(piece, size);
	return piece;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t pad = -(uintptr_t)a->at & (ALIGNMENT - 1);

	if (pad && pad <= a->left) {
		a->at += pad;
		a->left -= pad;
	}
	if (size > SIZE_MAX - sizeof(struct arena_block))
		alloc_give_up(0);
	return arena_take(a, size ? size : 1);
}

char *arena_copy(struct arena *a, const void *bytes, size_t len)
{
	char *copy = arena_take(a, len + 1);

	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

void arena_wipe(struct arena *a)
{
	for (struct arena_block *b = a->blocks; b; b = b->next) {
		UNPOISON(b->bytes, b->size);
		explicit_bzero(b->bytes, b->size);
	}
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		UNPOISON(a->blocks->bytes, a->blocks->size);
		free(a->blocks);
		a->blocks = next;
	}
	*a = (struct arena){ 0 };
}
