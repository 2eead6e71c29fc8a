/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/pages.h"

#include "core/base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The size of a mapping: whole huge pages. */
static size_t pages_mapped(size_t bytes)
{
	if (bytes > SIZE_MAX / 2)
		alloc_give_up(0);
	return (bytes + ALLOC_HUGE_PAGE - 1) & ~(ALLOC_HUGE_PAGE - 1);
}

/*
 * Maps memory at the boundary of a huge page, as Linux 6.1 does not do by
 * itself. Moving pages to any other place would split them.
 */
static uint8_t *pages_map(size_t bytes)
{
	uint8_t *at = mmap(NULL, bytes + ALLOC_HUGE_PAGE,
			   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	size_t skip;

	if (at == MAP_FAILED)
		alloc_give_up(bytes);
	skip = -(uintptr_t)at & (ALLOC_HUGE_PAGE - 1);
	if (skip)
		munmap(at, skip);
	munmap(at + skip + bytes, ALLOC_HUGE_PAGE - skip);
	return at + skip;
}

void *pages_new(size_t bytes)
{
	uint8_t *memory;

	if (bytes < ALLOC_HUGE_PAGE)
		return xcalloc(1, bytes);
	bytes = pages_mapped(bytes);
	memory = pages_map(bytes);
	alloc_use_huge_pages(memory, bytes);
	return memory;
}

/* Moves small memory into a mapping. */
static void *pages_copied(void *old, size_t old_bytes, size_t bytes)
{
	void *grown = pages_new(bytes);

	if (old_bytes)
		memcpy(grown, old, old_bytes);
	free(old);
	return grown;
}

void *pages_grown(void *old, size_t old_bytes, size_t bytes)
{
	uint8_t *grown;

	if (bytes < ALLOC_HUGE_PAGE) {
		grown = xrealloc(old, 1, bytes);
		memset(grown + old_bytes, 0, bytes - old_bytes);
		return grown;
	}
	if (old_bytes < ALLOC_HUGE_PAGE)
		return pages_copied(old, old_bytes, bytes);
	bytes = pages_mapped(bytes);
	grown = pages_map(bytes);
	/* The old pages replace those at the new place, and keep their size. */
	if (mremap(old, pages_mapped(old_bytes), bytes,
		   MREMAP_MAYMOVE | MREMAP_FIXED, grown) == MAP_FAILED)
		alloc_give_up(bytes);
	return grown;
}

void pages_discard(const void *bytes, size_t len)
{
	size_t skip = -(uintptr_t)bytes & (ALLOC_HUGE_PAGE - 1);

	if (len < skip + ALLOC_HUGE_PAGE)
		return;
	len = (len - skip) & ~(ALLOC_HUGE_PAGE - 1);
	madvise((void *)((uintptr_t)bytes + skip), len, MADV_DONTNEED);
}

void pages_free(void *memory, size_t bytes)
{
	if (bytes < ALLOC_HUGE_PAGE)
		free(memory);
	else if (memory)
		munmap(memory, pages_mapped(bytes));
}
