/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/probe_report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Calls of 3 us are in bucket 12: 2,048 to 4,095 ns. */
static void add_calls(struct probe_counts *c, size_t bucket, uint64_t calls)
{
	c->calls += calls;
	c->buckets[bucket] += calls;
}

static void interval_without_the_longest_call_has_a_bound(void **state)
{
	struct probe_counts last = { .max_ns = 750000000, .thrown = 1 };
	struct probe_row row = { 0 };

	(void)state;
	add_calls(&last, 30, 1);
	row.counts = last;
	add_calls(&row.counts, 12, 7);
	probe_row_subtract(&row, &last);
	assert_int_equal(row.counts.calls, 7);
	assert_int_equal(row.counts.thrown, 0);
	assert_true(row.max_is_bound);
	assert_int_equal(row.counts.max_ns, 4095);
}

static void bound_is_at_most_the_longest_call(void **state)
{
	struct probe_counts last = { .max_ns = 3000 };
	struct probe_row row = { 0 };

	(void)state;
	add_calls(&last, 12, 1);
	row.counts = last;
	add_calls(&row.counts, 12, 1);
	probe_row_subtract(&row, &last);
	assert_true(row.max_is_bound);
	assert_int_equal(row.counts.max_ns, 3000);
}

static void interval_with_the_longest_call_is_exact(void **state)
{
	struct probe_counts last = { .max_ns = 3000 };
	struct probe_row row = { 0 };

	(void)state;
	add_calls(&last, 12, 1);
	row.counts = last;
	row.counts.max_ns = 5000;
	add_calls(&row.counts, 13, 1);
	probe_row_subtract(&row, &last);
	assert_false(row.max_is_bound);
	assert_int_equal(row.counts.max_ns, 5000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_without_the_longest_call_has_a_bound),
		cmocka_unit_test(bound_is_at_most_the_longest_call),
		cmocka_unit_test(interval_with_the_longest_call_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
