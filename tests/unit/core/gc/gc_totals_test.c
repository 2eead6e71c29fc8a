/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_totals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct gc_pause a_pause(enum gc_kind kind, int64_t stopped_ns,
			       const char *cause)
{
	struct gc_pause p;

	gc_pause_init(&p);
	p.kind = kind;
	p.stopped_ns = stopped_ns;
	p.collector = "G1";
	if (kind == GC_OTHER)
		p.operation = cause;
	else
		p.cause = cause;
	return p;
}

static void percentiles_of_few_values_are_exact(void **state)
{
	struct gc_durations d = { 0 };

	(void)state;
	assert_int_equal(gc_durations_percentile(&d, 50), GC_ABSENT);
	for (int i = 100; i >= 1; i--)
		gc_durations_add(&d, i, 1);
	assert_int_equal(gc_durations_percentile(&d, 50), 50);
	assert_int_equal(gc_durations_percentile(&d, 95), 95);
	assert_int_equal(gc_durations_percentile(&d, 99), 99);
	assert_int_equal(gc_durations_percentile(&d, 100), 100);
	assert_int_equal(gc_durations_percentile(&d, 0), 1);
	assert_int_equal(d.sum_ns, 5050);
	assert_int_equal(d.longest_ns, 100);
	gc_durations_release(&d);
}

static void percentiles_of_many_values_are_close(void **state)
{
	struct gc_durations d = { 0 };
	const int64_t count = 200000;

	(void)state;
	for (int64_t i = 1; i <= count; i++)
		gc_durations_add(&d, i * 1000, 1);
	for (int percent = 1; percent <= 100; percent++) {
		int64_t exact = count * percent / 100 * 1000;
		int64_t got = gc_durations_percentile(&d, percent);

		assert_true(got >= exact);
		assert_true(got - exact <= exact / 64 + 1);
	}
	assert_int_equal(d.count, count);
	assert_int_equal(gc_durations_percentile(&d, 100), count * 1000);
	gc_durations_release(&d);
}

static void powers_count_each_value_once(void **state)
{
	struct gc_durations d = { 0 };
	uint64_t counts[GC_POWERS];

	(void)state;
	gc_durations_add(&d, 0, 1);
	gc_durations_add(&d, 999, 1);
	gc_durations_add(&d, 1000, 1);
	gc_durations_add(&d, 1999, 1);
	gc_durations_add(&d, 2000, 1);
	gc_durations_add(&d, 4096000, 1);
	gc_durations_add(&d, INT64_MAX, 1);
	gc_durations_powers(&d, counts);
	assert_int_equal(counts[0], 2);
	assert_int_equal(counts[1], 2);
	assert_int_equal(counts[2], 1);
	assert_int_equal(counts[13], 1);
	assert_int_equal(counts[GC_POWERS - 1], 1);
	gc_durations_release(&d);
}

static void pauses_are_grouped_by_kind_collector_and_cause(void **state)
{
	struct gc_totals t = { 0 };
	struct gc_pause pauses[] = {
		a_pause(GC_YOUNG, 10, "Allocation"),
		a_pause(GC_YOUNG, 20, "Allocation"),
		a_pause(GC_YOUNG, 5, "System.gc()"),
		a_pause(GC_FULL, 90, "System.gc()"),
		a_pause(GC_OTHER, 7, "ThreadDump"),
		a_pause(GC_CYCLE, GC_ABSENT, "Allocation"),
	};

	(void)state;
	pauses[5].gc_ns = 1000;
	pauses[5].count = 0;
	pauses[1].sync_ns = 3;
	pauses[1].operation = "Collect";
	for (size_t i = 0; i < 6; i++)
		gc_totals_add(&t, &pauses[i]);
	gc_totals_sort(&t);
	assert_int_equal(t.count, 5);
	assert_int_equal(t.groups[0].kind, GC_FULL);
	assert_int_equal(t.groups[1].stops, 2);
	assert_int_equal(t.groups[1].stopped.sum_ns, 30);
	assert_string_equal(t.groups[2].reason, "System.gc()");
	assert_int_equal(t.groups[3].kind, GC_CYCLE);
	assert_int_equal(t.groups[3].gc.sum_ns, 1000);
	assert_string_equal(t.groups[4].reason, "ThreadDump");
	assert_int_equal(t.collections.stops, 4);
	assert_int_equal(t.collections.stopped.sum_ns, 125);
	assert_int_equal(t.safepoints.stops, 1);
	assert_int_equal(t.longest_sync_ns, 3);
	assert_string_equal(t.longest_sync, "Collect");
	gc_totals_release(&t);
}

static void pauses_that_were_not_separated_count_each(void **state)
{
	struct gc_totals t = { 0 };
	struct gc_pause p = a_pause(GC_YOUNG, 30, "Allocation");

	(void)state;
	p.count = 3;
	gc_totals_add(&t, &p);
	assert_int_equal(t.collections.stops, 3);
	assert_int_equal(t.collections.together, 3);
	assert_int_equal(t.collections.stopped.sum_ns, 30);
	assert_int_equal(t.collections.stopped.longest_ns, 10);
	gc_totals_release(&t);
}

static void groups_beyond_the_limit_are_summed_up(void **state)
{
	struct gc_totals t = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char cause[16];
		struct gc_pause p;

		snprintf(cause, sizeof(cause), "cause %d", i);
		p = a_pause(GC_YOUNG, 1, cause);
		gc_totals_add(&t, &p);
	}
	assert_int_equal(t.count, 256);
	assert_string_equal(t.groups[255].reason, "(others)");
	assert_int_equal(t.groups[255].stops, 1000 - 255);
	assert_int_equal(t.collections.stops, 1000);
	gc_totals_release(&t);
}

static int64_t span_of(const int64_t (*times)[2], size_t count)
{
	struct gc_totals t = { 0 };
	int64_t span_ns;

	for (size_t i = 0; i < count; i++) {
		struct gc_pause p = a_pause(GC_YOUNG, 1, "full heap");

		p.end_ns = times[i][0];
		p.uptime_ns = times[i][1];
		gc_totals_add(&t, &p);
	}
	span_ns = gc_totals_span(&t);
	gc_totals_release(&t);
	return span_ns;
}

/* Logs may have the time of day, the time since the start, or both. */
static void span_is_that_of_a_common_clock(void **state)
{
	static const int64_t times[][2] = {
		{ 1700000000, 5 },
		{ 1700000020, 26 },
		{ GC_ABSENT, 30 },
		{ 1700000040, GC_ABSENT },
	};

	(void)state;
	assert_int_equal(span_of(times, 0), 0);
	assert_int_equal(span_of(times, 2), 20);
	assert_int_equal(span_of(times, 3), 25);
	assert_int_equal(span_of(times, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_of_few_values_are_exact),
		cmocka_unit_test(percentiles_of_many_values_are_close),
		cmocka_unit_test(powers_count_each_value_once),
		cmocka_unit_test(
			pauses_are_grouped_by_kind_collector_and_cause),
		cmocka_unit_test(pauses_that_were_not_separated_count_each),
		cmocka_unit_test(groups_beyond_the_limit_are_summed_up),
		cmocka_unit_test(span_is_that_of_a_common_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
