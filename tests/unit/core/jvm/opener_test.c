/* SPDX-License-Identifier: Apache-2.0 */
/* Targets whose file systems do not respond, or respond slowly. */
#include "core/jvm/opener.c"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned reports;

static void count_report(const struct jvm *jvm)
{
	(void)jvm;
	reports++;
}

static int nothing_job(const struct jvm *jvm, void *argument, struct error *err)
{
	(void)jvm;
	(void)argument;
	(void)err;
	return CHILD_NOTHING;
}

static int slow_job(const struct jvm *jvm, void *argument, struct error *err)
{
	clock_sleep_until(clock_monotonic_ns() + 2 * IGNORED_NS);
	return nothing_job(jvm, argument, err);
}

static int run(const struct jvm *jvm, uint64_t place, opener_job *job)
{
	struct opening o = { .jvm = jvm, .job = job, .place = place };
	struct error err = { 0 };
	int ret = opener_run(&o, &err);

	assert_true(ret == CHILD_NOTHING || err.sys == ETIMEDOUT);
	return ret;
}

static int reset(void **state)
{
	(void)state;
	opener_end();
	opener.stalled_count = 0;
	opener.has_slow = false;
	memset(opener.slow, 0, sizeof(opener.slow));
	reports = 0;
	opener_on_stall(count_report);
	return 0;
}

static void stall(const struct jvm *jvm, uint64_t place, int64_t until_ns,
		  pid_t stuck)
{
	uint64_t target = stalled_target(jvm);

	opener.stalled[opener.stalled_count++] = (struct stalled){
		stalled_owner(jvm, target),
		target,
		place,
		until_ns,
		stuck,
		false
	};
}

static int waits_job(void *self, int channel, struct error *err)
{
	char word;

	(void)self;
	(void)err;
	alarm(60);
	child_hear(channel, INT64_MAX, &word);
	return CHILD_NOTHING;
}

static void file_system_is_avoided_while_a_child_waits_for_it(void **state)
{
	const struct jvm jvm = { .pid = getpid(), .start_ticks = 1 };
	struct child blocked;
	struct error err;

	(void)state;
	assert_int_equal(child_start(&blocked, NULL, waits_job, NULL, &err), 0);
	stall(&jvm, OPENER_TMP, 1, blocked.pid); /* long ago */
	assert_int_equal(run(&jvm, OPENER_TMP, nothing_job), -1);
	assert_int_equal(opener.stalled_count, 1);
	assert_true(child_end(&blocked, 0));
	assert_int_equal(run(&jvm, OPENER_TMP, nothing_job), CHILD_NOTHING);
	assert_int_equal(opener.stalled_count, 0);
}

/* The processes of a user are of one owner; see the live test for containers.
 */
static void owner_with_many_stalls_leaves_requests_of_others(void **state)
{
	const struct jvm jvm = { .pid = getpid(), .start_ticks = 1, .uid = 7 };
	const struct jvm more = { .pid = getpid(), .start_ticks = 3, .uid = 7 };
	const struct jvm other = { .pid = getpid(), .start_ticks = 2 };
	uint64_t place = 0;

	(void)state;
	while (place + 1 < STALLED_OF_OWNER)
		stall(&jvm, place++, INT64_MAX, 0);
	assert_int_equal(run(&jvm, place, nothing_job), CHILD_NOTHING);
	stall(&jvm, place++, INT64_MAX, 0);
	assert_int_equal(run(&jvm, place, nothing_job), -1);
	assert_int_equal(run(&more, place, nothing_job), -1);
	assert_int_equal(run(&other, 0, nothing_job), CHILD_NOTHING);
}

static void slow_file_systems_of_an_owner_have_a_limit_in_all(void **state)
{
	const struct jvm jvm = { .pid = getpid(), .start_ticks = 1 };
	const struct jvm other = { .pid = getpid(), .start_ticks = 2 };

	(void)state;
	assert_int_equal(run(&jvm, 0, nothing_job), CHILD_NOTHING);
	assert_int_equal(run(&jvm, 1, slow_job), CHILD_NOTHING);
	assert_true(opener.has_slow);
	assert_int_equal(slow_find(stalled_target(&jvm))->owner,
			 stalled_target(&jvm));
	slow_find(stalled_target(&jvm))->blocked_ns = BLOCKED_NS - IGNORED_NS;
	assert_int_equal(reports, 0);
	assert_int_equal(run(&jvm, 2, slow_job), CHILD_NOTHING);
	assert_int_equal(reports, 1);
	assert_int_equal(run(&jvm, 3, nothing_job), -1);
	assert_int_equal(run(&other, 3, nothing_job), CHILD_NOTHING);
	slow_find(stalled_target(&jvm))->until_ns = 1; /* a minute later */
	assert_int_equal(run(&jvm, 3, nothing_job), CHILD_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			file_system_is_avoided_while_a_child_waits_for_it,
			reset),
		cmocka_unit_test_setup(
			owner_with_many_stalls_leaves_requests_of_others,
			reset),
		cmocka_unit_test_setup(
			slow_file_systems_of_an_owner_have_a_limit_in_all,
			reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
