/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/child.h"

#include "bpf/launch.h"
#include "cmd/prof/prof_snapshot.h"
#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/process/memory.h"
#include "tests/unit/refuse_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON    (clock_monotonic_ns() + 50 * CLOCK_NS_PER_MS)
#define LATE_NS (60 * CLOCK_NS_PER_S)
#define LATE    (clock_monotonic_ns() + LATE_NS)
#define HIGH_FD 3000 /* above 1024, where some programs stop closing */

static int wait_for_gone_job(void *self, int channel, struct error *err)
{
	char word;

	(void)self;
	(void)err;
	alarm(60);
	while (child_hear(channel, LATE, &word) == CHILD_TOLD)
		child_tell(channel, word, -1);
	return CHILD_NOTHING;
}

static int never_ends_job(void *self, int channel, struct error *err)
{
	(void)self;
	(void)channel;
	(void)err;
	alarm(60);
	while (pause())
		continue;
	return CHILD_NOTHING;
}

static void reap_waits_until_the_deadline_and_no_longer(void **state)
{
	struct child c;
	struct error err;
	int status = -1;

	(void)state;
	assert_int_equal(child_start(&c, NULL, never_ends_job, NULL, &err), 0);
	assert_false(child_reap(c.pid, &status, 0));
	assert_false(child_reap(c.pid, &status, SOON));
	assert_int_equal(status, -1);
	kill(c.pid, SIGKILL);
	assert_true(child_reap(c.pid, &status, LATE));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	/* A PID that is not a child counts as ended. */
	assert_true(child_reap(c.pid, NULL, LATE));
	child_leave(&c);
}

static int hand_over_job(void *self, int channel, struct error *err)
{
	int fds[2];

	(void)self;
	if (pipe(fds))
		return fail_sys(err, ERROR_FAILED, "pipe");
	if (write(fds[1], "x", 1) != 1 || child_tell(channel, 't', fds[0]))
		return fail_sys(err, ERROR_FAILED, "write");
	return fds[1];
}

static void descriptors_are_handed_over_with_words_and_results(void **state)
{
	struct error err;
	struct child c;
	int in, out;
	char byte;

	(void)state;
	assert_int_equal(child_start(&c, NULL, hand_over_job, NULL, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &in, &err), CHILD_TOLD);
	assert_int_equal(child_wait(&c, LATE, &out, &err), CHILD_DONE);
	assert_true(child_end(&c, LATE_NS));
	assert_int_equal(c.pid, 0);
	assert_true(child_end(&c, LATE_NS));
	assert_int_equal(write(out, "y", 1), 1);
	assert_int_equal(read(in, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(read(in, &byte, 1), 1);
	assert_int_equal(byte, 'y');
	assert_true(fcntl(in, F_GETFD) & FD_CLOEXEC);
	close(in);
	close(out);
}

static int fail_job(void *self, int channel, struct error *err)
{
	(void)channel;
	if (self)
		raise(SIGKILL);
	errno = ENOENT;
	return fail_sys(err, ERROR_UNAVAILABLE, "a job");
}

static void child_wait_distinguishes_failed_silent_and_gone(void **state)
{
	struct error err;
	struct child c;
	int fd;

	(void)state;
	assert_int_equal(child_start(&c, NULL, fail_job, NULL, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_FAILED);
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	assert_int_equal(err.sys, ENOENT);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_GONE);
	assert_true(child_end(&c, LATE_NS));
	assert_int_equal(child_start(&c, NULL, fail_job, &fd, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_GONE);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_true(child_end(&c, LATE_NS));
	assert_int_equal(child_start(&c, NULL, wait_for_gone_job, NULL, &err),
			 0);
	assert_int_equal(child_wait(&c, SOON, &fd, &err), CHILD_SILENT);
	assert_int_equal(err.sys, ETIMEDOUT);
	assert_int_equal(child_tell(c.channel, 'w', -1), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_TOLD);
	assert_true(child_end(&c, LATE_NS));
}

static int exec_job(void *self, int channel, struct error *err)
{
	(void)channel;
	return child_exec(self, err);
}

static void child_exec_runs_the_program_or_reports_the_reason(void **state)
{
	char name[] = "sh", option[] = "-c", script[] = "exit 7";
	char none[] = "/no/such/program";
	char *argv[] = { name, option, script, NULL };
	char *missing[] = { none, NULL };
	struct error err;
	struct child c;
	int fd, status;

	(void)state;
	assert_int_equal(child_start(&c, NULL, exec_job, argv, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_GONE);
	assert_true(child_reap(c.pid, &status, LATE));
	assert_int_equal(WEXITSTATUS(status), 7);
	child_leave(&c);
	assert_int_equal(child_start(&c, NULL, exec_job, missing, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_FAILED);
	assert_int_equal(err.sys, ENOENT);
	assert_true(child_end(&c, LATE_NS));
}

/* A pipe whose write end is also open as HIGH_FD; returns the read end. */
static int open_high_pipe(int *in)
{
	struct rlimit limit = { 0 };
	int fds[2];

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur <= HIGH_FD && limit.rlim_max > HIGH_FD) {
		limit.rlim_cur = HIGH_FD + 1;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	assert_int_equal(pipe(fds), 0);
	*in = dup2(fds[1], HIGH_FD);
	close(fds[1]);
	return fds[0];
}

/* True if no process has the write end open. */
static bool reads_end(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&p, 1, 10000) == 1 && read(fd, &byte, 1) == 0;
}

typedef bool scene_fn(void);

static bool child_lets_go_of_a_high_descriptor(void)
{
	int in, out = open_high_pipe(&in);
	struct error err;
	struct child c;
	bool has_ended;

	if (child_start(&c, NULL, wait_for_gone_job, NULL, &err))
		return false;
	close(in);
	has_ended = reads_end(out);
	child_end(&c, LATE_NS);
	close(out);
	return has_ended;
}

static bool remote_memory_lets_go_of_a_descriptor(void)
{
	const struct jvm jvm = { .pid = getpid(), .pidfd = -1 };
	struct remote_memory *m;
	struct error err;
	bool has_ended;
	int fds[2];

	if (pipe(fds))
		return false;
	m = remote_memory_open(&jvm, NULL, &err);
	if (!m)
		return false;
	close(fds[1]);
	has_ended = reads_end(fds[0]);
	remote_memory_close(m);
	close(fds[0]);
	return has_ended;
}

static bool helper_process_lets_go_of_a_high_descriptor(void)
{
	const struct jvm jvm = { .pid = getpid(), .pidfd = -1 };
	int in, out = open_high_pipe(&in);
	struct error err;
	struct child c;
	bool has_ended;

	if (helper_process_start(&c, &jvm, wait_for_gone_job, NULL, &err))
		return false;
	close(in);
	has_ended = reads_end(out);
	helper_process_end(&c);
	close(out);
	return has_ended;
}

/*
 * Runs a scene while close_range(2) fails, as before Linux 5.9 and in filters
 * of older container engines (EPERM); 77 = no filter can be installed.
 */
static int run_without_close_range(scene_fn *scene, int sys)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		alarm(60);
		if (!refuse_call(SYS_close_range, sys))
			_exit(77);
		_exit(scene() ? 0 : 1);
	}
	assert_true(child_reap(pid, &status, LATE));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_scene(scene_fn *scene)
{
	int status;

	assert_true(scene());
	status = run_without_close_range(scene, ENOSYS);
	assert_true(status == 0 || status == 77);
	status = run_without_close_range(scene, EPERM);
	assert_true(status == 0 || status == 77);
}

static void
child_closes_high_descriptors_with_and_without_close_range(void **state)
{
	(void)state;
	check_scene(child_lets_go_of_a_high_descriptor);
}

static void
remote_memory_closes_descriptors_with_and_without_close_range(void **state)
{
	(void)state;
	check_scene(remote_memory_lets_go_of_a_descriptor);
}

static void helper_process_closes_high_descriptors(void **state)
{
	(void)state;
	check_scene(helper_process_lets_go_of_a_high_descriptor);
}

static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

static bool is_null(int fd)
{
	struct stat st, null;

	return fstat(fd, &st) == 0 && stat("/dev/null", &null) == 0 &&
	       st.st_rdev == null.st_rdev && S_ISCHR(st.st_mode);
}

/* Facts that the child of the next tests reports, one bit each. */
enum {
	SEES_KEPT = 1,
	SEES_OTHER = 2,
	SEES_NULL = 4, /* in place of the other descriptor */
	STDIN_IS_NULL = 8,
	STDERR_IS_NULL = 16,
	SEES_PIDFD = 32,
};

struct looking {
	int kept, other, pidfd;
	unsigned *found;
};

static int look_job(void *self, int channel, struct error *err)
{
	struct looking *l = self;

	(void)channel;
	(void)err;
	*l->found = (is_open(l->kept) && !is_null(l->kept) ? SEES_KEPT : 0) |
		    (is_open(l->other) ? SEES_OTHER : 0) |
		    (is_null(l->other) ? SEES_NULL : 0) |
		    (is_open(l->pidfd) && !is_null(l->pidfd) ? SEES_PIDFD : 0) |
		    (is_null(STDIN_FILENO) ? STDIN_IS_NULL : 0) |
		    (is_null(STDERR_FILENO) ? STDERR_IS_NULL : 0);
	return CHILD_NOTHING;
}

static unsigned look_with(enum child_files files)
{
	unsigned *found = child_memory(sizeof(*found)), seen;
	int ends[2], fd;
	struct looking l;
	const int kept[] = { -1, STDERR_FILENO, HIGH_FD };
	const struct child_options options = { .files = files,
					       .kept = kept,
					       .kept_count = 3 };
	struct error err;
	struct child c;

	close(open_high_pipe(&l.kept));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	l.other = dup2(ends[1], HIGH_FD - 1);
	l.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	assert_true(l.pidfd >= 0);
	l.found = found;
	assert_int_equal(child_start(&c, &options, look_job, &l, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_DONE);
	assert_true(child_end(&c, LATE_NS));
	close(ends[0]);
	close(ends[1]);
	close(l.pidfd);
	close(l.other);
	close(l.kept);
	seen = *found;
	child_memory_free(found, sizeof(*found));
	return seen & ~(unsigned)(is_null(STDERR_FILENO) ? STDERR_IS_NULL : 0);
}

static void child_applies_each_descriptor_policy(void **state)
{
	int was = dup(STDIN_FILENO), fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_true(dup2(fds[0], STDIN_FILENO) == STDIN_FILENO);
	assert_int_equal(look_with(CHILD_CLOSES_FILES),
			 SEES_KEPT | STDIN_IS_NULL);
	/* A connection of the parent reads end of file, whatever its number. */
	assert_int_equal(look_with(CHILD_NULLS_FILES),
			 SEES_KEPT | SEES_OTHER | SEES_NULL | STDIN_IS_NULL |
				 SEES_PIDFD);
	assert_int_equal(look_with(CHILD_KEEPS_FILES),
			 SEES_KEPT | SEES_OTHER | SEES_PIDFD);
	dup2(was, STDIN_FILENO);
	close(was);
	close(fds[0]);
	close(fds[1]);
}

static void on_signal(int number) { (void)number; }

static int raise_job(void *self, int channel, struct error *err)
{
	(void)self;
	(void)channel;
	(void)err;
	alarm(60);
	raise(SIGTERM);
	raise(SIGUSR1);
	return CHILD_NOTHING;
}

static void
signals_of_a_terminal_end_no_child_and_handlers_do_not_run(void **state)
{
	const struct child_options defaults = {
		.signals = CHILD_DEFAULT_SIGNALS,
	};
	const struct child_options kept = { .signals = CHILD_KEEPS_SIGNALS };
	struct error err;
	struct child c;
	int fd;

	(void)state;
	assert_int_equal(child_start(&c, NULL, raise_job, NULL, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_DONE);
	assert_true(child_end(&c, LATE_NS));
	assert_int_equal(child_start(&c, &defaults, raise_job, NULL, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_GONE);
	assert_true(child_end(&c, LATE_NS));
	signal(SIGTERM, on_signal);
	signal(SIGUSR1, SIG_IGN);
	assert_int_equal(child_start(&c, &kept, raise_job, NULL, &err), 0);
	assert_int_equal(child_wait(&c, LATE, &fd, &err), CHILD_DONE);
	assert_true(child_end(&c, LATE_NS));
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

/* The child never ends by itself; its parent ends at once. */
static void child_dies_with_its_parent(void **state)
{
	const struct child_options options = { .dies_with_parent = true };
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		const struct child_options bound = {
			.dies_with_parent = options.dies_with_parent,
			.kept = &fds[1],
			.kept_count = 1,
		};
		struct error err;
		struct child c;

		_exit(child_start(&c, &bound, never_ends_job, NULL, &err) != 0);
	}
	close(fds[1]);
	assert_true(child_reap(pid, NULL, LATE));
	assert_true(reads_end(fds[0]));
	close(fds[0]);
}

static void child_that_ignores_its_parents_end_is_killed(void **state)
{
	struct error err;
	struct child c;
	pid_t pid;

	(void)state;
	assert_int_equal(child_start(&c, NULL, never_ends_job, NULL, &err), 0);
	pid = c.pid;
	assert_true(child_end(&c, 20 * CLOCK_NS_PER_MS));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void remote_memory_close_leaves_no_zombie(void **state)
{
	const struct jvm jvm = { .pid = getpid(), .pidfd = -1 };
	struct remote_memory *m;
	struct error err;

	(void)state;
	m = remote_memory_open(&jvm, NULL, &err);
	assert_non_null(m);
	remote_memory_close(m);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void launch_fails_for_a_program_that_does_not_begin(void **state)
{
	char name[] = "true", *argv[] = { name, NULL };
	struct launch l;
	struct error err;
	pid_t pid;

	(void)state;
	assert_int_equal(launch_open(&l, argv, NULL, &err), 0);
	pid = l.child.pid;
	kill(pid, SIGSTOP);
	alarm(60);
	assert_int_equal(launch_begin(&l, SOON, &err), -1);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_non_null(strstr(err.text, "cannot start true: timed out"));
	launch_close(&l);
	alarm(0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	/* A program that has started is not killed. */
	assert_int_equal(launch_open(&l, argv, NULL, &err), 0);
	assert_int_equal(launch_begin(&l, LATE, &err), 0);
	assert_true(child_reap(l.child.pid, &l.status, LATE));
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

static void snapshot_that_is_never_written_is_killed(void **state)
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
		cmocka_unit_test(reap_waits_until_the_deadline_and_no_longer),
		cmocka_unit_test(
			descriptors_are_handed_over_with_words_and_results),
		cmocka_unit_test(
			child_wait_distinguishes_failed_silent_and_gone),
		cmocka_unit_test(
			child_exec_runs_the_program_or_reports_the_reason),
		cmocka_unit_test(
			child_closes_high_descriptors_with_and_without_close_range),
		cmocka_unit_test(
			remote_memory_closes_descriptors_with_and_without_close_range),
		cmocka_unit_test(helper_process_closes_high_descriptors),
		cmocka_unit_test(child_applies_each_descriptor_policy),
		cmocka_unit_test(
			signals_of_a_terminal_end_no_child_and_handlers_do_not_run),
		cmocka_unit_test(child_dies_with_its_parent),
		cmocka_unit_test(child_that_ignores_its_parents_end_is_killed),
		cmocka_unit_test(remote_memory_close_leaves_no_zombie),
		cmocka_unit_test(snapshot_that_is_never_written_is_killed),
		cmocka_unit_test(
			launch_fails_for_a_program_that_does_not_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
