/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4 << 10) /* divides the size of any page */
/* Bytes of a mapping that malloc() uses itself, rounded up. */
#define OVERHEAD ((size_t)32)
/* Size of allocations that malloc() maps: growing moves pages, not bytes. */
#define MAPPED ((size_t)256 << 10)
/* Free memory that malloc() keeps. */
#define KEPT ((size_t)1 << 20)
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* headers before Linux 6.1 lack it */
#endif

static alloc_failed_fn *on_failure;

void alloc_on_failure(alloc_failed_fn *handler) { on_failure = handler; }

void alloc_give_up(size_t size)
{
	if (on_failure)
		on_failure(size);
	abort();
}

/* By default, malloc() changes its thresholds whenever memory is freed. */
__attribute__((constructor)) static void alloc_set_thresholds(void)
{
	mallopt(M_MMAP_THRESHOLD, (int)MAPPED);
	mallopt(M_TRIM_THRESHOLD, (int)KEPT);
}

void alloc_use_huge_pages(void *mapping, size_t bytes)
{
	/* Without huge pages, this fails and changes nothing. */
	madvise(mapping, bytes, MADV_HUGEPAGE);
}

static void *alloc_checked(void *got, size_t size)
{
	if (!got)
		alloc_give_up(size);
	return got;
}

/*
 * Rounds the size of large memory so that its mapping has whole huge pages: the
 * kernel aligns such a mapping. Otherwise, up to 2 MB at either end would be in
 * small pages, whose faults may take longer than all work on the data.
 */
static size_t alloc_rounded(size_t bytes)
{
	if (bytes < ALLOC_HUGE_PAGE || bytes > SIZE_MAX / 2)
		return bytes;
	return ((bytes + OVERHEAD + ALLOC_HUGE_PAGE - 1) &
		~(ALLOC_HUGE_PAGE - 1)) -
	       OVERHEAD;
}

/*
 * Requests huge pages for large memory; was_small is true unless it had them.
 * malloc() has written to the first page already, which excludes a huge page
 * there until MADV_COLLAPSE (since Linux 6.1) copies the small pages into one.
 * The mapping must stay whole, otherwise realloc() cannot move it.
 */
static void *alloc_filled(void *got, size_t size, bool was_small)
{
	uint8_t *start = got, *end;

	if (size < ALLOC_HUGE_PAGE || !got)
		return alloc_checked(got, size);
	end = start + malloc_usable_size(got);
	start -= (uintptr_t)got & (PAGE - 1);
	alloc_use_huge_pages(start, (size_t)(end - start));
	if (was_small && !((uintptr_t)start & (ALLOC_HUGE_PAGE - 1)))
		madvise(start, ALLOC_HUGE_PAGE, MADV_COLLAPSE);
	return got;
}

void *xmalloc(size_t size)
{
	return alloc_filled(malloc(size ? alloc_rounded(size) : 1), size, true);
}

void *xcalloc(size_t count, size_t size)
{
	return alloc_checked(calloc(count ? count : 1, size ? size : 1), size);
}

void *array_new(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		alloc_give_up(0);
	return alloc_filled(xcalloc(1, alloc_rounded(bytes)), bytes, true);
}

void *xrealloc(void *old, size_t count, size_t size)
{
	bool was_small = malloc_usable_size(old) < ALLOC_HUGE_PAGE - OVERHEAD;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		alloc_give_up(0);
	return alloc_filled(realloc(old, bytes ? alloc_rounded(bytes) : 1),
			    bytes, was_small);
}

char *xstrndup(const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *xstrdup(const char *text) { return xstrndup(text, strlen(text)); }

void *array_grown(void *array, size_t *cap, size_t need, size_t size)
{
	size_t grown = *cap ? *cap : 16;
	size_t bytes;

	while (grown < need) {
		if (__builtin_mul_overflow(grown, 2, &grown))
			alloc_give_up(0);
	}
	if (!__builtin_mul_overflow(grown, size, &bytes))
		grown = alloc_rounded(bytes) / size;
	*cap = grown;
	return xrealloc(array, grown, size);
}
