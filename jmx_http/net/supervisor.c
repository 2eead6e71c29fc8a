/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/supervisor.h"

#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDING_NS     (100 * CLOCK_NS_PER_MS)
#define HANGING_UP_NS (300 * CLOCK_NS_PER_MS)
#define LINE_FD       3 /* of the warden, and of the program until it is one */

/* What is handed to a warden. */
struct ends {
	int line, in, out, errors;
	bool is_connection;
};

/* What it watches. */
struct ward {
	pid_t program;
	int signals;    /* a child of ours ended */
	int connection; /* the program's end of it, or -1 */
};

static void say(int what, int value)
{
	struct supervisor_word word = { .value = value };

	word.kind = what;
	while (send(LINE_FD, &word, sizeof(word), MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

/* Each becomes the lowest descriptors, and all others are closed. */
static void settle_fds(const struct ends *e)
{
	const int from[] = { e->in, e->out, e->errors, e->line };
	int high[4];

	/* Where none is overwritten before it was moved. */
	for (int i = 0; i < 4; i++)
		high[i] = fcntl(from[i], F_DUPFD, 16);
	for (int i = 0; i < 4; i++)
		dup2(high[i], i);
	close_range(LINE_FD + 1, ~0U, 0);
	fcntl(LINE_FD, F_SETFD, FD_CLOEXEC);
}

static _Noreturn void become(const char *const *words, pid_t warden,
			     int started)
{
	sigset_t none;
	int sys;

	/* Should somebody kill the warden. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() == warden) {
		execvp(words[0], (char *const *)words);
		sys = errno;
		while (write(started, &sys, sizeof(sys)) < 0 && errno == EINTR)
			;
	}
	quick_exit(127);
}

/* The program's pid; -1 and errno when it could not be started. */
static pid_t start(const char *const *words)
{
	pid_t warden = getpid(), program;
	int started[2], sys = 0;

	if (pipe2(started, O_CLOEXEC))
		return -1;
	program = fork();
	if (program == 0)
		become(words, warden, started[1]);
	close(started[1]);
	if (program < 0)
		return -1;
	/* The program does so, too: whoever comes first. */
	setpgid(program, program);
	/* It is closed by execvp(3) when that succeeds. */
	while (read(started[0], &sys, sizeof(sys)) < 0 && errno == EINTR)
		;
	close(started[0]);
	if (!sys)
		return program;
	waitpid(program, NULL, 0);
	errno = sys;
	return -1;
}

/*
 * Says how the program ended, which stays a zombie: its group keeps its id.
 * Its end of the connection is closed only then.
 */
static bool report(struct ward *w)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)w->program, &info,
		   WEXITED | WNOHANG | WNOWAIT) ||
	    !info.si_pid)
		return false;
	say(info.si_code == CLD_EXITED ? WARDEN_EXITED : WARDEN_KILLED,
	    info.si_status);
	if (w->connection >= 0)
		close(w->connection);
	w->connection = -1;
	return true;
}

/* Until the line is closed or, a moment before, the connection. */
static void watch(struct ward *w)
{
	struct pollfd waits[] = {
		{ .fd = LINE_FD, .events = POLLIN | POLLRDHUP },
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = w->connection },
	};
	struct signalfd_siginfo unused;
	bool has_ended = false;
	int64_t deadline_ns = INT64_MAX;

	while (!waits[0].revents && clock_left_ms(deadline_ns)) {
		int left_ms = deadline_ns == INT64_MAX
				      ? -1
				      : clock_left_ms(deadline_ns);

		if (poll(waits, 3, left_ms) < 0 && errno != EINTR)
			break;
		if (waits[2].revents) {
			say(WARDEN_HUNG_UP, 0);
			waits[2].fd = -1;
			deadline_ns = clock_monotonic_ns() + HANGING_UP_NS;
		}
		if (waits[1].revents &&
		    read(w->signals, &unused, sizeof(unused)) < 0 &&
		    errno != EAGAIN)
			break;
		if (has_ended || !report(w))
			continue;
		has_ended = true;
		waits[2].fd = -1;
		if (deadline_ns != INT64_MAX)
			break;
	}
}

static void end_all(pid_t program)
{
	int64_t deadline_ns = clock_monotonic_ns() + ENDING_NS;

	kill(-program, SIGKILL);
	kill(program, SIGKILL);
	/* What a sleep of the kernel's keeps is left to init. */
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 || clock_monotonic_ns() > deadline_ns)
			break;
		if (pid == 0)
			poll(NULL, 0, 1);
	}
}

static _Noreturn void ward(const struct ends *e, const char *const *words)
{
	struct ward w = { .connection = -1 };
	sigset_t all, child;

	settle_fds(e);
	setsid();
	prctl(PR_SET_NAME, "sjkc-warden");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	w.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	w.program = start(words);
	if (w.program < 0) {
		say(WARDEN_NO_START, errno);
	} else {
		if (e->is_connection)
			w.connection = fcntl(0, F_DUPFD_CLOEXEC, LINE_FD);
		for (int fd = 0; fd < LINE_FD; fd++)
			close(fd);
		say(WARDEN_STARTED, 0);
		watch(&w);
		end_all(w.program);
	}
	/* The proxy's buffers and handlers at exit are not ours to run. */
	quick_exit(0);
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* Those of ours do not block; the program's do. */
static int open_pairs(bool is_connection, int line[2], int io[2], int errors[2],
		      struct error *err)
{
	int none = SOCK_STREAM | SOCK_CLOEXEC;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) ||
	    (is_connection ? socketpair(AF_UNIX, none, 0, io)
			   : pipe2(io, O_CLOEXEC)) ||
	    pipe2(errors, O_CLOEXEC))
		return fail_sys(err, ERROR_FAILED, "cannot start a command");
	fcntl(line[0], F_SETFL, O_NONBLOCK);
	fcntl(io[0], F_SETFL, fcntl(io[0], F_GETFL) | O_NONBLOCK);
	fcntl(errors[0], F_SETFL, fcntl(errors[0], F_GETFL) | O_NONBLOCK);
	return 0;
}

static pid_t fork_warden(const struct ends *e, const char *const *words,
			 struct error *err)
{
	sigset_t all, old;
	pid_t pid;

	/* No handler of the proxy's runs in a child of it. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid == 0)
		ward(e, words);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		fail_sys(err, ERROR_FAILED, "cannot start a process");
	return pid;
}

pid_t supervisor_start(const char *const *words, bool is_connection,
		       struct supervisor_ends *ours, struct error *err)
{
	int line[2] = { -1, -1 }, io[2] = { -1, -1 }, errors[2] = { -1, -1 };
	int null = -1;
	pid_t pid = -1;

	if (open_pairs(is_connection, line, io, errors, err))
		goto out;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0) {
		fail_sys(err, ERROR_FAILED, "/dev/null");
		goto out;
	}
	pid = fork_warden(&(struct ends){ .line = line[1],
					  .in = is_connection ? io[1] : null,
					  .out = io[1],
					  .errors = errors[1],
					  .is_connection = is_connection },
			  words, err);
out:
	if (pid >= 0) {
		*ours = (struct supervisor_ends){ line[0], io[0], errors[0] };
		line[0] = io[0] = errors[0] = -1;
	}
	close_pair(line);
	close_pair(io);
	close_pair(errors);
	if (null >= 0)
		close(null);
	return pid;
}
