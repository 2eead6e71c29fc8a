/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory.h"

#include "core/base/clock.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#define S CLOCK_NS_PER_S

static void stall_budget_limits_waiting(void **state)
{
	struct stall_budget p = { 0 };
	int64_t now = 100 * S;

	(void)state;
	for (int i = 0; i < 5; i++, now += S) {
		assert_true(stall_budget_is_left(&p, now));
		assert_true(stall_budget_lose(&p, now, now + S, false));
	}
	assert_false(stall_budget_is_left(&p, now));
	assert_true(stall_budget_is_left(&p, now + 31 * S));
}

static void stall_budget_excuses_a_reader_without_cpu_time(void **state)
{
	struct stall_budget p = { 0 };
	int64_t now = 100 * S;

	(void)state;
	for (int i = 0; i < 20; i++, now += S) {
		assert_false(stall_budget_lose(&p, now, now + S, true));
		assert_true(stall_budget_is_left(&p, now + S));
		stall_budget_regain(&p);
	}
}

static void stall_budget_limits_excuses(void **state)
{
	struct stall_budget p = { 0 };
	int64_t now = 100 * S;
	int waits = 0;

	(void)state;
	for (; stall_budget_is_left(&p, now) && waits < 100; waits++, now += S)
		stall_budget_lose(&p, now, now + S, true);
	assert_in_range(waits, 6, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stall_budget_limits_waiting),
		cmocka_unit_test(
			stall_budget_excuses_a_reader_without_cpu_time),
		cmocka_unit_test(stall_budget_limits_excuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
