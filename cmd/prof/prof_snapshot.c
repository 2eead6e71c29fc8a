/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_snapshot.h"

#include "cmd/log.h"
#include "core/base/clock.h"
#include "core/base/reap.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

#define END_NS (CLOCK_NS_PER_S / 4)

static int event = -1;
static pid_t writer; /* 0 = there is none */
static bool is_late; /* it has been said that this one takes its time */

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

	if (writer > 0 && !reap_until(writer, NULL, 0)) {
		if (!is_late)
			log_info("the last snapshot is still being written");
		is_late = true;
		return;
	}
	is_late = false;
	writer = fork();
	if (writer < 0)
		log_always("no snapshot: %s", strerror(errno));
	if (writer)
		return;
	if (write(self, &why) && why.kind != ERROR_PARTIAL)
		log_always("no snapshot: %s", why.text);
	_exit(0);
}

void prof_snapshot_await(int64_t until_ns)
{
	/* The first only asks it to end well, the second takes its file away.
	 */
	static const int ends[] = { SIGTERM, SIGTERM, SIGKILL };

	for (size_t i = 0; writer > 0 && !reap_until(writer, NULL, until_ns);
	     i++) {
		if (i == sizeof(ends) / sizeof(*ends))
			break;
		if (i == 0)
			log_always("the last snapshot could not be written "
				   "in time");
		kill(writer, ends[i]);
		until_ns = clock_monotonic_ns() + END_NS;
	}
	writer = 0;
}
