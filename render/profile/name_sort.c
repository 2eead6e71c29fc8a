/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/name_sort.h"

#include "core/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How many leading bytes a and b share, of which `known` need no look. */
static size_t shared_bytes(const struct name *a, const struct name *b,
			   size_t known)
{
	size_t end = a->len < b->len ? a->len : b->len;
	size_t i = known;

	while (i + 8 <= end) {
		uint64_t x, y;

		memcpy(&x, a->text + i, 8);
		memcpy(&y, b->text + i, 8);
		if (x != y)
			break;
		i += 8;
	}
	while (i < end && a->text[i] == b->text[i])
		i++;
	return i;
}

/* True when b comes before a, which shares `shared` bytes with it. */
static bool comes_before(const struct name *b, const struct name *a,
			 size_t shared)
{
	if (shared == b->len)
		return shared < a->len;
	if (shared == a->len)
		return false;
	return (uint8_t)b->text[shared] < (uint8_t)a->text[shared];
}

/*
 * Merges two sorted runs.  The `shared` of each run's head says how much it
 * shares with the name put last: the greater one comes next, and only where
 * both are the same do the names have to be looked at.
 */
static void merge(const struct name *a, size_t a_count, const struct name *b,
		  size_t b_count, struct name *to)
{
	const struct name *a_end = a + a_count, *b_end = b + b_count;
	size_t a_shared = 0, b_shared = 0;

	while (a < a_end && b < b_end) {
		bool b_next = b_shared > a_shared;
		size_t both = 0;

		if (a_shared == b_shared) {
			both = shared_bytes(a, b, a_shared);
			b_next = comes_before(b, a, both);
		}
		*to = b_next ? *b : *a;
		to->shared = b_next ? b_shared : a_shared;
		to++;
		if (b_next) {
			b++;
			if (a_shared == b_shared)
				a_shared = both;
			b_shared = b < b_end ? b->shared : 0;
		} else {
			a++;
			if (a_shared == b_shared)
				b_shared = both;
			a_shared = a < a_end ? a->shared : 0;
		}
	}
	for (; a < a_end; a++, to++, a_shared = a < a_end ? a->shared : 0) {
		*to = *a;
		to->shared = a_shared;
	}
	for (; b < b_end; b++, to++, b_shared = b < b_end ? b->shared : 0) {
		*to = *b;
		to->shared = b_shared;
	}
}

void name_sort(struct name *names, size_t count)
{
	struct name *from = names;
	struct name *to = xmalloc(count * sizeof(*names));
	struct name *other = to;

	for (size_t i = 0; i < count; i++)
		names[i].shared = 0;
	for (size_t run = 1; run < count; run *= 2) {
		struct name *swap = from;

		for (size_t i = 0; i < count; i += 2 * run) {
			size_t left = count - i;
			size_t a = left < run ? left : run;
			size_t b = left - a < run ? left - a : run;

			merge(from + i, a, from + i + a, b, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != names)
		memcpy(names, from, count * sizeof(*names));
	free(other);
}
