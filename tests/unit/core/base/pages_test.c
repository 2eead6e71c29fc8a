/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/pages.h"

#include "core/base/alloc.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Number of bytes that differ from value. */
static size_t others(const uint8_t *bytes, size_t len, uint8_t value)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += bytes[i] != value;
	return count;
}

static void grown_memory_keeps_its_bytes_and_adds_zeros(void **state)
{
	size_t bytes = (size_t)4 << 10;
	uint8_t *m = pages_new(bytes);

	(void)state;
	assert_int_equal(others(m, bytes, 0), 0);
	memset(m, 7, bytes);
	/* From the heap to a mapping, and on to larger ones. */
	while (bytes < 8 * ALLOC_HUGE_PAGE) {
		m = pages_grown(m, bytes, bytes * 2);
		assert_int_equal(others(m, bytes, 7), 0);
		assert_int_equal(others(m + bytes, bytes, 0), 0);
		bytes *= 2;
		memset(m, 7, bytes);
	}
	pages_free(m, bytes);
}

static void large_memory_begins_at_a_huge_page(void **state)
{
	static const size_t sizes[] = {
		ALLOC_HUGE_PAGE,
		ALLOC_HUGE_PAGE + 1,
		3 * ALLOC_HUGE_PAGE - 5,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *m = pages_new(sizes[i]);
		uint8_t *grown;

		assert_int_equal((uintptr_t)m % ALLOC_HUGE_PAGE, 0);
		m[sizes[i] - 1] = 1;
		grown = pages_grown(m, sizes[i], sizes[i] * 3);
		assert_int_equal((uintptr_t)grown % ALLOC_HUGE_PAGE, 0);
		assert_int_equal(grown[sizes[i] - 1], 1);
		assert_int_equal(others(grown + sizes[i], sizes[i] * 2, 0), 0);
		pages_free(grown, sizes[i] * 3);
	}
	pages_free(NULL, 0);
	pages_free(NULL, ALLOC_HUGE_PAGE);
}

static void large_array_keeps_its_elements_while_it_grows(void **state)
{
	struct {
		uint32_t a, b, c;
	} *array = NULL;
	size_t cap = 0, count = 0;

	(void)state;
	while (count * sizeof(*array) < 5 * ALLOC_HUGE_PAGE) {
		array_reserve(array, cap, count + 1);
		assert_true(cap > count);
		array[count].c = (uint32_t)count;
		count++;
	}
	/* All of the capacity may be used. */
	memset(array + count, 0, (cap - count) * sizeof(*array));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(array[i].c, i);
	free(array);
}

static void reallocated_memory_keeps_its_bytes_beyond_huge_pages(void **state)
{
	static const size_t sizes[] = {
		100,
		ALLOC_HUGE_PAGE - 100,
		ALLOC_HUGE_PAGE + 1,
		3 * ALLOC_HUGE_PAGE + 7,
		ALLOC_HUGE_PAGE / 2,
	};
	uint8_t *m = xmalloc(1);
	size_t kept = 1;

	(void)state;
	memset(m, 7, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		m = xrealloc(m, sizes[i], 1);
		kept = kept < sizes[i] ? kept : sizes[i];
		assert_int_equal(others(m, kept, 7), 0);
		memset(m, 7, sizes[i]);
		kept = sizes[i];
	}
	free(m);
	m = array_new(ALLOC_HUGE_PAGE + 5, 2);
	assert_int_equal(others(m, 2 * ALLOC_HUGE_PAGE + 10, 0), 0);
	free(m);
}

static void discarded_bytes_leave_those_beside_them(void **state)
{
	size_t bytes = 4 * ALLOC_HUGE_PAGE;
	uint8_t *m = xmalloc(bytes);
	size_t first = ALLOC_HUGE_PAGE / 2, len = 2 * ALLOC_HUGE_PAGE;

	(void)state;
	memset(m, 7, bytes);
	pages_discard(m + first, ALLOC_HUGE_PAGE / 4);
	assert_int_equal(others(m, bytes, 7), 0);
	pages_discard(m + first, len);
	assert_int_equal(others(m, first, 7), 0);
	assert_int_equal(others(m + first + len, bytes - first - len, 7), 0);
	memset(m, 8, bytes);
	assert_int_equal(others(m, bytes, 8), 0);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grown_memory_keeps_its_bytes_and_adds_zeros),
		cmocka_unit_test(large_memory_begins_at_a_huge_page),
		cmocka_unit_test(large_array_keeps_its_elements_while_it_grows),
		cmocka_unit_test(
			reallocated_memory_keeps_its_bytes_beyond_huge_pages),
		cmocka_unit_test(discarded_bytes_leave_those_beside_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
