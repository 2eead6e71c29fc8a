/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the sorting of render/: rows of numbers, and names. */
#include "core/base/alloc.h"
#include "render/tree/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t state_of_random;

static uint32_t next_random(void)
{
	state_of_random = state_of_random * 1664525 + 1013904223;
	return state_of_random >> 8;
}

/* True if a precedes b in the sorted list; equal rows keep their order. */
static bool rows_in_order(const struct row *a, const struct row *b)
{
	if (a->major != b->major)
		return a->major < b->major;
	if (a->minor != b->minor)
		return a->minor < b->minor;
	return a->item < b->item;
}

static void rows_are_sorted_by_both_numbers_and_keep_their_order(void **state)
{
	static const uint64_t masks[] = { 0, 0xf, 0xfff00, UINT64_MAX };
	struct row rows[3000];

	(void)state;
	for (size_t m = 0; m < 16; m++) {
		uint64_t seen = 0;

		for (uint32_t i = 0; i < 3000; i++) {
			uint64_t wide = (uint64_t)next_random() << 40 |
					(uint64_t)next_random() << 20 |
					next_random();

			rows[i] = (struct row){
				.minor = wide & masks[m % 4],
				.major = (uint32_t)(next_random() << 8 &
						    masks[m / 4]),
				.item = i,
			};
		}
		row_sort(rows, 3000);
		for (size_t i = 0; i < 3000; i++) {
			seen += rows[i].item;
			assert_true(i == 0 ||
				    rows_in_order(&rows[i - 1], &rows[i]));
		}
		assert_int_equal(seen, 3000 * 2999 / 2);
	}
}

static int by_bytes(const struct name *a, const struct name *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = memcmp(a->text, b->text, len);

	if (order == 0 && a->len != b->len)
		order = a->len < b->len ? -1 : 1;
	return order;
}

static size_t shared_with(const struct name *a, const struct name *b)
{
	size_t i = 0;

	while (i < a->len && i < b->len && a->text[i] == b->text[i])
		i++;
	return i;
}

static void names_are_sorted_and_know_what_they_share(void **state)
{
	enum { COUNT = 2000, LONGEST = 24 };
	char(*bytes)[LONGEST] = xcalloc(COUNT, LONGEST);
	struct name *names = xcalloc(COUNT, sizeof(*names));

	(void)state;
	/* Few letters, so that many names share a prefix and some are equal. */
	for (uint32_t i = 0; i < COUNT; i++) {
		names[i].text = bytes[i];
		names[i].len = next_random() % LONGEST;
		names[i].item = i;
		for (size_t k = 0; k < names[i].len; k++)
			bytes[i][k] = "aaaaaaab\xff"[next_random() % 9];
	}
	name_sort(names, COUNT);
	for (size_t i = 1; i < COUNT; i++) {
		int order = by_bytes(&names[i - 1], &names[i]);

		assert_true(order <= 0);
		assert_true(order < 0 || names[i - 1].item < names[i].item);
		assert_int_equal(names[i].shared,
				 shared_with(&names[i - 1], &names[i]));
	}
	free(names);
	free(bytes);
}

static void order_sorts_empty_and_single_lists(void **state)
{
	struct row row = { 1, 2, 3 };
	struct name name = { "a", 1, 7, 0 };

	(void)state;
	row_sort(NULL, 0);
	row_sort(&row, 1);
	assert_int_equal(row.item, 3);
	name_sort(NULL, 0);
	name_sort(&name, 1);
	assert_int_equal(name.shared, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			rows_are_sorted_by_both_numbers_and_keep_their_order),
		cmocka_unit_test(names_are_sorted_and_know_what_they_share),
		cmocka_unit_test(order_sorts_empty_and_single_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
