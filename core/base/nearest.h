/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest: suggests the words that are most similar to a misspelled word.
 */
#ifndef CORE_BASE_NEAREST_H
#define CORE_BASE_NEAREST_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define NEAREST_MAX 3 /* maximum number of suggestions */

struct nearest {
	const char *word; /* the typed word, len bytes; borrowed */
	size_t len;
	const char *best; /* the most similar candidate, or NULL */
	size_t best_distance;
	/*
	 * The most similar candidates, best first, including candidates that
	 * contain the word: "HeapMemoryUsage" for "Heap". Borrowed.
	 */
	const char *found[NEAREST_MAX];
	size_t ranks[NEAREST_MAX], found_count;
};

struct nearest nearest_to(const char *word, size_t len);

/* Compares a candidate, which it borrows, with the word. */
void nearest_offer(struct nearest *n, const char *candidate);

/*
 * Appends "; did you mean 'GC.run' or 'GC.heap_info'?" and escapes the words.
 * Returns false when no candidate is similar.
 */
bool nearest_suggest(const struct nearest *n, struct text *out);

/*
 * Fails with ERROR_MISUSE for a word of len bytes outside the list of
 * choices: "invalid state 'BLOKED'; did you mean 'BLOCKED'? valid: NEW,
 * BLOCKED". noun names the kind of word; '|', ',' and spaces separate the
 * choices.
 */
int nearest_fail_choice(const char *noun, const char *word, size_t len,
			const char *choices, struct error *err);

#endif
