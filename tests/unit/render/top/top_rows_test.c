/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/top_rows.h"

#include "tests/unit/top_samples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *name;
	pid_t tid;
	double cpu, alloc;
	enum thread_kind kind;
	bool is_new;
} made[] = {
	{ "delta", 104, 0.1, 500, THREAD_JAVA, false },
	{ "alpha", 103, 0.3, 0, THREAD_JAVA, false },
	{ "GC Thread#0", 102, 0.1, NAN, THREAD_GC, false },
	{ "charly", 101, NAN, NAN, THREAD_JAVA, true },
	{ "bravo", 105, 0, 700, THREAD_JAVA, false },
};

enum { MADE = sizeof(made) / sizeof(*made) };

static struct thread_sample threads[MADE];
static struct thread_row rows[MADE];

static struct top_rates all_rows(void)
{
	for (size_t i = 0; i < MADE; i++) {
		threads[i] = (struct thread_sample){
			.tid = made[i].tid,
			.java_id = 200 - made[i].tid,
			.name = made[i].name,
			.kind = made[i].kind,
		};
		rows[i] = (struct thread_row){
			.thread = &threads[i],
			.is_new = made[i].is_new,
		};
		for (size_t c = 0; c < THREAD_COUNTERS; c++)
			rows[i].rates[c] = NAN;
		rows[i].rates[THREAD_CPU] = made[i].cpu;
		rows[i].rates[THREAD_ALLOC] = made[i].alloc;
		rows[i].rates[THREAD_VOLUNTARY] = (double)i;
		rows[i].rates[THREAD_INVOLUNTARY] = 1;
	}
	return (struct top_rates){ .rows = rows, .row_count = MADE };
}

/* Returns the names of the selected rows, separated by spaces. */
static void check(const char *keys, struct top_filter filter,
		  const char *wanted)
{
	struct top_rates rates = all_rows();
	struct top_order order = { 0 };
	struct text got = { 0 };
	struct error err;
	size_t count;

	if (keys)
		assert_int_equal(top_order_parse(keys, &order, &err), 0);
	count = top_rows_select(&rates, &filter, &order);
	for (size_t i = 0; i < count; i++)
		text_printf(&got, "%s%s", i ? " " : "",
			    rates.rows[i].thread->name);
	assert_string_equal(got.bytes ? got.bytes : "", wanted);
	text_release(&got);
}

static const struct top_filter everything;

static void rates_sort_largest_first_and_unavailable_last(void **state)
{
	(void)state;
	check("CPU", everything, "alpha GC Thread#0 delta bravo charly");
	check("-CPU", everything, "bravo GC Thread#0 delta alpha charly");
	check("alloc", everything, "bravo delta alpha charly GC Thread#0");
	check("CSW", everything, "bravo charly GC Thread#0 alpha delta");
}

static void further_keys_break_ties(void **state)
{
	(void)state;
	check("CPU,ALLOC", everything, "alpha delta GC Thread#0 bravo charly");
	check("CPU,NAME", everything, "alpha GC Thread#0 delta bravo charly");
	check("CPU , -NAME", everything,
	      "alpha delta GC Thread#0 bravo charly");
}

static void names_sort_alphabetically(void **state)
{
	(void)state;
	check("NAME", everything, "GC Thread#0 alpha bravo charly delta");
	check("-name", everything, "delta charly bravo alpha GC Thread#0");
	check("ID", everything, "bravo delta alpha GC Thread#0 charly");
	check("TID", everything, "charly GC Thread#0 alpha delta bravo");
	check("KIND,NAME", everything, "alpha bravo charly delta GC Thread#0");
}

static void rows_without_sort_keys_are_sorted_by_id(void **state)
{
	(void)state;
	check(NULL, everything, "charly GC Thread#0 alpha delta bravo");
	check("RUNQ", everything, "charly GC Thread#0 alpha delta bravo");
}

static void unknown_sort_key_is_reported(void **state)
{
	static const char *const wrong[] = { "",     "CPU,",  "CP",
					     "CPUS", "--CPU", "CPU;USER" };
	struct top_order order = { 0 };
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(top_order_parse(wrong[i], &order, &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
		assert_non_null(
			strstr(err.text, "CPU, USER, SYS, ALLOC, NAME,"));
	}
	order.count = 0;
	for (int i = 0; i < TOP_ORDER_MAX; i++)
		assert_int_equal(top_order_parse("CPU", &order, &err), 0);
	assert_int_equal(top_order_parse("CPU", &order, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
}

static void rows_must_pass_all_filters(void **state)
{
	struct error err;
	struct pattern *a = pattern_new("a$", &err);

	(void)state;
	check("NAME", (struct top_filter){ .glob = "*a*" },
	      "GC Thread#0 alpha bravo charly delta");
	check("NAME", (struct top_filter){ .glob = "?????" },
	      "alpha bravo delta");
	check("NAME", (struct top_filter){ .pattern = a }, "alpha delta");
	check("NAME", (struct top_filter){ .pattern = a, .glob = "d*" },
	      "delta");
	check("NAME", (struct top_filter){ .java_only = true },
	      "alpha bravo charly delta");
	check("NAME", (struct top_filter){ .hide_idle = true },
	      "GC Thread#0 alpha charly delta");
	check("NAME", (struct top_filter){ .glob = "none" }, "");
	pattern_free(a);
}

static void glob_matches_the_whole_name(void **state)
{
	static const struct {
		const char *glob, *name;
		bool matches;
	} cases[] = {
		{ "", "", true },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "", "a", false },
		{ "?", "", false },
		{ "main", "main", true },
		{ "main", "Main", false },
		{ "main", "main2", false },
		{ "pool-*-thread-*", "pool-1-thread-22", true },
		{ "pool-*-thread-*", "pool-1-worker-22", false },
		{ "*-1", "a-1-1", true },
		{ "*a*b*c", "xxaxxbxxbxc", true },
		{ "*a*b*c", "xxaxxbxxbx", false },
		{ "a?c", "abc", true },
		{ "a?c",
		  "a\xc3\xa4"
		  "c",
		  true }, /* a two-byte character */
		{ "??", "\xc3\xa4", false },
		{ "[a]", "a", false },
		{ "[a]", "[a]", true },
		{ "a\\*", "a\\b", true },
	};
	static char long_name[20001];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(top_glob_matches(cases[i].glob, cases[i].name),
				 cases[i].matches);
	/* Takes exponential time if every star tries every position. */
	memset(long_name, 'a', 20000);
	assert_false(top_glob_matches("*a*a*a*a*a*a*a*a*a*a*b", long_name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_sort_largest_first_and_unavailable_last),
		cmocka_unit_test(further_keys_break_ties),
		cmocka_unit_test(names_sort_alphabetically),
		cmocka_unit_test(rows_without_sort_keys_are_sorted_by_id),
		cmocka_unit_test(unknown_sort_key_is_reported),
		cmocka_unit_test(rows_must_pass_all_filters),
		cmocka_unit_test(glob_matches_the_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
