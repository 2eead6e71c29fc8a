/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest: which of some words was meant by one that is none of them.
 */
#ifndef CMD_NEAREST_H
#define CMD_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* of len bytes, as it was typed; borrowed */
	size_t len;
	const char *best; /* NULL as long as nothing is near enough */
	size_t best_distance;
};

struct nearest nearest_to(const char *word, size_t len);

/* Offers a candidate, which becomes best when it is the nearest so far. */
void nearest_offer(struct nearest *n, const char *candidate);

#endif
