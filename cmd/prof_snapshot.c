/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof_snapshot.h"

#include "cmd/talk.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int event = -1;
static pid_t writer; /* 0 = there is none */

static void on_snapshot(int number)
{
	const uint64_t one = 1;
	int saved = errno;

	(void)number;
	(void)!write(event, &one, sizeof(one));
	errno = saved;
}

void prof_snapshot_listen(void)
{
	const struct sigaction action = {
		.sa_handler = on_snapshot,
		.sa_flags = SA_RESTART,
	};

	if (event >= 0)
		return;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event >= 0)
		sigaction(SIGUSR1, &action, NULL);
}

int prof_snapshot_fd(void) { return event; }

bool prof_snapshot_taken(void)
{
	uint64_t asked;

	return read(event, &asked, sizeof(asked)) == sizeof(asked);
}

void prof_snapshot_write(int (*write)(void *self, struct error *err),
			 void *self)
{
	struct error why;

	if (writer > 0 && waitpid(writer, NULL, WNOHANG) != writer) {
		talk("the last snapshot is still being written");
		return;
	}
	writer = fork();
	if (writer < 0)
		talk_always("no snapshot: %s", strerror(errno));
	if (writer)
		return;
	if (write(self, &why) && why.kind != ERROR_PARTIAL)
		talk_always("no snapshot: %s", why.text);
	_exit(0);
}

void prof_snapshot_await(void)
{
	if (writer > 0)
		waitpid(writer, NULL, 0);
	writer = 0;
}
