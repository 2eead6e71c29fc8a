/* SPDX-License-Identifier: Apache-2.0 */
/* Tests names and states of threads from the kernel and an older dump. */
#include "core/threads/proc_source.h"
#include "tests/unit/dump_text.h"

#include "core/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The dump was requested at 100 s and arrived 1 s later. */
#define ASKED_NS (100 * CLOCK_NS_PER_S)
#define CAME_NS  (101 * CLOCK_NS_PER_S)

static const char reply[] = START
	"\"sleeper with a long name\" #11 prio=5 allocated=163K tid=0x1 "
	"nid=0x7 runnable\n" SLEEPING RUN "\n"
	"\"bytes\" #12 prio=5 allocated=163B tid=0x1 nid=0x8 runnable\n"
	"   java.lang.Thread.State: RUNNABLE\n" RUN "\n"
	"\"carrier\" #13 [9] prio=5 allocated=1B tid=0x1  [0x2]\n"
	"   Carrying virtual thread #52\n" RUN "\n"
	"\"VM Thread\" os_prio=0 tid=0x1 nid=0xa runnable  \n\n" END;

static struct task_dump dump = {
	.asked_ns = ASKED_NS,
	.came_ns = CAME_NS,
	.leader = 1,
};

static int begin(void **state)
{
	struct thread_names *names = thread_names_new();

	thread_names_read(names, reply, strlen(reply));
	dump.names = names;
	*state = names;
	return 0;
}

static int end(void **state)
{
	thread_names_free(*state);
	return 0;
}

/* A task with that tid and start time. */
static struct task task_of(pid_t tid, uint64_t began_s, char state)
{
	struct task task = {
		.tid = tid + 1000,
		.ns_tid = tid,
		.start_ticks = began_s * (uint64_t)CLOCK_NS_PER_S /
			       task_tick_ns(),
		.comm = "sleeper with a ",
		.state = state,
		.has_schedstat = true,
		.cpu_ns = 5,
		.runq_ns = 6,
		.user_ns = 10000000,
		.sys_ns = 20000000,
	};

	return task;
}

static struct thread_sample sample_of(const struct task *task, bool has_run)
{
	struct thread_sample s;

	task_sample_fill(&s, task, &dump, has_run);
	return s;
}

static void thread_in_the_dump_has_name_and_ids(void **state)
{
	struct task task = task_of(7, 50, 'S');
	struct thread_sample s = sample_of(&task, false);

	(void)state;
	assert_string_equal(s.name, "sleeper with a long name");
	assert_int_equal(s.kind, THREAD_JAVA);
	assert_int_equal(s.java_id, 11);
	assert_int_equal(s.tid, 1007);
	assert_int_equal(s.ns_tid, 7);
	assert_int_equal(s.start, task.start_ticks);
	task = task_of(9, 50, 'S');
	assert_int_equal(sample_of(&task, true).virtual_id, 52);
	task = task_of(10, 50, 'S');
	assert_int_equal(sample_of(&task, true).kind, THREAD_VM);
}

static void reused_tid_has_no_name(void **state)
{
	struct task task = task_of(7, 102, 'S');
	struct thread_sample s = sample_of(&task, false);

	(void)state;
	assert_string_equal(s.name, "sleeper with a ");
	assert_int_equal(s.kind, THREAD_UNKNOWN);
	assert_int_equal(s.java_id, 0);
	assert_int_equal(s.state, RUN_SLEEPING);
	/* Too young for a new dump, then old enough. */
	assert_false(task_sample_is_unnamed(&s, &task, 102 * CLOCK_NS_PER_S));
	assert_true(task_sample_is_unnamed(&s, &task, 103 * CLOCK_NS_PER_S));
}

static void thread_missing_from_a_later_dump_is_native(void **state)
{
	struct task old = task_of(77, 50, 'S');
	struct task young = task_of(77, 100, 'S');
	struct task first = task_of(77, 100, 'S');
	struct task compiler = task_of(77, 102, 'S');
	struct thread_sample s = sample_of(&old, false);

	(void)state;
	assert_int_equal(s.kind, THREAD_NATIVE);
	assert_false(task_sample_is_unnamed(&s, &old, 200 * CLOCK_NS_PER_S));
	assert_int_equal(sample_of(&young, false).kind, THREAD_UNKNOWN);
	first.tid = dump.leader;
	assert_int_equal(sample_of(&first, false).kind, THREAD_NATIVE);
	memcpy(compiler.comm, "C2 CompilerThre", 16);
	assert_int_equal(sample_of(&compiler, false).kind, THREAD_JIT);
}

static void state_is_valid_until_the_thread_runs(void **state)
{
	static const struct {
		pid_t tid;
		char kernel;
		bool has_run;
		enum thread_run_state state;
		bool is_old;
	} cases[] = {
		{ 7, 'S', false, RUN_TIMED_WAITING, false },
		{ 7, 'S', true, RUN_TIMED_WAITING, true },
		{ 7, 'R', true, RUN_RUNNABLE, false },
		{ 7, 'D', true, RUN_DISK, false },
		{ 7, 'T', false, RUN_STOPPED, false },
		{ 7, 't', false, RUN_STOPPED, false },
		{ 9, 'S', false, RUN_SLEEPING,
		  false }, /* no state in the dump */
		{ 9, 'R', true, RUN_RUNNABLE, false },
		{ 10, 'S', false, RUN_SLEEPING,
		  false }, /* a thread of the VM */
		{ 10, 'R', true, RUN_ON_CPU, false },
		{ 77, 'R', true, RUN_ON_CPU, false },
		{ 77, 'x', true, RUN_UNKNOWN, false },
		/* Runnable in the dump, but asleep. */
		{ 8, 'S', false, RUN_IN_NATIVE, false },
		{ 8, 'S', true, RUN_SLEEPING, false },
	};
	struct task reader = task_of(7, 50, 'S');

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct task task = task_of(cases[i].tid, 50, cases[i].kernel);
		struct thread_sample s = sample_of(&task, cases[i].has_run);

		assert_int_equal(s.state, cases[i].state);
		assert_int_equal(s.state_is_old, cases[i].is_old);
	}
	reader.sleeps_in_call = true;
	assert_int_equal(sample_of(&reader, true).state, RUN_IN_NATIVE);
	assert_false(sample_of(&reader, true).state_is_old);
}

static void counters_missing_in_the_kernel_are_absent(void **state)
{
	struct task task = task_of(7, 50, 'S');
	struct thread_sample s = sample_of(&task, false);

	(void)state;
	assert_int_equal(s.counters[THREAD_CPU], 5);
	assert_int_equal(s.counters[THREAD_RUNQ], 6);
	assert_int_equal(s.counters[THREAD_USER], 10000000);
	assert_int_equal(s.counters[THREAD_SYS], 20000000);
	for (int i = THREAD_VOLUNTARY; i < THREAD_COUNTERS; i++)
		assert_true(s.counters[i] == COUNTER_ABSENT);
	/* Without schedstat, only ticks are available. */
	task.has_schedstat = false;
	task.has_switches = true;
	task.voluntary = 3;
	task.involuntary = 4;
	s = sample_of(&task, false);
	assert_int_equal(s.counters[THREAD_CPU], 30000000);
	assert_true(s.counters[THREAD_RUNQ] == COUNTER_ABSENT);
	assert_int_equal(s.counters[THREAD_VOLUNTARY], 3);
	assert_int_equal(s.counters[THREAD_INVOLUNTARY], 4);
}

/* The dump arrived at 101 s; the tasks started at 50 s. */
static void
allocation_is_a_mean_of_its_life_or_since_the_dump_before(void **state)
{
	static const char older[] = START
		"\"sleeper with a long name\" #11 prio=5 allocated=61K tid=0x1 "
		"nid=0x7 runnable\n" SLEEPING RUN "\n"
		"\"another\" #99 prio=5 allocated=1B tid=0x1 nid=0x8 "
		"runnable\n" RUN "\n" END;
	struct thread_names *before = thread_names_new();
	struct task sleeper = task_of(7, 50, 'S');
	struct task bytes = task_of(8, 50, 'S');
	struct task none = task_of(10, 50, 'S');
	struct thread_sample s = sample_of(&sleeper, false);

	(void)state;
	assert_true(s.has_alloc_mean && s.alloc_is_coarse);
	assert_int_equal(s.alloc_mean, (163 << 10) / 51);
	assert_false(sample_of(&none, false).has_alloc_mean);

	thread_names_read(before, older, strlen(older));
	dump.before = before;
	dump.before_ns = 91 * CLOCK_NS_PER_S;
	assert_int_equal(sample_of(&sleeper, false).alloc_mean,
			 (102 << 10) / 10);
	/* Another thread had the tid, or the thread started since. */
	assert_int_equal(sample_of(&bytes, false).alloc_mean, 163 / 51);
	sleeper = task_of(7, 92, 'S');
	assert_int_equal(sample_of(&sleeper, false).alloc_mean,
			 (163 << 10) / 9);
	dump.before = NULL;
	thread_names_free(before);
}

static void allocation_is_available_when_a_dump_arrives(void **state)
{
	struct task coarse = task_of(7, 50, 'S');
	struct task fine = task_of(8, 50, 'S');
	struct task none = task_of(10, 50, 'S');

	(void)state;
	assert_true(sample_of(&coarse, false).counters[THREAD_ALLOC] ==
		    COUNTER_ABSENT);
	dump.is_new = true;
	assert_int_equal(sample_of(&coarse, false).counters[THREAD_ALLOC],
			 163 << 10);
	assert_true(sample_of(&coarse, false).alloc_is_coarse);
	assert_int_equal(sample_of(&fine, false).counters[THREAD_ALLOC], 163);
	assert_true(sample_of(&none, false).counters[THREAD_ALLOC] ==
		    COUNTER_ABSENT);
	dump.is_new = false;
}

static void thread_without_a_dump_has_the_kernel_name(void **state)
{
	struct task_dump nothing = { .leader = 1 };
	struct task task = task_of(7, 50, 'S');
	struct thread_sample s;

	(void)state;
	task_sample_fill(&s, &task, &nothing, true);
	assert_string_equal(s.name, "sleeper with a ");
	assert_int_equal(s.kind, THREAD_UNKNOWN);
	assert_int_equal(s.state, RUN_SLEEPING);
	assert_true(task_sample_is_unnamed(&s, &task, ASKED_NS));
	task.start_ticks = UINT64_MAX;
	task_sample_fill(&s, &task, &nothing, true);
	assert_false(task_sample_is_unnamed(&s, &task, ASKED_NS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_in_the_dump_has_name_and_ids),
		cmocka_unit_test(reused_tid_has_no_name),
		cmocka_unit_test(thread_missing_from_a_later_dump_is_native),
		cmocka_unit_test(state_is_valid_until_the_thread_runs),
		cmocka_unit_test(counters_missing_in_the_kernel_are_absent),
		cmocka_unit_test(
			allocation_is_a_mean_of_its_life_or_since_the_dump_before),
		cmocka_unit_test(allocation_is_available_when_a_dump_arrives),
		cmocka_unit_test(thread_without_a_dump_has_the_kernel_name),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
