/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/claims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 64 };

/* Adds pages [first, last). */
static void claims_add_pages(struct claims *c, uint64_t first, uint64_t last,
			     enum mem_part part)
{
	claims_add(c, first * PAGE, last * PAGE, part, NULL);
}

/* Fails unless the pages belong to the parts that the letters stand for. */
static void claims_expect(const struct claims *c, const char *parts)
{
	char found[PAGES + 1] = { 0 };
	uint64_t end = 0;

	memset(found, '.', strlen(parts));
	for (size_t i = 0; i < c->settled; i++) {
		assert_true(c->all[i].start >= end);
		assert_true(c->all[i].end > c->all[i].start);
		end = c->all[i].end;
		for (uint64_t p = c->all[i].start / PAGE; p < end / PAGE; p++)
			found[p] = (char)('A' + c->all[i].part);
	}
	assert_string_equal(found, parts);
}

static void claims_settle_keeps_pages_of_earlier_batches(void **state)
{
	struct claims c = { 0 };

	(void)state;
	claims_add_pages(&c, 4, 6, 0);
	claims_add_pages(&c, 8, 9, 0);
	claims_settle(&c);
	claims_expect(&c, "....AA..A.");
	claims_add_pages(&c, 2, 10, 1);
	claims_settle(&c);
	claims_expect(&c, "..BBAABBAB");
	claims_add_pages(&c, 0, 10, 2);
	claims_settle(&c);
	claims_expect(&c, "CCBBAABBAB");
	claims_settle(&c);
	claims_expect(&c, "CCBBAABBAB");
	claims_release(&c);
}

static void claims_settle_gives_the_lower_of_a_batch_their_overlap(void **state)
{
	struct claims c = { 0 };

	(void)state;
	claims_add_pages(&c, 5, 9, 1);
	claims_add_pages(&c, 1, 7, 0);
	claims_add_pages(&c, 2, 3, 2);
	claims_settle(&c);
	claims_expect(&c, ".AAAAAABB");
	claims_release(&c);
}

static void claims_add_rounds_to_whole_pages(void **state)
{
	struct claims c = { 0 };

	(void)state;
	claims_add(&c, PAGE + 1, PAGE + 2, 0, NULL);
	claims_add(&c, 3 * PAGE - 1, 3 * PAGE + 1, 1, NULL);
	claims_settle(&c);
	claims_expect(&c, ".ABB.");
	claims_release(&c);
}

static void claims_add_ignores_impossible_ranges(void **state)
{
	struct claims c = { 0 };

	(void)state;
	claims_add(&c, PAGE, PAGE, 0, NULL);
	claims_add(&c, 2 * PAGE, PAGE, 0, NULL);
	claims_add(&c, PAGE, UINT64_MAX, 0, NULL);
	claims_settle(&c);
	claims_expect(&c, "....");
	claims_release(&c);
}

static void claims_gap_finds_each_range_without_a_claim(void **state)
{
	struct claims c = { 0 };
	uint64_t from = 0, to;

	(void)state;
	assert_true(claims_gap(&c, &from, PAGE, &to));
	assert_int_equal(to, PAGE);
	claims_add_pages(&c, 0, 1, 0);
	claims_add_pages(&c, 3, 4, 0);
	claims_add_pages(&c, 4, 5, 1);
	claims_settle(&c);
	from = 0;
	assert_true(claims_gap(&c, &from, 8 * PAGE, &to));
	assert_int_equal(from, PAGE);
	assert_int_equal(to, 3 * PAGE);
	from = to;
	assert_true(claims_gap(&c, &from, 8 * PAGE, &to));
	assert_int_equal(from, 5 * PAGE);
	assert_int_equal(to, 8 * PAGE);
	from = to;
	assert_false(claims_gap(&c, &from, 8 * PAGE, &to));
	from = 3 * PAGE;
	assert_false(claims_gap(&c, &from, 5 * PAGE, &to));
	assert_int_equal(claims_after(&c, 3 * PAGE), 1);
	assert_int_equal(claims_after(&c, 5 * PAGE), 3);
	claims_release(&c);
}

/* Compares many overlapping claims with a table of pages. */
static void claims_settle_agrees_with_a_table_of_pages(void **state)
{
	uint32_t random = 12345;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct claims c = { 0 };
		char table[PAGES + 1];

		memset(table, '.', PAGES);
		table[PAGES] = '\0';
		for (int part = 0; part < 8; part++) {
			uint64_t first, last;

			random = random * 1664525 + 1013904223;
			first = random >> 16 & (PAGES - 1);
			last = first + (random >> 24 & 15);
			last = last > PAGES ? PAGES : last;
			claims_add_pages(&c, first, last, part);
			claims_settle(&c);
			for (uint64_t p = first; p < last; p++) {
				if (table[p] == '.')
					table[p] = (char)('A' + part);
			}
		}
		claims_expect(&c, table);
		claims_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_settle_keeps_pages_of_earlier_batches),
		cmocka_unit_test(
			claims_settle_gives_the_lower_of_a_batch_their_overlap),
		cmocka_unit_test(claims_add_rounds_to_whole_pages),
		cmocka_unit_test(claims_add_ignores_impossible_ranges),
		cmocka_unit_test(claims_gap_finds_each_range_without_a_claim),
		cmocka_unit_test(claims_settle_agrees_with_a_table_of_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
