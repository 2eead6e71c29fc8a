/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/nearest.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	NEAREST_LONGEST = 128,  /* longer words and candidates are ignored */
	NEAREST_PART_MIN = 3,   /* minimum length of a part of a candidate */
	RANK_OF_PREFIX = 200,   /* rank of a prefix; any distance is less */
	RANK_OF_PART = 400,     /* rank of a part in the middle */
	NEAREST_TEXT_MAX = 200, /* bytes: an error's text has 511 */
};

static size_t nearest_least(size_t a, size_t b) { return a < b ? a : b; }

static char nearest_small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Compares without case. */
static bool nearest_same(char a, char b)
{
	return nearest_small(a) == nearest_small(b);
}

/*
 * Returns the number of letters to insert, delete, replace or swap with their
 * neighbor to turn a into b (optimal string alignment).
 */
static size_t nearest_distance(const char *a, size_t a_len, const char *b,
			       size_t b_len)
{
	size_t rows[3][NEAREST_LONGEST + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		const size_t *last = rows[(i + 2) % 3];
		const size_t *before_last = rows[(i + 1) % 3];
		size_t *row = rows[i % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t replaced = last[j - 1] +
					  !nearest_same(a[i - 1], b[j - 1]);

			row[j] = nearest_least(
				replaced,
				nearest_least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 &&
			    nearest_same(a[i - 1], b[j - 2]) &&
			    nearest_same(a[i - 2], b[j - 1]))
				row[j] = nearest_least(row[j],
						       before_last[j - 2] + 1);
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

static bool nearest_begins(const char *at, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!nearest_same(at[i], word[i]))
			return false;
	return true;
}

/* Returns the rank of a candidate that contains the word, or SIZE_MAX. */
static size_t nearest_rank_part(const struct nearest *n, const char *candidate,
				size_t len)
{
	if (n->len < NEAREST_PART_MIN || n->len > len)
		return SIZE_MAX;
	if (nearest_begins(candidate, n->word, n->len))
		return n->len == len ? 0 : RANK_OF_PREFIX + len - n->len;
	for (size_t i = 1; i + n->len <= len; i++)
		if (nearest_begins(candidate + i, n->word, n->len))
			return RANK_OF_PART + len - n->len;
	return SIZE_MAX;
}

/* Inserts by rank; candidates of one rank stay in the order of offers. */
static void nearest_keep(struct nearest *n, const char *candidate, size_t rank)
{
	size_t at = n->found_count;

	for (size_t i = 0; i < n->found_count; i++)
		if (strcmp(n->found[i], candidate) == 0)
			return;
	while (at > 0 && n->ranks[at - 1] > rank)
		at--;
	if (at == NEAREST_MAX)
		return;
	if (n->found_count < NEAREST_MAX)
		n->found_count++;
	for (size_t i = n->found_count - 1; i > at; i--) {
		n->found[i] = n->found[i - 1];
		n->ranks[i] = n->ranks[i - 1];
	}
	n->found[at] = candidate;
	n->ranks[at] = rank;
}

/* True if the candidate is the word with letters inserted. */
static bool nearest_omits_letters(const struct nearest *n,
				  const char *candidate)
{
	size_t at = 0;

	for (; *candidate && at < n->len; candidate++)
		at += nearest_same(n->word[at], *candidate);
	return at == n->len;
}

/*
 * At the same distance, a candidate of which the word only omits letters is
 * nearer: "jstak" is jstack rather than jstat.
 */
static bool nearest_is_best(const struct nearest *n, const char *candidate,
			    size_t distance)
{
	if (distance != n->best_distance)
		return distance < n->best_distance;
	return nearest_omits_letters(n, candidate) &&
	       !nearest_omits_letters(n, n->best);
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t len = strlen(candidate), d = SIZE_MAX, rank;
	size_t apart = len > n->len ? len - n->len : n->len - len;

	if (len > NEAREST_LONGEST || n->len > NEAREST_LONGEST)
		return;
	rank = nearest_rank_part(n, candidate, len);
	/* With more than a third of its letters different, it is no near miss.
	 */
	if (apart * 3 <= len)
		d = nearest_distance(n->word, n->len, candidate, len);
	if (d != SIZE_MAX && d * 3 <= len) {
		if (nearest_is_best(n, candidate, d)) {
			n->best = candidate;
			n->best_distance = d;
		}
		rank = d < rank ? d : rank;
	}
	if (rank != SIZE_MAX)
		nearest_keep(n, candidate, rank);
}

bool nearest_suggest(const struct nearest *n, struct text *out)
{
	const char *chosen[NEAREST_MAX];
	size_t count = 0, used = 0, limit = SIZE_MAX;

	/* If the best is a likely typo, do not suggest distant words. */
	if (n->found_count && n->ranks[0] < RANK_OF_PREFIX)
		limit = 2 * n->ranks[0] + 1;
	for (size_t i = 0; i < n->found_count; i++) {
		used += strlen(n->found[i]);
		if (i &&
		    (used > NEAREST_TEXT_MAX ||
		     (n->ranks[i] > limit && n->ranks[i] < RANK_OF_PREFIX)))
			continue;
		chosen[count++] = n->found[i];
	}
	for (size_t i = 0; i < count; i++) {
		text_puts(out, i == 0           ? "; did you mean '"
			       : i + 1 == count ? "' or '"
						: "', '");
		safe_text_puts(out, chosen[i]);
	}
	if (count)
		text_puts(out, "'?");
	return count > 0;
}

int nearest_fail_choice(const char *noun, const char *word, size_t len,
			const char *choices, struct error *err)
{
	static const char separators[] = "|, ";
	struct nearest nearest = nearest_to(word, len);
	char *words = xstrdup(choices), *rest = words, *choice;
	struct text valid = { 0 }, hint = { 0 };

	while ((choice = strsep(&rest, separators))) {
		if (!*choice)
			continue;
		text_printf(&valid, "%s%s", valid.len ? ", " : "", choice);
		nearest_offer(&nearest, choice);
	}
	if (!nearest_suggest(&nearest, &hint))
		text_puts(&hint, ";");
	fail(err, ERROR_MISUSE, "invalid %s '%.*s'%s valid: %s", noun,
	     len < NEAREST_LONGEST ? (int)len : NEAREST_LONGEST, word,
	     hint.bytes, valid.bytes);
	text_release(&hint);
	text_release(&valid);
	free(words);
	return -1;
}
