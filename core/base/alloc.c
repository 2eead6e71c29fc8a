/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static alloc_failed_fn *on_failure;

void alloc_on_failure(alloc_failed_fn *handler) { on_failure = handler; }

void alloc_give_up(size_t size)
{
	if (on_failure)
		on_failure(size);
	abort();
}

static void *alloc_checked(void *got, size_t size)
{
	if (!got)
		alloc_give_up(size);
	return got;
}

void *xmalloc(size_t size)
{
	return alloc_checked(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
	return alloc_checked(calloc(count ? count : 1, size ? size : 1), size);
}

void *xrealloc(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		alloc_give_up(0);
	return alloc_checked(realloc(old, bytes ? bytes : 1), bytes);
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
			alloc_give_up(0);
	}
	*cap = grown;
	return xrealloc(array, grown, size);
}
