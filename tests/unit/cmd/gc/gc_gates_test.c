/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/gc/gc_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static struct gc_totals totals;

static int reset(void **state)
{
	(void)state;
	gc_totals_release(&totals);
	return 0;
}

static void add(enum gc_kind kind, int64_t stopped_ns, unsigned count,
		const char *cause)
{
	struct gc_pause p;

	gc_pause_init(&p);
	p.kind = kind;
	p.stopped_ns = stopped_ns;
	p.count = count;
	p.cause = cause;
	gc_totals_add(&totals, &p);
}

static enum gate_result judge(const char *gate, size_t pending,
			      int64_t pending_ns)
{
	const struct gc_measurement m = {
		.summary = { .totals = &totals,
			     .wall_ns = 10000 * MS,
			     .columns = GC_HAS_STOPPED },
		.pending = pending,
		.pending_ns = pending_ns,
	};
	struct option_list list = { .values = &gate, .count = 1 };
	struct gates gates = { .command = "gc" };
	enum gate_result result;

	assert_int_equal(gc_gates_add(&list, &gates, error_unused()), 0);
	gc_gates_judge(&gates, &m);
	result = gates.all->result;
	gates_release(&gates);
	return result;
}

static void junk_is_refused(void **state)
{
	static const char *const junk[] = {
		"",
		" ",
		">",
		">200ms",
		"p99",
		"p99>",
		"p99>=",
		"p99> ",
		"p99>200",
		"p99>0",
		"p99>200m",
		"p99>1h",
		"p99>200%",
		"p99>200 ms",
		"p99>200ms ",
		"p99>>200ms",
		"p99=>200ms",
		"p99=200ms",
		"p99<200ms",
		"p99<=200ms",
		"p99>-200ms",
		"p99>+200ms",
		"p99>nan",
		"p99>NaNs",
		"p99>infs",
		"p99>1e3ms",
		"p99>0x10ms",
		"p99>99999999999999999999s",
		"p99>200ms,p50>1s",
		"p99>200\u00b5s",
		"p99.>200ms",
		"p98>200ms",
		"P99>200ms",
		" p99>200ms",
		"p99 200ms",
		"stopped>5",
		"stopped>0.05",
		"stopped>5s",
		"stopped>5%%",
		"stopped>-5%",
		"stopped>%",
		"stopped>100%",
		"stopped>nan%",
		"full>0%",
		"full>0ms",
		"full>-1",
		"full>0.5",
		"full>99999999999999999999",
		"full>",
		"full>1,000",
		"pauses",
		"pauses>1e3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(junk) / sizeof(*junk); i++) {
		struct option_list list = { .values = (const char **)&junk[i],
					    .count = 1 };
		struct gates gates = { 0 };
		struct error err = { 0 };
		int ret = gc_gates_add(&list, &gates, &err);

		if (!ret)
			print_error("accepted: '%s'\n", junk[i]);
		assert_int_equal(ret, -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
		gates_release(&gates);
	}
}

static void limits_are_exact(void **state)
{
	(void)state;
	for (int i = 1; i <= 100; i++)
		add(i > 98 ? GC_FULL : GC_YOUNG, i * MS, 1, "cause");
	assert_int_equal(judge("p99>99ms", 0, 0), GATE_PASSED);
	assert_int_equal(judge("p99>=99ms", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("p99 > 98.999999ms", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("p99>99000us", 0, 0), GATE_PASSED);
	assert_int_equal(judge("p99>99us", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("p99.9>99ms", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("longest>100ms", 0, 0), GATE_PASSED);
	assert_int_equal(judge("max>0.099s", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("stopped>50.5%", 0, 0), GATE_PASSED);
	assert_int_equal(judge("stopped>50.4%", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("pauses>100", 0, 0), GATE_PASSED);
	assert_int_equal(judge("pauses>=100", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("full>2", 0, 0), GATE_PASSED);
	assert_int_equal(judge("full>1", 0, 0), GATE_EXCEEDED);
}

static void times_of_no_pauses_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(judge("p50>1s", 0, 0), GATE_UNKNOWN);
	assert_int_equal(judge("longest>1s", 0, 0), GATE_UNKNOWN);
	assert_int_equal(judge("full>0", 0, 0), GATE_PASSED);
	assert_int_equal(judge("stopped>0%", 0, 0), GATE_PASSED);
}

static void pause_without_a_time_may_be_the_longest(void **state)
{
	(void)state;
	for (int i = 0; i < 9; i++)
		add(GC_YOUNG, MS, 1, "cause");
	add(GC_YOUNG, GC_ABSENT, 1, "cause");
	assert_int_equal(judge("p90>1ms", 0, 0), GATE_PASSED);
	assert_int_equal(judge("p95>1ms", 0, 0), GATE_UNKNOWN);
	assert_int_equal(judge("longest>1h 1s", 0, 0), GATE_UNKNOWN);
	assert_int_equal(judge("stopped>5%", 0, 0), GATE_UNKNOWN);
	assert_int_equal(judge("stopped>0.01%", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("longest>999us", 0, 0), GATE_EXCEEDED);
}

static void pauses_with_a_common_time_may_be_as_long_as_it(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++)
		add(GC_YOUNG, MS, 1, "cause");
	add(GC_YOUNG, 300 * MS, 2, "cause");
	assert_int_equal(judge("longest>300ms", 0, 0), GATE_PASSED);
	assert_int_equal(judge("longest>200ms", 0, 0), GATE_UNKNOWN);
	assert_int_equal(judge("longest>100ms", 0, 0), GATE_EXCEEDED);
	assert_int_equal(judge("p50>200ms", 0, 0), GATE_PASSED);
}

static void stop_that_has_not_ended_counts(void **state)
{
	(void)state;
	add(GC_YOUNG, MS, 1, "cause");
	assert_int_equal(judge("longest>2s", 1, 1999 * MS), GATE_PASSED);
	assert_int_equal(judge("longest>2s", 1, 2001 * MS), GATE_UNKNOWN);
	assert_int_equal(judge("full>0", 1, 999 * MS), GATE_PASSED);
	assert_int_equal(judge("full>0", 1, 1000 * MS), GATE_UNKNOWN);
	assert_int_equal(judge("stopped>5%", 1, 400 * MS), GATE_PASSED);
	assert_int_equal(judge("stopped>5%", 1, 600 * MS), GATE_UNKNOWN);
}

static void full_collections_count_after_256_causes(void **state)
{
	char cause[16];

	(void)state;
	for (int i = 0; i < 300; i++) {
		snprintf(cause, sizeof(cause), "cause %d", i);
		add(GC_YOUNG, MS, 1, cause);
	}
	add(GC_FULL, MS, 1, "another");
	assert_int_equal(judge("full>0", 0, 0), GATE_EXCEEDED);
	add(GC_PAUSE, MS, 1, "unknown");
	assert_int_equal(judge("full>1", 0, 0), GATE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(junk_is_refused),
		cmocka_unit_test_teardown(limits_are_exact, reset),
		cmocka_unit_test_teardown(times_of_no_pauses_are_unknown,
					  reset),
		cmocka_unit_test_teardown(
			pause_without_a_time_may_be_the_longest, reset),
		cmocka_unit_test_teardown(
			pauses_with_a_common_time_may_be_as_long_as_it, reset),
		cmocka_unit_test_teardown(stop_that_has_not_ended_counts,
					  reset),
		cmocka_unit_test_teardown(
			full_collections_count_after_256_causes, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
