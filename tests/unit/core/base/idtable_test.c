/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idtable.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put(struct idtable *t, uint32_t tag, uint32_t id)
{
	struct idprobe probe;

	idtable_reserve(t, 1);
	probe = idtable_probe(t, tag);
	while (idtable_next(t, &probe))
		;
	idtable_put(t, &probe, id);
}

/* Number of times that id is offered for tag; *all counts all offered ids. */
static size_t offers(const struct idtable *t, uint32_t tag, uint32_t id,
		     size_t *all)
{
	struct idprobe probe = idtable_probe(t, tag);
	size_t found = 0;
	uint32_t offered;

	*all = 0;
	while ((offered = idtable_next(t, &probe))) {
		found += offered == id;
		++*all;
	}
	return found;
}

static void ids_of_equal_tags_are_all_offered(void **state)
{
	struct idtable t = { 0 };
	size_t all;

	(void)state;
	for (uint32_t id = 1; id <= 5; id++)
		put(&t, 77, id);
	put(&t, 78, 6);
	for (uint32_t id = 1; id <= 5; id++)
		assert_int_equal(offers(&t, 77, id, &all), 1);
	assert_int_equal(all, 5);
	assert_int_equal(offers(&t, 78, 6, &all), 1);
	assert_int_equal(offers(&t, 79, 6, &all), 0);
	assert_int_equal(all, 0);
	idtable_release(&t);
}

static void ids_are_found_after_growing(void **state)
{
	/*
	 * Tags that are scattered, consecutive, and all at the end of the
	 * table.
	 */
	static const uint32_t steps[] = { 2654435761u, 1, 1u << 20 };
	/* A search among consecutive tags takes quadratic time. */
	const uint32_t many = IS_SANITIZED ? 10000 : 50000;

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		struct idtable t = { 0 };
		uint32_t count = s == 2 ? 500 : many;
		size_t all;

		for (uint32_t id = 1; id <= count; id++)
			put(&t, ~(id * steps[s]), id);
		assert_int_equal(t.count, count);
		assert_true(t.count <= t.size / 8 * 5);
		assert_int_equal(t.size & (t.size - 1), 0);
		for (uint32_t id = 1; id <= count; id++)
			assert_int_equal(offers(&t, ~(id * steps[s]), id, &all),
					 1);
		idtable_release(&t);
	}
}

static void reserved_ids_fit_without_growing(void **state)
{
	struct idtable t = { 0 };
	const struct idslot *slots;

	(void)state;
	idtable_reserve(&t, 1000000);
	slots = t.slots;
	for (uint32_t id = 1; id <= 1000000; id++)
		put(&t, id * 2654435761u, id);
	assert_ptr_equal(t.slots, slots);
	idtable_release(&t);
}

static void cleared_table_is_empty_and_keeps_its_memory(void **state)
{
	struct idtable t = { 0 };
	size_t size, all;

	(void)state;
	idtable_clear(&t);
	for (uint32_t id = 1; id <= 1000; id++)
		put(&t, id, id);
	size = t.size;
	idtable_clear(&t);
	assert_int_equal(t.size, size);
	assert_int_equal(t.count, 0);
	for (uint32_t id = 1; id <= 1000; id++)
		assert_int_equal(offers(&t, id, id, &all), 0);
	put(&t, 5, 9);
	assert_int_equal(offers(&t, 5, 9, &all), 1);
	idtable_release(&t);
	idtable_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_equal_tags_are_all_offered),
		cmocka_unit_test(ids_are_found_after_growing),
		cmocka_unit_test(reserved_ids_fit_without_growing),
		cmocka_unit_test(cleared_table_is_empty_and_keeps_its_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
