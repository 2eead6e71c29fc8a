/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/screen_signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct {
	int number;
	unsigned bit;
} signals[] = {
	{ SIGWINCH, SIGNAL_RESIZED },
	{ SIGTSTP, SIGNAL_SUSPEND },
	{ SIGCONT, SIGNAL_CONTINUED },
};

enum { SIGNALS = sizeof(signals) / sizeof(*signals) };

static struct sigaction before[SIGNALS];
static volatile sig_atomic_t seen[SIGNALS];
static int event = -1;

static void note(int number)
{
	const uint64_t one = 1;
	int saved = errno;

	for (int i = 0; i < SIGNALS; i++) {
		if (signals[i].number == number)
			seen[i] = 1;
	}
	/* A counter that is full is readable, too. */
	if (write(event, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

void screen_signals_listen(void)
{
	const struct sigaction action = { .sa_handler = note };

	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (int i = 0; i < SIGNALS; i++) {
		sigaction(signals[i].number, NULL, &before[i]);
		/* Where there is no job control, it may be so. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i].number, &action, NULL);
	}
}

void screen_signals_release(void)
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &before[i], NULL);
	if (event >= 0)
		close(event);
	event = -1;
}

int screen_signals_fd(void) { return event; }

unsigned screen_signals_take(void)
{
	uint64_t count;
	unsigned bits = 0;

	/* First, so that one that comes now is seen the next time. */
	if (read(event, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return 0;
	for (int i = 0; i < SIGNALS; i++) {
		if (seen[i])
			bits |= signals[i].bit;
		seen[i] = 0;
	}
	return bits;
}

void screen_signals_stop(void)
{
	const struct sigaction stop = { .sa_handler = SIG_DFL };
	struct sigaction ours;

	sigaction(SIGTSTP, &stop, &ours);
	kill(getpid(), SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}
