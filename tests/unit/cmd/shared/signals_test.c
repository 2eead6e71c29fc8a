/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/signals.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Sends itself two signals, at once or 0.3 s apart, and exits with 7. */
static void signal_twice(bool later)
{
	struct pollfd fd;
	sigset_t both;

	/* A shell may have made its jobs ignore SIGINT. */
	signal(SIGINT, SIG_DFL);
	signals_listen();
	fd = (struct pollfd){ .fd = signals_fd(), .events = POLLIN };
	sigfillset(&both);
	sigprocmask(later ? SIG_UNBLOCK : SIG_BLOCK, &both, NULL);
	kill(getpid(), SIGTERM);
	if (later)
		poll(NULL, 0, 300);
	kill(getpid(), SIGINT);
	sigprocmask(SIG_UNBLOCK, &both, NULL);
	_exit(poll(&fd, 1, 0) == 1 ? 7 : 1);
}

static void second_signal_at_once_is_ignored_and_a_later_one_ends(void **state)
{
	int status;

	(void)state;
	for (int later = 0; later < 2; later++) {
		pid_t child = fork();

		if (child == 0)
			signal_twice(later);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (later)
			assert_true(WIFSIGNALED(status) &&
				    WTERMSIG(status) == SIGINT);
		else
			assert_true(WIFEXITED(status) &&
				    WEXITSTATUS(status) == 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			second_signal_at_once_is_ignored_and_a_later_one_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
