/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/launch.h"

#include "core/base/clock.h"
#include "core/base/reap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_NS CLOCK_NS_PER_S

/* As main() found it: what it ignores is ignored by programs started, too. */
static void restore_signals(void)
{
	sigset_t none;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The channel closes when the program begins; else it says why it did not. */
static _Noreturn void run(int channel, char *const *argv,
			  void (*before_exec)(void))
{
	char go;
	int why;

	if (read(channel, &go, 1) != 1)
		quick_exit(127);
	restore_signals();
	if (before_exec)
		before_exec();
	execvp(argv[0], argv);
	why = errno;
	(void)!write(channel, &why, sizeof(why));
	quick_exit(127);
}

int launch_open(struct launch *l, char *const *argv, void (*before_exec)(void),
		struct error *err)
{
	int pair[2];

	*l = (struct launch){ .channel = -1, .name = argv[0] };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_sys(err, ERROR_FAILED, "cannot start %s", argv[0]);
	l->pid = fork();
	if (l->pid == 0) {
		close(pair[0]);
		run(pair[1], argv, before_exec);
	}
	close(pair[1]);
	l->channel = pair[0];
	if (l->pid > 0)
		return 0;
	fail_sys(err, ERROR_FAILED, "cannot start %s", argv[0]);
	l->pid = 0;
	launch_close(l);
	return -1;
}

/* Its first instruction may be on a disk that gives no answer. */
static bool await(const struct launch *l, int64_t until_ns)
{
	struct pollfd told = { .fd = l->channel, .events = POLLIN };
	int ready;

	do {
		ready = poll(&told, 1, clock_left_ms(until_ns));
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

int launch_begin(struct launch *l, int64_t until_ns, struct error *err)
{
	const char go = 1;
	ssize_t n = -1;
	int why = 0;

	if (send(l->channel, &go, 1, MSG_NOSIGNAL) == 1) {
		if (!await(l, until_ns))
			return fail(err, ERROR_FAILED,
				    "cannot start %s: it has not begun in time",
				    l->name);
		n = recv(l->channel, &why, sizeof(why), MSG_DONTWAIT);
	}
	close(l->channel);
	l->channel = -1;
	if (n == 0)
		return 0;
	errno = n == sizeof(why) ? why : ECHILD;
	return fail_sys(err, ERROR_FAILED, "cannot start %s", l->name);
}

bool launch_has_ended(struct launch *l)
{
	if (l->pid && !l->has_ended)
		l->has_ended = waitpid(l->pid, &l->status, WNOHANG) == l->pid;
	return l->has_ended;
}

void launch_close(struct launch *l)
{
	/* One that has a channel has not begun: it is none but ours. */
	if (l->channel > 0) {
		close(l->channel);
		if (l->pid && !l->has_ended) {
			kill(l->pid, SIGKILL);
			reap_until(l->pid, &l->status,
				   clock_monotonic_ns() + END_NS);
		}
	}
	*l = (struct launch){ .channel = -1 };
}
