/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/launch.h"
#include "cmd/prof/prof_snapshot.h"
#include "core/base/clock.h"
#include "core/base/reap.h"
#include "core/process/memory_helper.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON (clock_monotonic_ns() + 50 * CLOCK_NS_PER_MS)
#define LATE (clock_monotonic_ns() + 60 * CLOCK_NS_PER_S)

static pid_t begin(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60);
		for (;;)
			pause();
	}
	return pid;
}

static void who_does_not_end_is_waited_for_until_then(void **state)
{
	pid_t pid = begin();
	int status = -1;

	(void)state;
	assert_false(reap_until(pid, &status, 0));
	assert_false(reap_until(pid, &status, SOON));
	assert_int_equal(status, -1);
	kill(pid, SIGKILL);
	assert_true(reap_until(pid, &status, LATE));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	/* It is nobody's any more. */
	assert_true(reap_until(pid, NULL, LATE));
}

static void a_memory_helper_is_no_zombie_once_it_has_ended(void **state)
{
	struct memory_helper h;
	struct error err;
	pid_t pid;

	(void)state;
	assert_int_equal(memory_helper_start(&h, getpid(), -1, &err), 0);
	pid = h.pid;
	assert_true(memory_helper_end(&h));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(h.pid, 0);
	assert_true(memory_helper_end(&h));
}

static void a_program_that_does_not_begin_is_given_up(void **state)
{
	char name[] = "true", *argv[] = { name, NULL };
	struct launch l;
	struct error err;
	pid_t pid;

	(void)state;
	assert_int_equal(launch_open(&l, argv, NULL, &err), 0);
	pid = l.pid;
	kill(pid, SIGSTOP);
	alarm(60);
	assert_int_equal(launch_begin(&l, SOON, &err), -1);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_non_null(
		strstr(err.text, "cannot start true: it has not begun"));
	launch_close(&l);
	alarm(0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	/* One that begins is not ended. */
	assert_int_equal(launch_open(&l, argv, NULL, &err), 0);
	assert_int_equal(launch_begin(&l, LATE, &err), 0);
	assert_true(reap_until(l.pid, &l.status, LATE));
	assert_true(WIFEXITED(l.status) && WEXITSTATUS(l.status) == 0);
}

static int never_writes(void *ready, struct error *err)
{
	char byte = 'r';

	(void)err;
	signal(SIGTERM, SIG_IGN);
	alarm(60);
	if (write(*(int *)ready, &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void a_snapshot_that_cannot_be_written_is_given_up(void **state)
{
	int ready[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	prof_snapshot_write(never_writes, &ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	alarm(50);
	prof_snapshot_await(SOON);
	alarm(0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	prof_snapshot_await(SOON);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_not_end_is_waited_for_until_then),
		cmocka_unit_test(
			a_memory_helper_is_no_zombie_once_it_has_ended),
		cmocka_unit_test(a_snapshot_that_cannot_be_written_is_given_up),
		cmocka_unit_test(a_program_that_does_not_begin_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
