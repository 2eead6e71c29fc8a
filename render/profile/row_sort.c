/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/row_sort.h"

#include "core/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11 /* counters of one pass fit the first-level cache */
#define DIGITS     (1u << DIGIT_BITS)

/* Rows in pairs: where they are, and where the next pass puts them. */
struct passes {
	struct row *from, *to;
	size_t count;
};

static inline uint32_t digit_of(const struct row *r, bool major, unsigned shift)
{
	uint64_t key = major ? r->major : r->minor;

	return (uint32_t)(key >> shift) & (DIGITS - 1);
}

static void pass(struct passes *p, bool major, unsigned shift)
{
	uint32_t starts[DIGITS] = { 0 };
	struct row *swap = p->from;
	uint32_t start = 0;

	for (size_t i = 0; i < p->count; i++)
		starts[digit_of(&p->from[i], major, shift)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t count = starts[i];

		starts[i] = start;
		start += count;
	}
	for (size_t i = 0; i < p->count; i++) {
		uint32_t digit = digit_of(&p->from[i], major, shift);

		p->to[starts[digit]++] = p->from[i];
	}
	p->from = p->to;
	p->to = swap;
}

/* Passes over the digits in which any two rows differ. */
static void sort_by(struct passes *p, bool major, uint64_t differing)
{
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (differing >> shift & (DIGITS - 1))
			pass(p, major, shift);
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
