/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ids_count_from_one_in_order_of_arrival(void **state)
{
	struct intern in = { 0 };

	(void)state;
	assert_int_equal(intern_id(&in, "a", 1), 1);
	assert_int_equal(intern_id(&in, "b", 1), 2);
	assert_int_equal(intern_id(&in, "a", 1), 1);
	assert_int_equal(intern_id(&in, "ab", 2), 3);
	assert_int_equal(intern_id(&in, "ab", 1), 1);
	assert_string_equal(intern_text(&in, 3), "ab");
	assert_int_equal(intern_len(&in, 3), 2);
	intern_release(&in);
}

static void intern_always_has_the_empty_string(void **state)
{
	struct intern in = { 0 };

	(void)state;
	assert_int_equal(intern_id(&in, "", 0), 0);
	assert_int_equal(intern_id(&in, NULL, 0), 0);
	assert_int_equal(intern_find(&in, NULL, 0), 0);
	assert_string_equal(intern_text(&in, 0), "");
	assert_int_equal(intern_len(&in, 0), 0);
	assert_string_equal(intern_text(&in, 1), "");
	intern_release(&in);
}

static void bytes_may_be_any(void **state)
{
	struct intern in = { 0 };
	uint32_t id = intern_id(&in, "a\0b", 3);

	(void)state;
	assert_int_not_equal(intern_id(&in, "a\0c", 3), id);
	assert_int_not_equal(intern_id(&in, "a", 1), id);
	assert_int_equal(intern_id(&in, "a\0b", 3), id);
	assert_memory_equal(intern_text(&in, id), "a\0b", 4);
	assert_int_equal(intern_len(&in, id), 3);
	intern_release(&in);
}

static void interned_strings_are_found_at_stable_addresses(void **state)
{
	enum { COUNT = 100000 };
	struct intern in = { 0 };
	const char *first = intern_text(&in, intern_id(&in, "0", 1));
	char name[16];

	(void)state;
	for (uint32_t i = 1; i < COUNT; i++) {
		size_t len = (size_t)snprintf(name, sizeof(name), "%u", i);

		assert_int_equal(intern_find(&in, name, len), 0);
		assert_int_equal(intern_id(&in, name, len), i + 1);
	}
	assert_ptr_equal(intern_text(&in, 1), first);
	for (uint32_t i = 0; i < COUNT; i++) {
		size_t len = (size_t)snprintf(name, sizeof(name), "%u", i);

		assert_int_equal(intern_find(&in, name, len), i + 1);
		assert_string_equal(intern_text(&in, i + 1), name);
	}
	intern_release(&in);
	assert_int_equal(intern_find(&in, "0", 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_count_from_one_in_order_of_arrival),
		cmocka_unit_test(intern_always_has_the_empty_string),
		cmocka_unit_test(bytes_may_be_any),
		cmocka_unit_test(
			interned_strings_are_found_at_stable_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
