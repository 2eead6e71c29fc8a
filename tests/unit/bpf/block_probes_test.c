/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/block_probes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void sessions_exist_since_linux_6_13(void **state)
{
	(void)state;
	assert_false(block_probes_has_sessions("5.10.0-30-amd64"));
	assert_false(block_probes_has_sessions("6.1.0-28-amd64"));
	assert_false(block_probes_has_sessions("6.12.60+deb13-amd64"));
	assert_true(block_probes_has_sessions("6.13.0-rc1"));
	assert_true(block_probes_has_sessions("6.18.44-fc-v669"));
	assert_true(block_probes_has_sessions("7.0"));
	assert_false(block_probes_has_sessions(""));
	assert_false(block_probes_has_sessions("6"));
}

static void filters_reject_returns_in_three_releases(void **state)
{
	(void)state;
	assert_false(block_probes_are_filtered("6.1.0-28-amd64"));
	assert_false(block_probes_are_filtered("6.10.14"));
	assert_true(block_probes_are_filtered("6.11.0-9-generic"));
	assert_true(block_probes_are_filtered("6.13.1"));
	assert_false(block_probes_are_filtered("6.14.0"));
	assert_false(block_probes_are_filtered("7.0.1"));
}

/* ns per call, by the table of costs. */
static void cost_depends_on_the_instructions_at_the_probes(void **state)
{
	struct block_probes none = { 0 }, sessions = { .has_sessions = true };

	(void)state;
	assert_int_equal(block_probes_cost(&none, 0, 0), 0);
	assert_true(block_probes_cost(&sessions, 1000, 0) <
		    block_probes_cost(&none, 1000, 0));
	assert_int_equal(block_probes_cost(&none, 0, 1000),
			 block_probes_cost(&sessions, 0, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions_exist_since_linux_6_13),
		cmocka_unit_test(filters_reject_returns_in_three_releases),
		cmocka_unit_test(
			cost_depends_on_the_instructions_at_the_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
