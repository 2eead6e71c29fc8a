/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest: suggests the words that a misspelled word is most like.
 */
#ifndef CMD_NEAREST_H
#define CMD_NEAREST_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define NEAREST_MAX 3 /* words that are suggested */

struct nearest {
	const char *word; /* of len bytes, as it was typed; borrowed */
	size_t len;
	const char *best; /* NULL as long as nothing is near enough */
	size_t best_distance;
	/*
	 * The nearest first, those that the word is a part of, too: "Heap" of
	 * "HeapMemoryUsage".  Candidates are borrowed.
	 */
	const char *found[NEAREST_MAX];
	size_t ranks[NEAREST_MAX], found_count;
};

struct nearest nearest_to(const char *word, size_t len);

/* Offers a candidate, which becomes best when it is the nearest so far. */
void nearest_offer(struct nearest *n, const char *candidate);

/*
 * Appends "; did you mean 'GC.run' or 'GC.heap_info'?" for those that were
 * found; false when none was.  Foreign words are made safe.
 */
bool nearest_suggest(const struct nearest *n, struct text *out);

#endif
