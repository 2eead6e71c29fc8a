/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims: ranges of an address space that are known to be of a part of the
 * account.
 *
 * The first claim of a page wins.  Claims are made in batches: those of a batch
 * take only pages that no earlier batch has, and of two that overlap in a batch
 * the lower one wins.
 */
#ifndef CORE_MEM_CLAIMS_H
#define CORE_MEM_CLAIMS_H

#include "core/mem/account.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct claim {
	uint64_t start, end; /* whole pages */
	enum mem_part part;
	const char *detail; /* a constant, or NULL */
};

/* A zeroed struct has no claims. */
struct claims {
	struct claim *all; /* by address, without overlaps, up to settled */
	size_t count, cap, settled;
};

/* Adds the pages that [start, end) touches to the batch; none if it is empty.
 */
void claims_add(struct claims *c, uint64_t start, uint64_t end,
		enum mem_part part, const char *detail);
/* Ends the batch. */
void claims_settle(struct claims *c);
void claims_release(struct claims *c); /* zeroed is allowed */

/* Returns the index of the first settled claim that ends above the address. */
size_t claims_after(const struct claims *c, uint64_t address);

/*
 * Sets *from and *to to the first range in [*from, end) that no settled claim
 * has; false if there is none.
 */
bool claims_gap(const struct claims *c, uint64_t *from, uint64_t end,
		uint64_t *to);

#endif
