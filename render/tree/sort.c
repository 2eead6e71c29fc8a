/* SPDX-License-Identifier: Apache-2.0 */
/* A merge sort for names with common prefixes, a radix sort for rows. */
#include "render/tree/sort.h"

#include "core/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of equal leading bytes; the first `known` are equal. */
static size_t sort_shared_bytes(const struct name *a, const struct name *b,
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

/* True when b comes before a; their first `shared` bytes are equal. */
static bool sort_comes_before(const struct name *b, const struct name *a,
			      size_t shared)
{
	if (shared == b->len)
		return shared < a->len;
	if (shared == a->len)
		return false;
	return (uint8_t)b->text[shared] < (uint8_t)a->text[shared];
}

/*
 * Merges two sorted runs. a_shared and b_shared are the bytes that the head of
 * each run has in common with the last name written. The head with more of them
 * comes next; names are compared only when the numbers are equal.
 */
static void sort_merge(const struct name *a, size_t a_count,
		       const struct name *b, size_t b_count, struct name *to)
{
	const struct name *a_end = a + a_count, *b_end = b + b_count;
	size_t a_shared = 0, b_shared = 0;

	while (a < a_end && b < b_end) {
		bool b_next = b_shared > a_shared;
		size_t both = 0;

		if (a_shared == b_shared) {
			both = sort_shared_bytes(a, b, a_shared);
			b_next = sort_comes_before(b, a, both);
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

			sort_merge(from + i, a, from + i + a, b, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != names)
		memcpy(names, from, count * sizeof(*names));
	free(other);
}

#define DIGIT_BITS 11 /* the counters of a pass fit the level 1 cache */
#define DIGITS     (1u << DIGIT_BITS)

/* The arrays of a radix sort: each pass moves the rows to the other array. */
struct passes {
	struct row *from, *to;
	size_t count;
};

static inline uint32_t sort_digit_of(const struct row *r, bool major,
				     unsigned shift)
{
	uint64_t key = major ? r->major : r->minor;

	return (uint32_t)(key >> shift) & (DIGITS - 1);
}

static void sort_pass(struct passes *p, bool major, unsigned shift)
{
	uint32_t starts[DIGITS] = { 0 };
	struct row *swap = p->from;
	uint32_t start = 0;

	for (size_t i = 0; i < p->count; i++)
		starts[sort_digit_of(&p->from[i], major, shift)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t count = starts[i];

		starts[i] = start;
		start += count;
	}
	for (size_t i = 0; i < p->count; i++) {
		uint32_t digit = sort_digit_of(&p->from[i], major, shift);

		p->to[starts[digit]++] = p->from[i];
	}
	p->from = p->to;
	p->to = swap;
}

/* Sorts by each digit that is not the same in all rows. */
static void sort_by(struct passes *p, bool major, uint64_t differing)
{
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (differing >> shift & (DIGITS - 1))
			sort_pass(p, major, shift);
	}
}

void row_sort(struct row *rows, size_t count)
{
	struct passes p = { .from = rows, .count = count };
	uint64_t minors = 0;
	uint32_t majors = 0;
	bool sorted = true;

	for (size_t i = 1; i < count; i++) {
		const struct row *a = &rows[i - 1], *b = &rows[i];

		minors |= a->minor ^ b->minor;
		majors |= a->major ^ b->major;
		sorted &= a->major < b->major ||
			  (a->major == b->major && a->minor <= b->minor);
	}
	if (sorted)
		return;
	p.to = xmalloc(count * sizeof(*rows));
	sort_by(&p, false, minors);
	sort_by(&p, true, majors);
	if (p.from != rows) {
		memcpy(rows, p.from, count * sizeof(*rows));
		p.to = p.from;
	}
	free(p.to);
}
