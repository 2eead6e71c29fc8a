/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/probe_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

/* A method with 3 calls of 4 to 7 ns and 1 of 16 to 31 ns, and one uncalled. */
static void make_rows(struct probe_row *rows)
{
	rows[0] = (struct probe_row){ .class_name = "a.Quiet",
				      .method = "f",
				      .descriptor = "()V" };
	rows[1] = (struct probe_row){ .class_name = "a.Busy",
				      .method = "g",
				      .descriptor = "(JLjava/lang/String;)V",
				      .loader = "b.Loader" };
	rows[1].counts = (struct probe_counts){
		.calls = 4,
		.thrown = 2,
		.sum_ns = 40,
		.max_ns = 20,
		.exceptions = { { "x.Bad", 1 }, { NULL, 1 } },
		.exception_count = 2,
	};
	rows[1].counts.buckets[3] = 3;
	rows[1].counts.buckets[5] = 1;
}

static struct probe_report make_report(struct probe_row *rows,
				       enum probe_detail detail)
{
	struct probe_report r = {
		.detail = detail,
		.source = "agent",
		.pid = 7,
		.time_ns = SECOND,
		.duration_ns = 2 * SECOND,
		.is_final = true,
		.rows = rows,
		.count = 2,
	};

	make_rows(rows);
	probe_report_sort(&r);
	return r;
}

static void text_has_percentiles_exceptions_and_bars(void **state)
{
	struct probe_row rows[2];
	struct probe_report r = make_report(rows, PROBE_TIMED);
	struct text out = { 0 };

	(void)state;
	r.has_histogram = true;
	probe_report_text(&r, &out);
	/* The method with the most time is the first. */
	assert_true(strstr(out.bytes, "a.Busy.g(long, String)") <
		    strstr(out.bytes, "a.Quiet.f()"));
	assert_non_null(strstr(out.bytes, "a.Busy.g(long, String) threw 1 "
					  "x.Bad, 1 others\n"));
	assert_non_null(strstr(out.bytes, "  from    4 ns            3 "
					  "################################"
					  "########\n"
					  "  from    8 ns            0\n"
					  "  from   16 ns            1 "
					  "#############\n"));
	text_release(&out);
}

static void counted_methods_have_no_times(void **state)
{
	struct probe_row rows[2];
	struct probe_report r = make_report(rows, PROBE_COUNTED);
	struct text out = { 0 };

	(void)state;
	rows[0].counts.entered = 5;
	probe_report_text(&r, &out);
	assert_string_equal(out.bytes,
			    "method                  calls  calls/s\n"
			    "a.Busy.g(long, String)      5      2.5\n"
			    "a.Quiet.f()                 0        0\n");
	text_release(&out);
}

static void rows_beyond_the_top_are_counted(void **state)
{
	struct probe_row rows[2];
	struct probe_report r = make_report(rows, PROBE_TIMED);
	struct text out = { 0 };

	(void)state;
	r.top = 1;
	probe_report_text(&r, &out);
	assert_null(strstr(out.bytes, "a.Quiet"));
	assert_non_null(strstr(out.bytes, "and 1 other method ("));
	text_release(&out);
}

static void csv_leaves_unknown_values_empty(void **state)
{
	struct probe_row rows[2];
	struct probe_report r = make_report(rows, PROBE_AVERAGED);
	struct text out = { 0 };

	(void)state;
	rows[0].min_ns = 4;
	probe_report_csv(&r, &out);
	assert_string_equal(
		strchr(out.bytes, '\n'),
		"\na.Busy,g,\"(long, java.lang.String)\",4,2.000,,10,4,,,,20\n"
		"a.Quiet,f,(),0,0.000,,,,,,,\n");
	text_release(&out);
}

static void json_has_buckets_and_exceptions(void **state)
{
	struct probe_row rows[2];
	struct probe_report r = make_report(rows, PROBE_TIMED);
	struct text out = { 0 };
	struct json j;

	(void)state;
	r.count = 1;
	j = probe_report_json(&r, &out);
	json_close_object(&j);
	assert_string_equal(
		out.bytes,
		"{\"schema\":\"sjkc.probe/1\",\"type\":\"totals\",\"pid\":7,"
		"\"namespace\":null,\"pod\":null,\"container\":null,"
		"\"time\":1,\"duration_s\":2,\"source\":\"agent\",\"methods\":"
		"[{\"class\":\"a.Busy\",\"method\":\"g\",\"descriptor\":"
		"\"(JLjava/lang/String;)V\",\"loader\":\"b.Loader\","
		"\"calls\":4,\"calls_per_s\":2,\"errors\":2,\"average_ns\":10,"
		"\"min_ns\":null,\"p50_estimated_ns\":6,\"p95_estimated_ns\":"
		"20,\"p99_estimated_ns\":20,\"max_ns\":20,\"exceptions\":["
		"{\"class\":\"x.Bad\",\"count\":1},{\"class\":null,\"count\":"
		"1}],\"buckets\":[{\"from_ns\":4,\"below_ns\":8,\"calls\":3},"
		"{\"from_ns\":16,\"below_ns\":32,\"calls\":1}]}]}");
	text_release(&out);
}

static void foreign_names_are_made_safe(void **state)
{
	const struct probe_row row = { .class_name = "a\033[2J",
				       .method = "f\n",
				       .descriptor = "broken" };
	struct text out = { 0 };

	(void)state;
	probe_row_name(&row, &out);
	assert_null(strchr(out.bytes, '\033'));
	assert_null(strchr(out.bytes, '\n'));
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_percentiles_exceptions_and_bars),
		cmocka_unit_test(counted_methods_have_no_times),
		cmocka_unit_test(rows_beyond_the_top_are_counted),
		cmocka_unit_test(csv_leaves_unknown_values_empty),
		cmocka_unit_test(json_has_buckets_and_exceptions),
		cmocka_unit_test(foreign_names_are_made_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
