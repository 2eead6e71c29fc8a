/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_guard.h"

#include "cmd/log.h"
#include "core/base/clock.h"
#include "jmx_http/threads/jmx_source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FDS_MAX 1024
#define END_NS  (2 * CLOCK_NS_PER_S)

/* A JVM of many threads has ttop open as many files. */
static int most_fd(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;
	long most = FDS_MAX;

	while (all && (entry = readdir(all))) {
		long fd = strtol(entry->d_name, NULL, 10);

		if (fd > most && fd <= INT_MAX)
			most = fd;
	}
	if (all)
		closedir(all);
	return (int)most;
}

/*
 * ttop's connections are not to be used by two: for the child, they are closed
 * at the other end, and it makes its own.  stderr stays, to say what fails.
 */
static void leave_connections(int channel)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int most = most_fd();

	for (int fd = 0; null >= 0 && fd <= most; fd++) {
		struct stat st;

		if (fd == channel || fd == null || fd == STDERR_FILENO ||
		    fstat(fd, &st))
			continue;
		if (fd <= STDOUT_FILENO || S_ISSOCK(st.st_mode) ||
		    S_ISFIFO(st.st_mode))
			dup2(null, fd);
	}
}

/* What ends ttop, by the terminal or its process group, is not to end it. */
static void ignore_signals(void)
{
	static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP,
				       SIGQUIT, SIGPIPE, SIGTSTP };
	sigset_t none;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		signal(numbers[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void ttop_guard_put_back(struct thread_source *source, const struct jvm *jvm)
{
	struct error err;

	if (jmx_source_put_back(source, &err) == 0 || (jvm && !jvm_runs(jvm)))
		return;
	if (err.kind == ERROR_NO_TARGET)
		log_info("if the JVM still runs, it goes on measuring "
			 "contention: "
			 "%s",
			 err.text);
	else
		log_info("the JVM goes on measuring contention: %s", err.text);
}

_Noreturn static void guard(int channel, struct thread_source *source,
			    const struct jvm *jvm)
{
	ssize_t count;
	char word;

	ignore_signals();
	leave_connections(channel);
	do
		count = read(channel, &word, 1);
	while (count < 0 && errno == EINTR);
	/* Nothing was said: ttop is not there any more. */
	if (count == 0)
		ttop_guard_put_back(source, jvm);
	_exit(0);
}

void ttop_guard_open(struct ttop_guard *g, struct thread_source *source,
		     const struct jvm *jvm)
{
	int ends[2];

	*g = (struct ttop_guard){ .channel = -1 };
	if (!jmx_source_has_switched(source))
		return;
	if (pipe2(ends, O_CLOEXEC)) {
		log_info("nobody guards what is switched on: pipe: %s",
			 strerror(errno));
		return;
	}
	g->pid = fork();
	if (g->pid == 0) {
		close(ends[1]);
		guard(ends[0], source, jvm);
	}
	close(ends[0]);
	g->channel = ends[1];
	if (g->pid < 0) {
		log_info("nobody guards what is switched on: fork: %s",
			 strerror(errno));
		close(ends[1]);
		*g = (struct ttop_guard){ .channel = -1 };
	}
}

/* Somebody may have stopped it: it is ended then. */
static void end_guard(pid_t pid)
{
	int64_t deadline_ns = clock_monotonic_ns() + END_NS;
	pid_t ended;

	while ((ended = waitpid(pid, NULL, WNOHANG)) == 0 &&
	       clock_left_ms(deadline_ns))
		clock_sleep_until(clock_monotonic_ns() + CLOCK_NS_PER_MS);
	if (ended)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void ttop_guard_close(struct ttop_guard *g)
{
	if (g->pid <= 0)
		return;
	if (write(g->channel, "k", 1) < 0 && errno != EPIPE)
		kill(g->pid, SIGKILL);
	close(g->channel);
	end_guard(g->pid);
	*g = (struct ttop_guard){ .channel = -1 };
}
