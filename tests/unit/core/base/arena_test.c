/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void pieces_are_aligned_whatever_is_left_of_a_block(void **state)
{
	(void)state;
	/* Leaves a block with each number of bytes, then allocates a few. */
	for (size_t used = 1; used < 40; used++) {
		for (size_t size = 0; size < 20; size++) {
			struct arena a = { 0 };
			void *piece;

			arena_copy(&a, "", 0);
			while (a.left > used)
				arena_copy(&a, "", 0);
			piece = arena_alloc(&a, size);
			assert_non_null(piece);
			assert_int_equal((uintptr_t)piece % 16, 0);
			memset(piece, 0xaa, size);
			arena_release(&a);
		}
	}
}

static void arena_alloc_of_zero_bytes_returns_a_valid_pointer(void **state)
{
	struct arena a = { 0 };

	(void)state;
	assert_non_null(arena_alloc(&a, 0));
	assert_string_equal(arena_copy(&a, NULL, 0), "");
	arena_release(&a);
}

static void pieces_do_not_overlap(void **state)
{
	enum { COUNT = 3000 };
	static unsigned char *pieces[COUNT];
	static size_t sizes[COUNT];
	struct arena a = { 0 };
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		sizes[i] = (size_t)rand_r(&seed) % 300;
		if (i % 500 == 0)
			sizes[i] = 200000; /* more than a block */
		pieces[i] = arena_alloc(&a, sizes[i]);
		memset(pieces[i], i & 0xff, sizes[i]);
	}
	for (int i = 0; i < COUNT; i++) {
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], i & 0xff);
	}
	assert_true(a.total >= 6 * 200000);
	arena_release(&a);
}

static void copies_end_with_a_nul(void **state)
{
	struct arena a = { 0 };

	(void)state;
	assert_string_equal(arena_copy(&a, "abcdef", 3), "abc");
	assert_memory_equal(arena_copy(&a, "a\0b", 3), "a\0b", 4);
	arena_release(&a);
}

static void released_arena_is_empty_and_usable(void **state)
{
	struct arena a = { 0 };

	(void)state;
	arena_release(&a);
	arena_alloc(&a, 100);
	arena_release(&a);
	assert_int_equal(a.total, 0);
	assert_non_null(arena_alloc(&a, 100));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			pieces_are_aligned_whatever_is_left_of_a_block),
		cmocka_unit_test(
			arena_alloc_of_zero_bytes_returns_a_valid_pointer),
		cmocka_unit_test(pieces_do_not_overlap),
		cmocka_unit_test(copies_end_with_a_nul),
		cmocka_unit_test(released_arena_is_empty_and_usable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
