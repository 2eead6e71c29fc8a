/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_FROM ((size_t)8 << 20)

static alloc_failed_fn *on_failure;

void alloc_on_failure(alloc_failed_fn *handler) { on_failure = handler; }

void alloc_give_up(size_t size)
{
	if (on_failure)
		on_failure(size);
	abort();
}

static void *checked(void *got, size_t size)
{
	if (!got)
		alloc_give_up(size);
	return got;
}

/*
 * Asks for 2 MiB pages behind large memory: tables of hundreds of megabytes
 * that are read at random cost more in page walks than in anything else.
 * Where the system has none to give, nothing changes.
 */
static void *prefer_huge_pages(void *memory, size_t size)
{
	uintptr_t page = (uintptr_t)4095;
	uintptr_t from = ((uintptr_t)memory + page) & ~page;
	uintptr_t to = ((uintptr_t)memory + size) & ~page;

	if (memory && size >= HUGE_FROM)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	return memory;
}

void *xmalloc(size_t size) { return checked(malloc(size ? size : 1), size); }

void *xcalloc(size_t count, size_t size)
{
	void *got = calloc(count ? count : 1, size ? size : 1);

	/* calloc has seen to it that the product is one. */
	return prefer_huge_pages(checked(got, size), count * size);
}

void *xrealloc(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		alloc_give_up(SIZE_MAX);
	return prefer_huge_pages(
		checked(realloc(old, bytes ? bytes : 1), bytes), bytes);
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

	while (grown < need) {
		if (__builtin_mul_overflow(grown, 2, &grown))
			alloc_give_up(SIZE_MAX);
	}
	*cap = grown;
	return xrealloc(array, grown, size);
}
