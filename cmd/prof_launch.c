/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof_launch.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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
static _Noreturn void run(int channel, char *const *argv)
{
	char go;
	int why;

	if (read(channel, &go, 1) != 1)
		_exit(127);
	restore_signals();
	execvp(argv[0], argv);
	why = errno;
	(void)!write(channel, &why, sizeof(why));
	_exit(127);
}

int prof_launch_open(struct prof_launch *l, char *const *argv,
		     struct error *err)
{
	int pair[2];

	*l = (struct prof_launch){ .channel = -1, .name = argv[0] };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_sys(err, ERROR_FAILED, "cannot start %s", argv[0]);
	l->pid = fork();
	if (l->pid == 0) {
		close(pair[0]);
		run(pair[1], argv);
	}
	close(pair[1]);
	l->channel = pair[0];
	if (l->pid > 0)
		return 0;
	fail_sys(err, ERROR_FAILED, "cannot start %s", argv[0]);
	l->pid = 0;
	prof_launch_close(l);
	return -1;
}

int prof_launch_begin(struct prof_launch *l, struct error *err)
{
	const char go = 1;
	ssize_t n = -1;
	int why = 0;

	if (send(l->channel, &go, 1, MSG_NOSIGNAL) == 1) {
		do {
			n = read(l->channel, &why, sizeof(why));
		} while (n < 0 && errno == EINTR);
	}
	close(l->channel);
	l->channel = -1;
	if (n == 0)
		return 0;
	errno = n == sizeof(why) ? why : ECHILD;
	return fail_sys(err, ERROR_FAILED, "cannot start %s", l->name);
}

bool prof_launch_has_ended(struct prof_launch *l)
{
	if (l->pid && !l->has_ended)
		l->has_ended = waitpid(l->pid, &l->status, WNOHANG) == l->pid;
	return l->has_ended;
}

void prof_launch_close(struct prof_launch *l)
{
	if (l->channel > 0)
		close(l->channel);
	/* Without its channel a process that has not begun ends at once. */
	if (l->pid && l->channel > 0 && !l->has_ended)
		waitpid(l->pid, &l->status, 0);
	*l = (struct prof_launch){ .channel = -1 };
}
