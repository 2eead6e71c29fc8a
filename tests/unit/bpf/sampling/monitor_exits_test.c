/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/monitor_exits.h"

#include <stdarg.h>
#include <stdlib.h>

#include <setjmp.h>

#include <cmocka.h>

enum { LOCK = 0x7f0010, OTHER = 0x7f0020 };

static void check_part(const struct monitor_part *p, uint32_t frame,
		       uint64_t from_ns, uint64_t ns)
{
	assert_int_equal(p->frame, frame);
	assert_int_equal(p->from_ns, from_ns);
	assert_int_equal(p->ns, ns);
}

static void wait_is_divided_at_each_release(void **state)
{
	struct monitor_exits *x = monitor_exits_new();
	struct monitor_part parts[MONITOR_PARTS];

	(void)state;
	monitor_exits_add(x, LOCK, 100, 1, false);
	monitor_exits_add(x, LOCK, 200, 2, false);
	monitor_exits_add(x, OTHER, 210, 3, false);
	monitor_exits_add(x, LOCK, 250, 2, false);
	monitor_exits_add(x, LOCK, 300, 1, false);
	assert_int_equal(monitor_exits_split(x, LOCK, 150, 310, parts), 2);
	check_part(&parts[0], 2, 150, 100);
	check_part(&parts[1], 1, 250, 60);
	/* The time after the last release is the time to wake up. */
	assert_int_equal(monitor_exits_split(x, LOCK, 260, 310, parts), 1);
	check_part(&parts[0], 1, 260, 50);
	assert_int_equal(monitor_exits_split(x, LOCK, 10, 310, parts), 3);
	check_part(&parts[0], 1, 10, 90);
	check_part(&parts[2], 1, 250, 60);
	monitor_exits_free(x);
}

static void wait_without_a_release_has_no_parts(void **state)
{
	struct monitor_exits *x = monitor_exits_new();
	struct monitor_part parts[MONITOR_PARTS];

	(void)state;
	assert_int_equal(monitor_exits_split(x, LOCK, 10, 20, parts), 0);
	monitor_exits_add(x, LOCK, 100, 1, false);
	assert_int_equal(monitor_exits_split(x, LOCK, 150, 160, parts), 0);
	assert_int_equal(monitor_exits_split(x, OTHER, 50, 160, parts), 0);
	/* Some releases are not sampled: the last known method counts. */
	monitor_exits_add(x, LOCK, 170, 2, true);
	assert_int_equal(monitor_exits_split(x, LOCK, 180, 190, parts), 1);
	check_part(&parts[0], 2, 180, 10);
	monitor_exits_clear(x);
	assert_int_equal(monitor_exits_split(x, LOCK, 50, 190, parts), 0);
	monitor_exits_free(x);
}

static void oldest_releases_and_monitors_are_forgotten(void **state)
{
	struct monitor_exits *x = monitor_exits_new();
	struct monitor_part parts[MONITOR_PARTS];
	uint64_t sum = 0;
	size_t count;

	(void)state;
	for (uint32_t i = 1; i <= 100; i++)
		monitor_exits_add(x, LOCK, i * 10, i, false);
	count = monitor_exits_split(x, LOCK, 5, 1003, parts);
	assert_int_equal(count, MONITOR_PARTS);
	for (size_t i = 0; i < count; i++)
		sum += parts[i].ns;
	assert_int_equal(sum, 998);
	check_part(&parts[count - 1], 100, 990, 13);
	for (uint64_t i = 0; i < 100000; i++)
		monitor_exits_add(x, OTHER + i * 64, 2000 + i, 7, false);
	assert_int_equal(monitor_exits_split(x, LOCK, 5, 1003, parts), 0);
	monitor_exits_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_is_divided_at_each_release),
		cmocka_unit_test(wait_without_a_release_has_no_parts),
		cmocka_unit_test(oldest_releases_and_monitors_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
