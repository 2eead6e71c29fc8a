/* SPDX-License-Identifier: Apache-2.0 */
/* The process beside the JVM that uses most CPU time, of made readings. */
#include "core/base/clock.h"
#include "core/diagnosis/trends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

enum { JVM = 4711, BUSY = 815, OTHER = 900, SECONDS = 15 };

/* Readings of these processes, the second some seconds after the first. */
static struct busy_time times[2][3];
static struct busy_processes then, now;

static int setup(void **state)
{
	uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		times[i][0] = (struct busy_time){ BUSY, 100, 50 + i * second,
						  "burn" };
		times[i][1] = (struct busy_time){ OTHER, 100, 90 * second,
						  "idle" };
		times[i][2] = (struct busy_time){ JVM, 100, 99 * i * second,
						  "java" };
	}
	/* The time before the first reading counts for nothing. */
	then = (struct busy_processes){ .all = times[0],
					.count = 3,
					.at_ns = 100 * CLOCK_NS_PER_S };
	now = (struct busy_processes){
		.all = times[1],
		.count = 3,
		.at_ns = (100 + SECONDS) * CLOCK_NS_PER_S,
	};
	return 0;
}

static struct busy_process compare(void)
{
	return busy_processes_compare(&then, &now, JVM);
}

static void cores_are_of_the_whole_time(void **state)
{
	uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	assert_int_equal(compare().pid, BUSY);
	assert_string_equal(compare().name, "burn");
	assert_float_equal(compare().cores, 1.0 / SECONDS, 1e-9);
	/* One and a half of the CPUs, all the time. */
	times[1][0].ticks = 50 + second * SECONDS * 3 / 2;
	assert_float_equal(compare().cores, 1.5, 1e-9);
	/* A later reading of the same time divides by the longer time. */
	now.at_ns += SECONDS * CLOCK_NS_PER_S;
	assert_float_equal(compare().cores, 0.75, 1e-9);
}

static void new_process_with_an_old_pid_counts_from_its_start(void **state)
{
	uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	times[1][1].start_ticks++;
	times[1][1].ticks = 3 * second;
	assert_int_equal(compare().pid, OTHER);
	assert_float_equal(compare().cores, 3.0 / SECONDS, 1e-9);
	/* Of the first reading, the process may be missing. */
	then.count = 0;
	times[1][0].ticks = 6 * second;
	assert_int_equal(compare().pid, BUSY);
	assert_float_equal(compare().cores, 6.0 / SECONDS, 1e-9);
}

static void idle_processes_are_no_neighbor(void **state)
{
	(void)state;
	times[1][0].ticks = times[0][0].ticks;
	assert_int_equal(compare().pid, 0);
	assert_float_equal(compare().cores, 0, 0);
	/* A clock that stands still divides by nothing. */
	times[1][0].ticks += 5;
	now.at_ns = then.at_ns;
	assert_int_equal(compare().pid, BUSY);
	assert_float_equal(compare().cores, 0, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cores_are_of_the_whole_time),
		TEST(new_process_with_an_old_pid_counts_from_its_start),
		TEST(idle_processes_are_no_neighbor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
