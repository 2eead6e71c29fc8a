/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which threads wait for the lock of the stream, and what they count. */
/*
 * clang-format off: the test program also contains the agent's own functions.
 */
#define stream_open          test_locked_stream_open
#define stream_orders        test_locked_stream_orders
#define stream_is_watched    test_locked_stream_is_watched
#define stream_add           test_locked_stream_add
#define stream_lose          test_locked_stream_lose
#define stream_delay         test_locked_stream_delay
#define stream_cut           test_locked_stream_cut
#define stream_losses        test_locked_stream_losses
#define stream_report        test_locked_stream_report
#define stream_report_probes test_locked_stream_report_probes
#define stream_report_busy   test_locked_stream_report_busy
#define stream_close         test_locked_stream_close
#define system_try           test_locked_stream_system_try
#define system_wait          test_locked_stream_system_wait
/* clang-format on */
#include "jvmti/agent/agent_stream.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* Whether the lock is held for 200 us, and for a second. */
static bool is_held_shortly, is_held_long;

bool system_try(int *lock)
{
	(void)lock;
	return !is_held_shortly && !is_held_long;
}

bool system_wait(int *lock)
{
	(void)lock;
	return !is_held_long;
}

static int begin(void **state)
{
	static char path[32];
	int fd;

	snprintf(path, sizeof(path), "/tmp/stream.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || ftruncate(fd, AGENT_HEADER) < 0 || stream_open(path))
		return -1;
	unlink(path);
	*state = (void *)(intptr_t)fd;
	is_held_shortly = is_held_long = false;
	return 0;
}

static int end(void **state)
{
	is_held_shortly = is_held_long = false;
	close((int)(intptr_t)*state);
	return stream_close() ? 0 : -1;
}

static struct agent_report report_of(void **state)
{
	struct agent_report r = { 0 };

	stream_report(AGENT_RUNS, AGENT_AT_NOTHING, 0, 0, NULL);
	assert_int_equal(
		pread((int)(intptr_t)*state, &r, sizeof(r), AGENT_REPORT_AT),
		sizeof(r));
	return r;
}

static void compiled_code_waits_while_the_holder_is_preempted(void **state)
{
	struct agent_report r;

	is_held_shortly = true;
	assert_true(stream_add("load", 4, STREAM_LOADS, 1, true));
	is_held_shortly = false;
	r = report_of(state);
	assert_int_equal(r.loads, 1);
	assert_int_equal(r.methods, 1);
	assert_int_equal(r.produced, 4);
	assert_int_equal(r.delayed, 0);
}

static void thread_in_a_probed_method_does_not_wait(void **state)
{
	struct agent_report r;

	is_held_shortly = true;
	assert_false(stream_add("call", 4, STREAM_PROBES, 0, true));
	is_held_shortly = false;
	r = report_of(state);
	assert_int_equal(r.produced, 0);
	assert_int_equal(r.delayed, 1);
	assert_int_equal(r.lost, 0);
}

static void losses_by_delays_and_by_space_are_counted_apart(void **state)
{
	struct agent_report r;

	is_held_long = true;
	assert_false(stream_add("load", 4, STREAM_LOADS, 2, true));
	is_held_long = false;
	stream_delay();
	stream_lose();
	assert_int_equal(stream_losses(), 5);
	r = report_of(state);
	assert_int_equal(r.delayed, 4);
	assert_int_equal(r.lost, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			compiled_code_waits_while_the_holder_is_preempted,
			begin, end),
		cmocka_unit_test_setup_teardown(
			thread_in_a_probed_method_does_not_wait, begin, end),
		cmocka_unit_test_setup_teardown(
			losses_by_delays_and_by_space_are_counted_apart, begin,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
