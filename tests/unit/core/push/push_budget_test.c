/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/clock.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WINDOW_NS (30 * CLOCK_NS_PER_S)

struct session {
	struct push_budget budget;
	int64_t cpu_ns, time_ns;
};

static struct session begin(uint64_t wanted_hz)
{
	return (struct session){
		.budget = { .limit_percent = 1, .wanted_hz = wanted_hz },
	};
}

/* Ends a window that used so many percent of a core. */
static uint64_t window(struct session *s, double percent)
{
	s->time_ns += WINDOW_NS;
	s->cpu_ns += (int64_t)(percent / 100 * WINDOW_NS);
	return push_budget_next(&s->budget, s->cpu_ns, s->time_ns);
}

static void frequency_falls_to_5_hz_while_over_the_limit(void **state)
{
	struct session s = begin(19);

	(void)state;
	/* The costs of the start do not recur. */
	assert_int_equal(window(&s, 50), 19);
	assert_int_equal(window(&s, 0.99), 19);
	assert_int_equal(window(&s, 1.01), 11);
	assert_int_equal(window(&s, 1.5), 7);
	assert_int_equal(window(&s, 1.5), 5);
	assert_false(s.budget.is_at_least);
	assert_int_equal(window(&s, 1.5), 5);
	assert_true(s.budget.is_at_least);
}

/* A pause costs little, and its end lasts no whole window. */
static void costs_of_a_pause_are_skipped(void **state)
{
	struct session s = begin(19);

	(void)state;
	window(&s, 0);
	s.time_ns += WINDOW_NS;
	push_budget_skip(&s.budget, s.cpu_ns, s.time_ns);
	assert_int_equal(window(&s, 1.01), 11);
	assert_true(s.budget.percent > 1);
}

static void frequency_rises_after_five_quiet_windows(void **state)
{
	struct session s = begin(19);

	(void)state;
	window(&s, 0);
	window(&s, 2);
	assert_int_equal(window(&s, 2), 7);
	for (int i = 0; i < 4; i++)
		assert_int_equal(window(&s, 0.1), 7);
	/* At 11 Hz, this window would have been over the limit. */
	assert_int_equal(window(&s, 0.9), 7);
	for (int i = 0; i < 4; i++)
		assert_int_equal(window(&s, 0.1), 7);
	assert_int_equal(window(&s, 0.1), 11);
	for (int i = 0; i < 4; i++)
		assert_int_equal(window(&s, 0.1), 11);
	assert_int_equal(window(&s, 0.1), 19);
	for (int i = 0; i < 9; i++)
		assert_int_equal(window(&s, 0), 19);
}

static void
being_over_at_the_lowest_frequency_ends_after_quiet_windows(void **state)
{
	struct session s = begin(5);

	(void)state;
	window(&s, 0);
	window(&s, 1.5);
	assert_true(s.budget.is_at_least);
	/* Varying about the limit is one event, not one for each window. */
	for (int i = 0; i < 20; i++) {
		window(&s, i % 5 == 4 ? 1.1 : 0.9);
		assert_true(s.budget.is_at_least);
	}
	for (int i = 0; i < 4; i++)
		window(&s, 0.9);
	assert_true(s.budget.is_at_least);
	window(&s, 0.9);
	assert_false(s.budget.is_at_least);
}

static void other_frequencies_use_the_same_steps(void **state)
{
	struct session s = begin(99);

	(void)state;
	window(&s, 0);
	assert_int_equal(window(&s, 2), 19);
	assert_int_equal(window(&s, 2), 11);
	for (int i = 0; i < 5; i++)
		window(&s, 0);
	assert_int_equal(s.budget.hz, 19);
	for (int i = 0; i < 5; i++)
		window(&s, 0);
	assert_int_equal(s.budget.hz, 99);
	s = begin(3);
	window(&s, 0);
	assert_int_equal(window(&s, 2), 3);
	assert_true(s.budget.is_at_least);
}

static void without_a_limit_nothing_changes(void **state)
{
	struct session s = begin(19);

	(void)state;
	s.budget.limit_percent = 0;
	window(&s, 50);
	assert_int_equal(window(&s, 50), 19);
}

static void limits_are_percent_of_a_core(void **state)
{
	static const char *const wrong[] = { "",  "%",   "-1%", "0",
					     "x", "1%%", "nan", "1 %" };
	struct error err;
	double percent;

	(void)state;
	assert_int_equal(push_budget_parse("--x", "0.5%", &percent, &err), 0);
	assert_true(percent == 0.5);
	assert_int_equal(push_budget_parse("--x", "200", &percent, &err), 0);
	assert_true(percent == 200);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(
			push_budget_parse("--x", wrong[i], &percent, &err), -1);
}

/* A child that uses CPU time and memory, and then waits. */
static pid_t start_user(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *bytes = malloc(16 << 20);
		int64_t from = clock_monotonic_ns();

		alarm(60);
		memset(bytes, 1, 16 << 20);
		while (clock_monotonic_ns() - from < CLOCK_NS_PER_S / 4)
			bytes[from % 4096]++;
		_exit(write(ready[1], bytes, 1) != 1 || pause());
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void usage_includes_children_unless_omitted(void **state)
{
	struct push_usage before = push_usage_read(0), with, without;
	pid_t pid = start_user();

	(void)state;
	with = push_usage_read(0);
	without = push_usage_read(pid);
	assert_true(with.cpu_ns >= without.cpu_ns);
	assert_true(with.cpu_ns > before.cpu_ns);
	assert_true(with.memory_bytes - without.memory_bytes >= 16 << 20);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* The time of children that have ended still counts. */
	assert_true(push_usage_read(0).cpu_ns >= with.cpu_ns);
}

/* Returns how many of 10,000 nodes are sampled in a minute. */
static int count_nodes(int64_t minute, double percent)
{
	int count = 0;

	for (int node = 0; node < 10000; node++) {
		char name[32];

		snprintf(name, sizeof(name), "ip-10-0-%d-%d", node / 256,
			 node % 256);
		count += push_budget_hits(name, minute, percent);
	}
	return count;
}

static void as_many_nodes_are_sampled_in_each_minute(void **state)
{
	(void)state;
	for (int64_t minute = 29000000; minute < 29000060; minute++) {
		/* The standard deviation is 30 and 10. */
		assert_in_range(count_nodes(minute, 10), 850, 1150);
		assert_in_range(count_nodes(minute, 1), 50, 150);
		assert_int_equal(count_nodes(minute, 100), 10000);
	}
}

static void a_node_is_sampled_in_its_share_of_the_minutes(void **state)
{
	int count = 0, in_a_row = 0;

	(void)state;
	for (int64_t minute = 0; minute < 10000; minute++) {
		bool hits = push_budget_hits("node-7", minute, 10);

		count += hits;
		in_a_row += hits && push_budget_hits("node-7", minute + 1, 10);
	}
	assert_in_range(count, 850, 1150);
	/* Minutes are independent: 100 of 10,000 follow another one. */
	assert_in_range(in_a_row, 50, 150);
	/* The choice is the same in each version: fleets mix versions. */
	assert_true(push_budget_hits("node-7", 3, 10));
	assert_false(push_budget_hits("node-7", 3 - 1, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequency_falls_to_5_hz_while_over_the_limit),
		cmocka_unit_test(costs_of_a_pause_are_skipped),
		cmocka_unit_test(frequency_rises_after_five_quiet_windows),
		cmocka_unit_test(
			being_over_at_the_lowest_frequency_ends_after_quiet_windows),
		cmocka_unit_test(other_frequencies_use_the_same_steps),
		cmocka_unit_test(without_a_limit_nothing_changes),
		cmocka_unit_test(limits_are_percent_of_a_core),
		cmocka_unit_test(usage_includes_children_unless_omitted),
		cmocka_unit_test(as_many_nodes_are_sampled_in_each_minute),
		cmocka_unit_test(a_node_is_sampled_in_its_share_of_the_minutes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
