/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/signals.h"

#include "core/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* SIGINT and SIGTERM */

static const int numbers[] = { SIGINT, SIGTERM };

#define SAME_NS (CLOCK_NS_PER_S / 5)

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static struct sigaction before[NUMBERS];
static int event = -1;
static bool ends_at_once;
static volatile sig_atomic_t last_number;
static volatile int64_t first_ns; /* when the first signal arrived; 0 = none */

void signals_repeat(void)
{
	for (int i = 0; i < NUMBERS && last_number; i++)
		sigaction(numbers[i], &before[i], NULL);
	if (last_number)
		kill(getpid(), last_number);
}

/*
 * A second signal ends the process by main()'s handler. timeout(1) signals both
 * the process and its group, so one that follows at once is the same request.
 */
static void signals_on_stop(int number)
{
	const uint64_t one = 1;
	int64_t now_ns = clock_monotonic_ns();
	int saved = errno;

	last_number = number;
	if (!first_ns) {
		first_ns = now_ns;
		if (write(event, &one, sizeof(one)) < 0)
			_exit(1);
	} else if (now_ns - first_ns > SAME_NS) {
		/* Delivered when this handler returns. */
		signals_repeat();
	}
	errno = saved;
}

void signals_listen(void)
{
	const struct sigaction action = { .sa_handler = signals_on_stop };

	if (event >= 0 || ends_at_once)
		return;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0)
		return; /* the first signal ends the process */
	for (int i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &before[i]);
		/* Signals that nohup(1) or a shell ignores stay ignored. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

int signals_fd(void) { return event; }

void signals_forget(void)
{
	for (int i = 0; i < NUMBERS && event >= 0; i++)
		sigaction(numbers[i], &before[i], NULL);
	event = -1;
	last_number = 0;
	first_ns = 0;
}

void signals_end_at_once(void) { ends_at_once = true; }

bool signals_arrived(void) { return last_number != 0; }

enum wait_end signals_wait(int pidfd, int64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = event, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};
	int left;

	do {
		left = clock_left_ms(until_ns);
		if (poll(fds, 2, left) > 0)
			return fds[0].revents ? WAIT_SIGNAL : WAIT_EXIT;
	} while (left);
	return WAIT_DUE;
}

/* Signals of the terminal */

static const struct {
	int number;
	unsigned bit;
} screen_signals[] = {
	{ SIGWINCH, SIGNAL_RESIZED },
	{ SIGTSTP, SIGNAL_SUSPEND },
	{ SIGCONT, SIGNAL_CONTINUED },
};

enum { SCREEN_SIGNALS = sizeof(screen_signals) / sizeof(*screen_signals) };

static struct sigaction screen_before[SCREEN_SIGNALS];
static volatile sig_atomic_t screen_seen[SCREEN_SIGNALS];
static int screen_event = -1;

static void screen_signals_note(int number)
{
	const uint64_t one = 1;
	int saved = errno;

	for (int i = 0; i < SCREEN_SIGNALS; i++) {
		if (screen_signals[i].number == number)
			screen_seen[i] = 1;
	}
	/* A full counter refuses the write and is readable all the same. */
	if (write(screen_event, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

void screen_signals_listen(void)
{
	const struct sigaction action = { .sa_handler = screen_signals_note };

	screen_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (int i = 0; i < SCREEN_SIGNALS; i++) {
		sigaction(screen_signals[i].number, NULL, &screen_before[i]);
		/* A shell without job control ignores SIGTSTP. */
		if (screen_before[i].sa_handler != SIG_IGN)
			sigaction(screen_signals[i].number, &action, NULL);
	}
}

void screen_signals_release(void)
{
	for (int i = 0; i < SCREEN_SIGNALS; i++)
		sigaction(screen_signals[i].number, &screen_before[i], NULL);
	if (screen_event >= 0)
		close(screen_event);
	screen_event = -1;
}

int screen_signals_fd(void) { return screen_event; }

unsigned screen_signals_take(void)
{
	uint64_t count;
	unsigned bits = 0;

	/* Read first: a signal that arrives now makes it readable again. */
	if (read(screen_event, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return 0;
	for (int i = 0; i < SCREEN_SIGNALS; i++) {
		if (screen_seen[i])
			bits |= screen_signals[i].bit;
		screen_seen[i] = 0;
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
