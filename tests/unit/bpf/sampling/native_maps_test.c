/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/native_maps.h"

#include "core/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LATER ((uint64_t)2 * CLOCK_NS_PER_S)

static struct native_map map_of(uint64_t start, uint64_t end, uint32_t stack,
				uint64_t time_ns)
{
	return (struct native_map){
		.start = start, .end = end, .stack = stack, .time_ns = time_ns
	};
}

static void add(struct native_maps *m, uint64_t start, uint64_t end,
		uint32_t stack)
{
	const struct native_map new = map_of(start, end, stack, LATER * stack);

	native_maps_add(m, &new);
}

static void fill(struct native_maps *m, uint64_t start, uint64_t end,
		 uint32_t stack)
{
	const struct native_map new = map_of(start, end, stack, LATER * stack);

	native_maps_fill(m, &new);
}

/* Each piece of memory is "start-end:stack". */
static void check(const struct native_maps *m, const char *expected)
{
	char text[200] = "", *at = text;

	for (size_t i = 0; i < m->count; i++)
		at += snprintf(at, (size_t)(text + sizeof(text) - at),
			       "%s%u-%u:%u", i ? " " : "",
			       (unsigned)m->all[i].start,
			       (unsigned)m->all[i].end, m->all[i].stack);
	assert_string_equal(text, expected);
}

static void memory_that_is_mapped_again_belongs_to_the_last_call(void **state)
{
	struct native_maps m = { 0 };

	(void)state;
	add(&m, 10, 20, 1);
	add(&m, 30, 40, 2);
	add(&m, 15, 35, 3);
	check(&m, "10-15:1 15-35:3 35-40:2");
	add(&m, 20, 25, 4);
	check(&m, "10-15:1 15-20:3 20-25:4 25-35:3 35-40:2");
	add(&m, 0, 100, 5);
	check(&m, "0-100:5");
	native_maps_release(&m);
	check(&m, "");
}

static void parts_of_mappings_are_removed(void **state)
{
	struct native_maps m = { 0 };

	(void)state;
	native_maps_remove(&m, 0, 100);
	add(&m, 10, 20, 1);
	add(&m, 20, 30, 2);
	add(&m, 50, 60, 3);
	native_maps_remove(&m, 5, 10);
	native_maps_remove(&m, 30, 50);
	native_maps_remove(&m, 15, 15);
	native_maps_remove(&m, 20, 10);
	check(&m, "10-20:1 20-30:2 50-60:3");
	native_maps_remove(&m, 12, 14);
	check(&m, "10-12:1 14-20:1 20-30:2 50-60:3");
	native_maps_remove(&m, 18, 55);
	check(&m, "10-12:1 14-18:1 55-60:3");
	native_maps_remove(&m, 0, 11);
	check(&m, "11-12:1 14-18:1 55-60:3");
	native_maps_remove(&m, 11, 60);
	check(&m, "");
	native_maps_release(&m);
}

static void memory_that_is_accessible_already_keeps_its_call(void **state)
{
	struct native_maps m = { 0 };

	(void)state;
	add(&m, 10, 20, 1);
	add(&m, 30, 40, 2);
	fill(&m, 12, 18, 3);
	check(&m, "10-20:1 30-40:2");
	fill(&m, 5, 45, 4);
	check(&m, "5-10:4 10-20:1 20-30:4 30-40:2 40-45:4");
	fill(&m, 44, 50, 5);
	check(&m, "5-10:4 10-20:1 20-30:4 30-40:2 40-45:4 45-50:5");
	native_maps_release(&m);
}

/* An arena grows by a page at a time. */
static void
memory_that_grows_by_one_call_is_one_piece_for_a_second(void **state)
{
	struct native_maps m = { 0 };
	const uint64_t times[] = { 1, CLOCK_NS_PER_S, CLOCK_NS_PER_S + 1 };

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		const struct native_map new = map_of(i, i + 1, 1, times[i]);

		native_maps_add(&m, &new);
	}
	check(&m, "0-2:1 2-3:1");
	assert_int_equal(m.all[0].time_ns, 1);
	native_maps_release(&m);
}

static void parts_without_room_are_counted(void **state)
{
	struct native_maps m = { 0 };

	(void)state;
	for (uint64_t i = 0; i < NATIVE_MAPS_MAX + 3; i++)
		add(&m, 2 * i, 2 * i + 1, 1);
	assert_int_equal(m.count, NATIVE_MAPS_MAX);
	assert_int_equal(m.lost, 3);
	native_maps_remove(&m, 0, (uint64_t)4 * NATIVE_MAPS_MAX);
	assert_int_equal(m.count, 0);
	/* Too many gaps to fill. */
	for (uint64_t i = 0; i < 1000; i++)
		add(&m, 2 * i, 2 * i + 1, 1);
	fill(&m, 0, 2000, 2);
	assert_int_equal(m.lost, 4);
	assert_true(m.count < 1300);
	native_maps_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			memory_that_is_mapped_again_belongs_to_the_last_call),
		cmocka_unit_test(parts_of_mappings_are_removed),
		cmocka_unit_test(
			memory_that_is_accessible_already_keeps_its_call),
		cmocka_unit_test(
			memory_that_grows_by_one_call_is_one_piece_for_a_second),
		cmocka_unit_test(parts_without_room_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
