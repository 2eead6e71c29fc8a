/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling.h"

#include "core/base/clock.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

enum { LEAST_MS = 8, MOST_MS = 200, LONG = 100 };
#define MOST_NS (MOST_MS * CLOCK_NS_PER_MS)

static void interval_grows_while_code_stays(void **state)
{
	struct drain_interval p = { 0 };
	int64_t before = 0;

	(void)state;
	for (int i = 0; i < LONG; i++) {
		int64_t ns = drain_interval_next(&p, 7, MOST_NS);

		assert_true(ns >= before);
		before = ns;
	}
	assert_int_equal(before, MOST_NS);
}

static void interval_is_halved_when_code_was_freed(void **state)
{
	struct drain_interval p = { 0 };
	int64_t ns = 0;

	(void)state;
	for (int i = 0; i < LONG; i++)
		drain_interval_next(&p, 0, MOST_NS);
	assert_false(drain_interval_is_short(&p));
	assert_int_equal(drain_interval_next(&p, 1, MOST_NS),
			 MOST_MS / 2 * CLOCK_NS_PER_MS);
	for (uint64_t changes = 2; changes < LONG; changes++)
		ns = drain_interval_next(&p, changes, MOST_NS);
	assert_int_equal(ns, LEAST_MS * CLOCK_NS_PER_MS);
	assert_true(drain_interval_is_short(&p));
	assert_true(drain_interval_next(&p, LONG - 1, MOST_NS) > ns);
}

static void interval_keeps_to_a_smaller_maximum_at_once(void **state)
{
	struct drain_interval p = { 0 };

	(void)state;
	for (int i = 0; i < LONG; i++)
		drain_interval_next(&p, 0, 5 * MOST_NS);
	assert_int_equal(p.ns, 5 * MOST_NS);
	assert_int_equal(drain_interval_next(&p, 0, MOST_NS), MOST_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_grows_while_code_stays),
		cmocka_unit_test(interval_is_halved_when_code_was_freed),
		cmocka_unit_test(interval_keeps_to_a_smaller_maximum_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
