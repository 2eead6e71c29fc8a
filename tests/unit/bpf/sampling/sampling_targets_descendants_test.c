/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_targets.h"

#include "core/base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#define MS CLOCK_NS_PER_MS
#define S  CLOCK_NS_PER_S

static bool is_due(struct descendants *d, int64_t now_ns, pid_t pid)
{
	pid_t due[DESCENDANTS_MAX];
	size_t count = descendants_due(d, getpid(), now_ns, due);

	for (size_t i = 0; i < count; i++) {
		if (due[i] == pid)
			return true;
	}
	return false;
}

/* Starts a child that executes another program when it reads a byte. */
static pid_t begin(int *tell)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execlp("sleep", "sleep", "60", (char *)NULL);
		_exit(0);
	}
	close(ends[0]);
	*tell = ends[1];
	return pid;
}

static bool has_children(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	return access(path, R_OK) == 0;
}

static void new_process_is_due_often_and_then_less(void **state)
{
	struct descendants d = { 0 };
	int64_t now = 100 * S;
	int looks = 0;

	(void)state;
	assert_true(is_due(&d, now, getpid()));
	assert_false(is_due(&d, now + MS, getpid()));
	for (int ms = 2; ms < 60000; ms++)
		looks += is_due(&d, now + ms * MS, getpid());
	assert_in_range(looks, 5, 20);
}

static void process_that_runs_another_program_is_due_again(void **state)
{
	struct descendants d = { 0 };
	int64_t now = 100 * S;
	bool is_seen = false;
	int tell;
	pid_t child;

	(void)state;
	if (!has_children())
		skip();
	child = begin(&tell);
	assert_true(child > 0);
	assert_true(is_due(&d, now, child));
	assert_true(is_due(&d, now + 50 * S, child));
	assert_false(is_due(&d, now + 51 * S, child));
	assert_int_equal(write(tell, "g", 1), 1);
	for (int i = 0; i < 1000 && !is_seen; i++) {
		usleep(10000);
		is_seen = is_due(&d, now + 52 * S, child);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(tell);
	assert_true(is_seen);
	assert_false(is_due(&d, now + 53 * S, child));
}

struct starter {
	int told, tells; /* pipes: the child has started; it may end */
	int tell;
	pid_t child;
};

static void *start_and_stay(void *arg)
{
	struct starter *s = arg;
	char byte;

	s->child = begin(&s->tell);
	if (write(s->tells, "s", 1) == 1 && read(s->told, &byte, 1) < 0)
		perror("read");
	return NULL;
}

static void child_of_another_thread_is_due(void **state)
{
	struct descendants d = { 0 };
	int started[2], end[2];
	int64_t now = 100 * S;
	pthread_t thread;
	struct starter s;
	bool seen[4];
	char byte;

	(void)state;
	if (!has_children())
		skip();
	assert_int_equal(pipe(started) | pipe(end), 0);
	s = (struct starter){ .told = end[0], .tells = started[1] };
	is_due(&d, now, getpid());
	assert_int_equal(pthread_create(&thread, NULL, start_and_stay, &s), 0);
	assert_int_equal(read(started[0], &byte, 1), 1);
	/* Not all threads are read each time; the child is still known. */
	seen[0] = is_due(&d, now + 249 * MS, s.child);
	seen[1] = is_due(&d, now + 250 * MS, s.child);
	seen[2] = is_due(&d, now + 251 * MS, s.child);
	seen[3] = is_due(&d, now + 300 * MS, s.child);
	kill(s.child, SIGKILL);
	assert_int_equal(write(end[1], "e", 1), 1);
	pthread_join(thread, NULL);
	waitpid(s.child, NULL, 0);
	close(s.tell);
	for (int i = 0; i < 2; i++) {
		close(started[i]);
		close(end[i]);
	}
	assert_false(seen[0]);
	assert_true(seen[1]);
	assert_false(seen[2]);
	assert_true(seen[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_process_is_due_often_and_then_less),
		cmocka_unit_test(
			process_that_runs_another_program_is_due_again),
		cmocka_unit_test(child_of_another_thread_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
