/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM };

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static struct sigaction before[NUMBERS];
static int event = -1;

/* Puts back what main() does about them. */
static void on_stop(int number)
{
	const uint64_t one = 1;
	int saved = errno;

	(void)number;
	for (int i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &before[i], NULL);
	/* A counter this low takes it. */
	if (write(event, &one, sizeof(one)) < 0)
		_exit(1);
	errno = saved;
}

void signals_listen(void)
{
	const struct sigaction action = { .sa_handler = on_stop };

	if (event >= 0)
		return;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0)
		return; /* then the first one ends the process, too */
	for (int i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &before[i]);
		/* What nohup(1) or a shell had ignored stays ignored. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

int signals_fd(void) { return event; }
