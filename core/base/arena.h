/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena: many small allocations that are freed together.
 *
 * A zeroed struct is an empty arena.
 */
#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* newest first */
	char *at;
	size_t left;
	size_t total; /* bytes taken from the system */
};

/* Returns size bytes, aligned to 16 and not zeroed; never NULL. */
void *arena_alloc(struct arena *a, size_t size);

/* Returns a copy of len bytes followed by a NUL, without alignment. */
char *arena_copy(struct arena *a, const void *bytes, size_t len);

/* Overwrites all allocations, for secrets. arena_release() must follow. */
void arena_wipe(struct arena *a);

/* Frees all allocations. The empty arena may be used again. */
void arena_release(struct arena *a);

#endif
