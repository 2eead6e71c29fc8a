/* SPDX-License-Identifier: Apache-2.0 */
/* Tests threads of real processes: this one, and children that it starts. */
#include "core/threads/tasks.h"

#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Maximum time that a test waits before it fails. */
#define PATIENCE_NS (60 * CLOCK_NS_PER_S)

enum action { REST, BURN, NAP };

/* A thread that performs its action until it is joined. */
struct worker {
	pthread_t thread;
	const char *name;
	_Atomic enum action action;
	_Atomic bool ends;
	_Atomic pid_t tid;
};

static volatile unsigned sink;

static void *work(void *arg)
{
	struct worker *w = arg;

	if (w->name)
		prctl(PR_SET_NAME, w->name);
	w->tid = (pid_t)syscall(SYS_gettid);
	while (!w->ends) {
		if (w->action == BURN) {
			for (unsigned i = 0; i < 1000000; i++)
				sink += i;
		} else {
			usleep(w->action == NAP ? 1000 : 20000);
		}
	}
	return NULL;
}

static void begin(struct worker *w)
{
	assert_int_equal(pthread_create(&w->thread, NULL, work, w), 0);
	while (!w->tid)
		usleep(100);
}

/* Ends a thread; the kernel removes it a moment after the join. */
static void end(struct worker *w)
{
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	char path[64];

	w->ends = true;
	pthread_join(w->thread, NULL);
	snprintf(path, sizeof(path), "/proc/self/task/%d", (int)w->tid);
	while (access(path, F_OK) == 0 && clock_monotonic_ns() < deadline)
		usleep(100);
}

static struct tasks *open_tasks(struct jvm *jvm, pid_t pid)
{
	struct error err = { 0 };
	struct tasks *t;

	if (jvm_open(jvm, pid, &err))
		fail_msg("%s", err.text);
	t = tasks_open(jvm, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static void close_tasks(struct tasks *t, struct jvm *jvm)
{
	tasks_close(t);
	jvm_close(jvm);
}

static void read_tasks(struct tasks *t, bool switches)
{
	struct error err = { 0 };

	if (tasks_read(t, switches, &err))
		fail_msg("%s", err.text);
	for (size_t i = 1; i < tasks_count(t); i++)
		assert_true(tasks_at(t, i - 1)->tid < tasks_at(t, i)->tid);
}

static const struct task *task_of(const struct tasks *t, pid_t tid)
{
	for (size_t i = 0; i < tasks_count(t); i++) {
		if (tasks_at(t, i)->tid == tid)
			return tasks_at(t, i);
	}
	return NULL;
}

/* CPU time of a thread, from schedstat or ticks. */
static uint64_t cpu_of(const struct tasks *t, pid_t tid)
{
	const struct task *task = task_of(t, tid);

	assert_non_null(task);
	return task->has_schedstat ? task->cpu_ns
				   : task->user_ns + task->sys_ns;
}

static void started_and_ended_threads_are_noticed(void **state)
{
	struct worker a = { .name = "first" }, b = { .name = "second" };
	struct tasks *t;
	struct jvm jvm;

	(void)state;
	begin(&a);
	t = open_tasks(&jvm, getpid());
	read_tasks(t, false);
	assert_non_null(task_of(t, getpid()));
	assert_non_null(task_of(t, a.tid));
	assert_string_equal(task_of(t, a.tid)->comm, "first");
	assert_int_equal(task_of(t, a.tid)->ns_tid, a.tid);
	assert_true(task_of(t, a.tid)->start_ticks > 0);
	begin(&b);
	read_tasks(t, false);
	assert_non_null(task_of(t, a.tid));
	assert_string_equal(task_of(t, b.tid)->comm, "second");
	assert_int_equal(tasks_process(t)->threads, tasks_count(t));
	end(&a);
	read_tasks(t, false);
	assert_null(task_of(t, a.tid));
	assert_non_null(task_of(t, b.tid));
	end(&b);
	assert_int_equal(tasks_missed(t), 0);
	close_tasks(t, &jvm);
}

static void busy_thread_is_distinguished_from_an_idle_one(void **state)
{
	struct worker busy = { .action = BURN }, idle = { .action = REST };
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	uint64_t before;
	struct tasks *t;
	struct jvm jvm;

	(void)state;
	begin(&busy);
	begin(&idle);
	t = open_tasks(&jvm, getpid());
	read_tasks(t, false);
	before = cpu_of(t, busy.tid);
	do {
		usleep(20000);
		read_tasks(t, false);
	} while (cpu_of(t, busy.tid) - before < 200 * CLOCK_NS_PER_MS &&
		 clock_monotonic_ns() < deadline);
	assert_true(cpu_of(t, busy.tid) - before >= 200 * CLOCK_NS_PER_MS);
	assert_true(cpu_of(t, idle.tid) < 100 * CLOCK_NS_PER_MS);
	assert_true(tasks_process(t)->cpu_ns >= cpu_of(t, busy.tid));
	assert_true(tasks_process(t)->rss_bytes > 100000);
	if (task_of(t, busy.tid)->has_schedstat) {
		assert_true(task_of(t, busy.tid)->slices > 0);
		/* The ticks add up to the same time, in steps of 10 ms. */
		assert_true(task_of(t, busy.tid)->user_ns +
				    task_of(t, busy.tid)->sys_ns + 50000000 >
			    cpu_of(t, busy.tid));
	}
	end(&busy);
	end(&idle);
	close_tasks(t, &jvm);
}

static void context_switches_are_counted_when_asked_for(void **state)
{
	struct worker w = { .action = NAP };
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	uint64_t before;
	struct tasks *t;
	struct jvm jvm;

	(void)state;
	begin(&w);
	t = open_tasks(&jvm, getpid());
	read_tasks(t, false);
	assert_false(task_of(t, w.tid)->has_switches);
	read_tasks(t, true);
	assert_true(task_of(t, w.tid)->has_switches);
	before = task_of(t, w.tid)->voluntary;
	do {
		usleep(10000);
		read_tasks(t, true);
	} while (task_of(t, w.tid)->voluntary < before + 10 &&
		 clock_monotonic_ns() < deadline);
	assert_true(task_of(t, w.tid)->voluntary >= before + 10);
	end(&w);
	close_tasks(t, &jvm);
}

static void thread_name_may_look_like_the_rest_of_the_line(void **state)
{
	static const char *const names[] = { ") R 1 (", "", "a b) S 0 0",
					     "x\ny\t\033[31m" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct worker w = { .name = names[i] };
		struct tasks *t;
		struct jvm jvm;

		begin(&w);
		t = open_tasks(&jvm, getpid());
		read_tasks(t, false);
		assert_string_equal(task_of(t, w.tid)->comm, names[i]);
		assert_non_null(strchr("SR", task_of(t, w.tid)->state));
		end(&w);
		close_tasks(t, &jvm);
	}
}

/* Opens all remaining descriptors; returns the first. */
static int take_all_files(void)
{
	int first = dup(0);
	int fd = first;

	assert_true(first >= 0);
	while (fd >= 0)
		fd = dup(0);
	return first;
}

static void threads_are_read_when_no_file_is_left_to_keep_open(void **state)
{
	struct worker a = { .name = "first" }, b = { .name = "second" };
	struct rlimit limit, low;
	struct tasks *t;
	struct jvm jvm;
	int first;

	(void)state;
	begin(&a);
	t = open_tasks(&jvm, getpid());
	read_tasks(t, false);
	getrlimit(RLIMIT_NOFILE, &limit);
	low = limit;
	low.rlim_cur = 128;
	setrlimit(RLIMIT_NOFILE, &low);
	first = take_all_files();
	begin(&b);
	read_tasks(t, true);
	assert_string_equal(task_of(t, a.tid)->comm, "first");
	assert_string_equal(task_of(t, b.tid)->comm, "second");
	end(&a);
	read_tasks(t, true);
	assert_null(task_of(t, a.tid));
	assert_non_null(task_of(t, b.tid));
	end(&b);
	syscall(SYS_close_range, (unsigned)first, 127u, 0u);
	setrlimit(RLIMIT_NOFILE, &limit);
	close_tasks(t, &jvm);
}

static int pipe_ends[2];
static sem_t semaphore;

static void *read_pipe(void *arg)
{
	_Atomic pid_t *tid = arg;
	char byte;

	*tid = (pid_t)syscall(SYS_gettid);
	return read(pipe_ends[0], &byte, 1) == 1 ? arg : NULL;
}

static void *wait_for_semaphore(void *arg)
{
	_Atomic pid_t *tid = arg;

	*tid = (pid_t)syscall(SYS_gettid);
	while (sem_wait(&semaphore))
		;
	return arg;
}

/* Reads until the thread sleeps, in a call or for another thread. */
static void await_sleep(struct tasks *t, _Atomic pid_t *tid, bool in_call)
{
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	const struct task *task;

	do {
		usleep(1000);
		read_tasks(t, false);
		task = *tid ? task_of(t, *tid) : NULL;
	} while ((!task || task->state != 'S' ||
		  task->sleeps_in_call != in_call) &&
		 clock_monotonic_ns() < deadline);
	assert_non_null(task);
	assert_int_equal(task->state, 'S');
	assert_int_equal(task->sleeps_in_call, in_call);
}

static void sleep_in_a_call_differs_from_a_wait_for_another_thread(void **state)
{
	_Atomic pid_t reader = 0, waiter = 0;
	pthread_t threads[2];
	struct jvm jvm;
	struct tasks *t = open_tasks(&jvm, getpid());

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_int_equal(sem_init(&semaphore, 0, 0), 0);
	pthread_create(&threads[0], NULL, read_pipe, (void *)&reader);
	pthread_create(&threads[1], NULL, wait_for_semaphore, (void *)&waiter);
	await_sleep(t, &reader, true);
	await_sleep(t, &waiter, false);
	assert_int_equal(write(pipe_ends[1], "", 1), 1);
	sem_post(&semaphore);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	close_tasks(t, &jvm);
}

static void *nothing(void *arg) { return arg; }

/* Starts and ends threads as fast as possible. */
static void *churn(void *arg)
{
	for (;;) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	}
	return arg;
}

static pid_t start_child(void (*run)(int ready))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(ready[1]);
		_Exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void run_churn(int ready)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, churn, NULL);
	if (write(ready, "", 1) == 1)
		churn(NULL);
}

static void threads_that_end_while_they_are_read_are_counted(void **state)
{
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	pid_t pid = start_child(run_churn);
	struct jvm jvm;
	struct tasks *t = open_tasks(&jvm, pid);

	(void)state;
	for (int i = 0; i < 300 || (tasks_missed(t) == 0 &&
				    clock_monotonic_ns() < deadline);
	     i++) {
		read_tasks(t, i % 2);
		assert_true(tasks_count(t) >= 1);
		for (size_t k = 0; k < tasks_count(t); k++)
			assert_true(tasks_at(t, k)->start_ticks > 0);
	}
	assert_true(tasks_missed(t) > 0);
	end_child(pid);
	close_tasks(t, &jvm);
}

static void run_rest(int ready)
{
	if (write(ready, "", 1) == 1)
		pause();
}

static void assert_no_target(struct tasks *t)
{
	struct error err = { 0 };

	assert_int_equal(tasks_read(t, false, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
}

static void end_of_the_process_is_reported(void **state)
{
	pid_t pid = start_child(run_rest);
	struct jvm jvm;
	struct tasks *t = open_tasks(&jvm, pid);
	siginfo_t info;

	(void)state;
	read_tasks(t, false);
	kill(pid, SIGKILL);
	/* First a zombie, then reaped. */
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_no_target(t);
	waitpid(pid, NULL, 0);
	assert_no_target(t);
	close_tasks(t, &jvm);
}

static int go_on[2];

static void run_another(int ready)
{
	char byte;

	if (write(ready, "", 1) == 1 && read(go_on[0], &byte, 1) == 1)
		execl("/bin/sleep", "sleep", "600", (char *)NULL);
}

static void exec_of_another_program_ends_the_process(void **state)
{
	int64_t deadline = clock_monotonic_ns() + PATIENCE_NS;
	struct error err = { 0 };
	struct tasks *t;
	struct jvm jvm;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go_on), 0);
	pid = start_child(run_another);
	t = open_tasks(&jvm, pid);
	read_tasks(t, false);
	assert_int_equal(write(go_on[1], "", 1), 1);
	while (tasks_read(t, false, &err) == 0 &&
	       clock_monotonic_ns() < deadline)
		usleep(1000);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_non_null(strstr(err.text, "another program"));
	/* The process still runs. */
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	end_child(pid);
	close(go_on[0]);
	close(go_on[1]);
	close_tasks(t, &jvm);
}

static pid_t inner_pid; /* PID of the child in this namespace */

/* Runs in a new PID namespace, where one thread has tid 2. */
static void run_in_namespace(int ready)
{
	struct worker w = { .name = "inner" };
	pid_t pid = -1;

	if (unshare(CLONE_NEWPID) == 0 ||
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0)
		pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&w.thread, NULL, work, &w);
		while (!w.tid)
			usleep(100);
		pid = w.tid; /* 2 */
		if (write(go_on[1], &pid, sizeof(pid)) == sizeof(pid))
			pause();
		_Exit(0);
	}
	if (write(go_on[1], &pid, sizeof(pid)) == sizeof(pid) &&
	    write(ready, "", 1) == 1)
		pause();
}

static void tids_are_mapped_to_another_pid_namespace(void **state)
{
	pid_t pid, said[2] = { 0 };
	const struct task *task = NULL;
	struct tasks *t;
	struct jvm jvm;

	(void)state;
	assert_int_equal(pipe(go_on), 0);
	pid = start_child(run_in_namespace);
	/* The outer PID and the inner tid arrive in any order. */
	assert_int_equal(read(go_on[0], &said[0], sizeof(pid)), sizeof(pid));
	if (said[0] < 0) {
		end_child(pid);
		skip();
	}
	assert_int_equal(read(go_on[0], &said[1], sizeof(pid)), sizeof(pid));
	inner_pid = said[0] > said[1] ? said[0] : said[1];
	t = open_tasks(&jvm, inner_pid);
	assert_int_equal(jvm.ns_pid, 1);
	read_tasks(t, false);
	assert_int_equal(tasks_count(t), 2);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(tasks_at(t, i)->comm, "inner") == 0)
			task = tasks_at(t, i);
	}
	assert_non_null(task);
	assert_int_equal(task->ns_tid, 2);
	assert_int_not_equal(task->tid, 2);
	close_tasks(t, &jvm);
	end_child(inner_pid);
	end_child(pid);
	close(go_on[0]);
	close(go_on[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(started_and_ended_threads_are_noticed),
		cmocka_unit_test(busy_thread_is_distinguished_from_an_idle_one),
		cmocka_unit_test(context_switches_are_counted_when_asked_for),
		cmocka_unit_test(
			thread_name_may_look_like_the_rest_of_the_line),
		cmocka_unit_test(
			threads_are_read_when_no_file_is_left_to_keep_open),
		cmocka_unit_test(
			threads_that_end_while_they_are_read_are_counted),
		cmocka_unit_test(
			sleep_in_a_call_differs_from_a_wait_for_another_thread),
		cmocka_unit_test(end_of_the_process_is_reported),
		cmocka_unit_test(exec_of_another_program_ends_the_process),
		cmocka_unit_test(tids_are_mapped_to_another_pid_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
