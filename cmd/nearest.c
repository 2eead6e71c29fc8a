/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST 32 /* words beyond are not compared */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/*
 * The letters to insert, drop, replace or swap with their neighbour to make
 * one word of the other (optimal string alignment).
 */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][LONGEST + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		const size_t *last = rows[(i + 2) % 3];
		const size_t *before_last = rows[(i + 1) % 3];
		size_t *row = rows[i % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = least(replaced,
				       least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before_last[j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

struct nearest nearest_to(const char *word, size_t len)
{
	return (struct nearest){ .word = word,
				 .len = len,
				 .best_distance = SIZE_MAX };
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t len = strlen(candidate), d;

	if (len > LONGEST || n->len > LONGEST)
		return;
	d = distance(n->word, n->len, candidate, len);
	/* Beyond a third of the letters it is another word. */
	if (d * 3 <= len && d < n->best_distance) {
		n->best = candidate;
		n->best_distance = d;
	}
}
