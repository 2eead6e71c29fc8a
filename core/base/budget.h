/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget: a limit of the memory that one party causes sjkc to use.
 *
 * Memory is charged before it is allocated, so a party that asks for too much
 * is refused before the memory is used.  A budget may be a part of another one:
 * a file's is a part of its process's, and that is a part of the session's.
 */
#ifndef CORE_BASE_BUDGET_H
#define CORE_BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed storage is a budget without a limit. */
struct budget {
	struct budget *whole; /* the budget that this one is a part of */
	uint64_t limit;       /* bytes; 0 = only those of the whole */
	uint64_t used;
	uint64_t refused; /* number of charges that were refused */
	unsigned users;   /* of a budget on the heap */
};

/*
 * Charges bytes to a budget and to all that it is a part of.  Returns false,
 * with nothing charged, if any of them has less left.  NULL has no limit.
 */
bool budget_charge(struct budget *b, uint64_t bytes);
void budget_return(struct budget *b, uint64_t bytes);

/* Returns the number of bytes that can still be charged. */
uint64_t budget_left(const struct budget *b);

/*
 * Allocates a part of a budget that has one user.  Things that outlive the
 * process that they are charged to keep its budget.
 */
struct budget *budget_new(struct budget *whole, uint64_t limit);
struct budget *budget_keep(struct budget *b); /* one more user; NULL is fine */
void budget_free(struct budget *b);           /* one user less; NULL is fine */

#endif
