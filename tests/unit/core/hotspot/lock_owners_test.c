/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/lock_owners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct lock_wait wait_of(int64_t waiter, int64_t owner)
{
	return (struct lock_wait){
		.waiter = { .java_id = waiter },
		.owner = { .java_id = owner },
		.lock_class = "a/Lock",
	};
}

static bool have_cycle(const int64_t (*pairs)[2], size_t count)
{
	struct lock_wait all[8];
	struct lock_waits w = { .all = all, .count = count };

	for (size_t i = 0; i < count; i++)
		all[i] = wait_of(pairs[i][0], pairs[i][1]);
	return lock_waits_have_cycle(&w);
}

static void cycles_are_found_behind_other_waiters(void **state)
{
	static const int64_t chain[][2] = { { 1, 2 }, { 2, 3 }, { 3, 4 } };
	static const int64_t cycle[][2] = {
		{ 5, 1 }, { 1, 2 }, { 2, 3 }, { 3, 1 }
	};
	/* A thread without an owner, and two without known ids. */
	static const int64_t ownerless[][2] = { { 0, 0 }, { 0, 0 }, { 1, 0 } };
	static const int64_t meeting[][2] = { { 1, 3 }, { 2, 3 }, { 3, 4 } };

	(void)state;
	assert_false(have_cycle(chain, 3));
	assert_true(have_cycle(cycle, 4));
	assert_false(have_cycle(ownerless, 3));
	assert_false(have_cycle(meeting, 3));
	assert_false(have_cycle(NULL, 0));
}

static void only_waits_with_the_same_lock_and_owner_remain(void **state)
{
	struct lock_wait before[] = { wait_of(1, 9), wait_of(2, 9),
				      wait_of(3, 9), wait_of(4, 9),
				      wait_of(5, 0) };
	struct lock_wait after[] = { wait_of(1, 9), wait_of(2, 8),
				     wait_of(3, 9), wait_of(4, 9),
				     wait_of(5, 0), wait_of(6, 9) };
	struct lock_waits then = { .all = before, .count = 5 };
	struct lock_waits now = { .all = after, .count = 6 };

	(void)state;
	after[2].lock_class = "another/Lock";
	after[3].kind = LOCK_MONITOR;
	/* The collector moves locks. */
	after[0].lock = 0x1000;
	lock_waits_intersect(&now, &then);
	assert_int_equal(now.count, 2);
	assert_int_equal(now.all[0].waiter.java_id, 1);
	assert_int_equal(now.all[1].waiter.java_id, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_are_found_behind_other_waiters),
		cmocka_unit_test(
			only_waits_with_the_same_lock_and_owner_remain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
