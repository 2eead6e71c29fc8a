/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_file.h"

#include "core/base/alloc.h"

#include <stdlib.h>

uint64_t budget_left(const struct budget *b)
{
	uint64_t left = UINT64_MAX;

	for (; b; b = b->whole) {
		uint64_t here = b->used < b->limit ? b->limit - b->used : 0;

		if (b->limit && here < left)
			left = here;
	}
	return left;
}

bool budget_charge(struct budget *b, uint64_t bytes)
{
	if (b && bytes > budget_left(b)) {
		b->refused++;
		return false;
	}
	for (; b; b = b->whole)
		b->used += bytes;
	return true;
}

void budget_return(struct budget *b, uint64_t bytes)
{
	for (; b; b = b->whole)
		b->used -= bytes;
}

struct budget *budget_new(struct budget *whole, uint64_t limit)
{
	struct budget *b = xcalloc(1, sizeof(*b));

	*b = (struct budget){ .whole = whole, .limit = limit, .users = 1 };
	return b;
}

struct budget *budget_keep(struct budget *b)
{
	if (b)
		b->users++;
	return b;
}

void budget_free(struct budget *b)
{
	if (b && !--b->users)
		free(b);
}
