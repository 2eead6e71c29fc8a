/* SPDX-License-Identifier: Apache-2.0 */
/* What the growth of several intervals means, and the document about it. */
#include "core/base/clock.h"
#include "core/mem/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)

enum { HOUR_S = 3600, INTERVAL_S = 10 };

static struct mem_trend trend;

static int begin(void **state)
{
	(void)state;
	trend = (struct mem_trend){ 0 };
	return 0;
}

/* Adds an interval of 10 s that ends when the JVM has run for uptime_s. */
static void grow(int64_t bytes, unsigned uptime_s)
{
	const struct mem_growth g = {
		.seconds = INTERVAL_S,
		.uptime_ns = uptime_s * (uint64_t)CLOCK_NS_PER_S,
		.in_use = bytes,
		.has_blocks = true,
	};

	mem_trend_add(&trend, &g);
}

static void grow_steadily(unsigned intervals, unsigned uptime_s)
{
	for (unsigned i = 0; i < intervals; i++)
		grow(3 * MIB, uptime_s + INTERVAL_S * i);
}

static void assert_course(enum mem_course expected)
{
	assert_int_equal(mem_trend_course(&trend), expected);
}

static void steady_growth_of_an_old_jvm_is_a_leak(void **state)
{
	(void)state;
	assert_course(MEM_UNCLEAR);
	grow_steadily(2, HOUR_S);
	assert_course(MEM_UNCLEAR);
	grow_steadily(1, HOUR_S + 20);
	assert_course(MEM_LEAKS);
	assert_int_equal(trend.grown, 3);
	grow_steadily(20, HOUR_S + 30);
	assert_course(MEM_LEAKS);
	assert_int_equal(trend.grown, 23);
}

static void uneven_growth_is_a_leak(void **state)
{
	(void)state;
	grow(3 * MIB, HOUR_S);
	grow(2 * MIB, HOUR_S + 10);
	grow(4 * MIB, HOUR_S + 20);
	grow(2 * MIB, HOUR_S + 30);
	assert_course(MEM_LEAKS);
}

static void growth_while_the_jvm_is_young_is_no_leak(void **state)
{
	(void)state;
	grow_steadily(12, 20);
	assert_course(MEM_WARMS_UP);
	assert_int_equal(trend.grown, 12);
	/* An interval that began in the first 5 minutes. */
	trend = (struct mem_trend){ 0 };
	grow_steadily(3, 5 * 60 - 5);
	assert_course(MEM_WARMS_UP);
}

static void growth_after_the_warm_up_counts_alone(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		grow(100 * MIB, 60 + INTERVAL_S * i);
	assert_course(MEM_WARMS_UP);
	grow_steadily(3, HOUR_S);
	assert_course(MEM_LEAKS);
}

static void growth_of_unknown_age_is_judged(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		grow(3 * MIB, 0);
	assert_course(MEM_LEAKS);
}

static void growth_that_declines_is_no_leak(void **state)
{
	static const int64_t falling[] = { 90, 80, 70 };
	static const int64_t halved[] = { 10, 12, 9, 5, 4, 6 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		grow(falling[i] * MIB, HOUR_S + INTERVAL_S * i);
	assert_course(MEM_SETTLES);
	trend = (struct mem_trend){ 0 };
	for (unsigned i = 0; i < 6; i++)
		grow(halved[i] * MIB, HOUR_S + INTERVAL_S * i);
	assert_course(MEM_SETTLES);
	/* What stays is a leak, when the decline is past. */
	grow_steadily(MEM_TREND, 2 * HOUR_S);
	assert_course(MEM_LEAKS);
}

static void interval_without_growth_begins_again(void **state)
{
	(void)state;
	grow_steadily(5, HOUR_S);
	grow(0, HOUR_S + 60);
	assert_course(MEM_UNCLEAR);
	grow_steadily(2, HOUR_S + 70);
	assert_course(MEM_UNCLEAR);
	grow(-3 * MIB, HOUR_S + 90);
	assert_int_equal(trend.grown, 0);
}

static void few_bytes_are_no_leak(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++)
		grow(400, HOUR_S + INTERVAL_S * i);
	assert_course(MEM_UNCLEAR);
}

static void account_that_ended_early_is_not_compared(void **state)
{
	struct malloc_arena arena = { .resident = 100 * (uint64_t)MIB,
				      .in_use = 100 * (uint64_t)MIB };
	struct malloc_arena cut = { .resident = 100 * (uint64_t)MIB,
				    .in_use = 60 * (uint64_t)MIB,
				    .unwalked = 40 * (uint64_t)MIB };
	struct malloc_size size = { .size = 64, .blocks = 5 };
	struct mem_account before = { .glibc = { .arenas = &arena,
						 .arena_count = 1,
						 .sizes = &size,
						 .size_count = 1 } };
	struct mem_account after = before;
	struct mem_growth g;

	(void)state;
	mem_growth_of(&g, &before, &after);
	assert_true(g.has_blocks);
	after.glibc.arenas = &cut;
	mem_growth_of(&g, &before, &after);
	assert_false(g.has_blocks);
	assert_int_equal(g.in_use, 0);
	/* The trend goes on with the next interval. */
	grow_steadily(2, HOUR_S);
	mem_trend_add(&trend, &g);
	grow_steadily(1, HOUR_S + 30);
	assert_course(MEM_LEAKS);
}

static void assert_has(const struct text *json, const char *member)
{
	if (!strstr(json->bytes, member))
		fail_msg("no %s in %s", member, json->bytes);
}

static void document_has_what_grew(void **state)
{
	struct mem_growth g = {
		.pid = 4711,
		.wall_ns = INT64_C(1790000000123456789),
		.seconds = 2.5,
		.rss = -5,
		.in_use = 9,
		.has_blocks = true,
		.blocks = -2,
		.sizes = { { 32784, 600 } },
		.size_count = 1,
		.kinds = { { "threads", 3, false } },
		.kind_count = 1,
	};
	struct text json = { 0 };

	(void)state;
	g.parts[MEM_METASPACE] = -7;
	grow_steadily(3, HOUR_S);
	mem_growth_add_json(&json, &g, "watch", &trend);
	assert_has(&json, "{\"schema\":\"sjkc.mem-growth/1\",\"pid\":4711,"
			  "\"time_ns\":1790000000123456789,\"uptime_ns\":null,"
			  "\"of\":\"watch\",\"interval_s\":2.5,"
			  "\"rss_bytes\":-5,");
	assert_has(&json, "{\"name\":\"metaspace\",\"resident_bytes\":-7}");
	assert_has(&json, "\"in_use_bytes\":9,\"blocks\":-2,"
			  "\"sizes\":[{\"size_bytes\":32784,\"blocks\":600}],"
			  "\"kinds\":[{\"name\":\"threads\",\"count\":3,"
			  "\"is_guess\":false}],\"course\":\"leak\"}\n");
	text_clear(&json);
	g.has_blocks = false;
	mem_growth_add_json(&json, &g, "interval", NULL);
	assert_has(&json, "\"course\":null}\n");
	assert_null(strstr(json.bytes, "in_use_bytes"));
	text_release(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(steady_growth_of_an_old_jvm_is_a_leak,
				       begin),
		cmocka_unit_test_setup(uneven_growth_is_a_leak, begin),
		cmocka_unit_test_setup(growth_while_the_jvm_is_young_is_no_leak,
				       begin),
		cmocka_unit_test_setup(growth_after_the_warm_up_counts_alone,
				       begin),
		cmocka_unit_test_setup(growth_of_unknown_age_is_judged, begin),
		cmocka_unit_test_setup(growth_that_declines_is_no_leak, begin),
		cmocka_unit_test_setup(interval_without_growth_begins_again,
				       begin),
		cmocka_unit_test_setup(few_bytes_are_no_leak, begin),
		cmocka_unit_test_setup(account_that_ended_early_is_not_compared,
				       begin),
		cmocka_unit_test_setup(document_has_what_grew, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
