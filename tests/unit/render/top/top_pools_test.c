/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/pool_name.h"
#include "render/top/top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_name(const char *name, const char *expected)
{
	struct text got = { 0 };

	pool_name(&got, name);
	assert_string_equal(got.len ? got.bytes : "", expected);
	text_release(&got);
}

static void pool_names_replace_numbers_and_uuids(void **state)
{
	(void)state;
	assert_name("pool-12-thread-3", "pool-*-thread-*");
	assert_name("GC Thread#0", "GC Thread#*");
	assert_name("main", "main");
	assert_name("", "");
	assert_name("42", "*");
	assert_name("call-0f8fad5b-d9cb-469f-a165-70867728950e-in",
		    "call-*-in");
	assert_name("0f8fad5b-d9cb-469f-a165-70867728950", "*f*fad*b-d*cb-*f-"
							   "a*-*");
}

enum { ROWS = 4 };

static struct thread_sample samples[ROWS] = {
	{ .name = "w-1", .tid = 1, .kind = THREAD_JAVA, .state = RUN_WAITING },
	{ .name = "solo", .tid = 2, .kind = THREAD_JAVA },
	{ .name = "w-2",
	  .tid = 3,
	  .kind = THREAD_JAVA,
	  .state = RUN_RUNNABLE,
	  .alloc_is_coarse = true },
	{ .name = "w-3", .tid = 4, .kind = THREAD_JAVA, .state = RUN_RUNNABLE },
};

static struct thread_row rows[ROWS];

static void make_rows(void)
{
	static const double cpu[ROWS] = { 0.5, 0.4, 0.25, NAN };

	for (size_t i = 0; i < ROWS; i++) {
		rows[i].thread = &samples[i];
		for (size_t c = 0; c < THREAD_COUNTERS; c++) {
			rows[i].rates[c] = NAN;
			samples[i].counters[c] = COUNTER_ABSENT;
		}
		rows[i].rates[THREAD_CPU] = cpu[i];
	}
	samples[0].counters[THREAD_CPU] = 7;
	samples[2].counters[THREAD_CPU] = 5;
}

static struct top_order by(const char *keys)
{
	struct top_order order = { 0 };
	struct error err;

	assert_int_equal(top_order_parse(keys, &order, &err), 0);
	return order;
}

static void pool_row_is_the_sum_of_its_threads(void **state)
{
	const struct top_order order = by("CPU");
	struct top_pools p = { 0 };

	(void)state;
	make_rows();
	assert_int_equal(top_pools_group(&p, rows, ROWS, &order), 2);
	assert_int_equal(p.lines[0].kind, LINE_POOL);
	assert_int_equal(p.lines[0].members, 3);
	assert_string_equal(p.lines[0].row->thread->name, "w-*");
	assert_true(p.lines[0].row->rates[THREAD_CPU] == 0.75);
	assert_true(isnan(p.lines[0].row->rates[THREAD_ALLOC]));
	assert_int_equal(p.lines[0].row->thread->counters[THREAD_CPU], 12);
	assert_int_equal(p.lines[0].row->thread->counters[THREAD_ALLOC],
			 COUNTER_ABSENT);
	assert_true(p.lines[0].row->thread->alloc_is_coarse);
	assert_int_equal(p.lines[0].row->thread->state, RUN_RUNNABLE);
	assert_int_equal(p.lines[0].row->in_state, 2);
	assert_int_equal(p.lines[1].kind, LINE_THREAD);
	assert_ptr_equal(p.lines[1].row, &rows[1]);
	top_pools_release(&p);
}

static void open_pool_lists_its_threads(void **state)
{
	const struct top_order order = by("NAME");
	struct top_pools p = { 0 };
	uint32_t pool;

	(void)state;
	make_rows();
	top_pools_group(&p, rows, ROWS, &order);
	assert_int_equal(p.lines[1].kind, LINE_POOL); /* after "solo" */
	pool = p.lines[1].pool;
	top_pools_open(&p, pool, true);
	assert_int_equal(top_pools_group(&p, rows, ROWS, &order), 5);
	assert_true(p.lines[1].is_open);
	assert_int_equal(p.lines[2].kind, LINE_MEMBER);
	assert_ptr_equal(p.lines[4].row, &rows[3]);
	top_pools_open_all(&p, false);
	assert_int_equal(top_pools_group(&p, rows, ROWS, &order), 2);
	top_pools_open_all(&p, true);
	assert_int_equal(top_pools_group(&p, rows, ROWS, &order), 5);
	assert_int_equal(top_pools_group(&p, rows, 0, &order), 0);
	top_pools_release(&p);
}

/* Unique thread names must not accumulate over days. */
static void names_of_ended_threads_are_dropped(void **state)
{
	const struct top_order order = by("CPU");
	struct top_pools p = { 0 };
	char name[] = "aaaa";

	(void)state;
	make_rows();
	for (unsigned i = 0; i < 26 * 26 * 26 * 3; i++) {
		name[0] = (char)('a' + i % 26);
		name[1] = (char)('a' + i / 26 % 26);
		name[2] = (char)('a' + i / 26 / 26 % 26);
		name[3] = (char)('a' + i / 26 / 26 / 26);
		samples[1].name = name;
		assert_int_equal(top_pools_group(&p, rows, ROWS, &order), 2);
	}
	assert_true(p.names.count < 25000);
	samples[1].name = "solo";
	top_pools_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_names_replace_numbers_and_uuids),
		cmocka_unit_test(pool_row_is_the_sum_of_its_threads),
		cmocka_unit_test(open_pool_lists_its_threads),
		cmocka_unit_test(names_of_ended_threads_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
