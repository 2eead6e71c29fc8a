/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_snapshot.h"

#include "cmd/shared/log.h"
#include "core/base/child.h"
#include "core/base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define END_NS (CLOCK_NS_PER_S / 4)

static int event = -1;
static struct child writer;
static bool is_late; /* the message about a slow writer was printed */

static void prof_snapshot_on_signal(int number)
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
		.sa_handler = prof_snapshot_on_signal,
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

/* The call for the child. */
struct writing {
	int (*write)(void *self, struct error *err);
	void *self;
};

static int writing_job(void *self, int channel, struct error *err)
{
	const struct writing *w = self;

	(void)channel;
	if (w->write(w->self, err) && err->kind != ERROR_PARTIAL)
		log_always("cannot write the snapshot: %s", err->text);
	return CHILD_NOTHING;
}

void prof_snapshot_write(int (*write)(void *self, struct error *err),
			 void *self)
{
	/* With the parent's signal handlers, a signal removes its file. */
	static const struct child_options options = {
		.files = CHILD_KEEPS_FILES,
		.signals = CHILD_KEEPS_SIGNALS,
	};
	struct writing w = { write, self };
	struct error err;

	if (writer.pid && !child_reap(writer.pid, NULL, 0)) {
		if (!is_late)
			log_info("the last snapshot is still being written");
		is_late = true;
		return;
	}
	is_late = false;
	child_leave(&writer);
	if (child_start(&writer, &options, writing_job, &w, &err))
		log_always("cannot write the snapshot: %s", err.text);
}

void prof_snapshot_await(int64_t until_ns)
{
	/* The first SIGTERM asks it to finish, the second removes its file. */
	static const int ends[] = { SIGTERM, SIGTERM, SIGKILL };

	for (size_t i = 0;
	     writer.pid && !child_reap(writer.pid, NULL, until_ns); i++) {
		if (i == sizeof(ends) / sizeof(*ends))
			break;
		if (i == 0)
			log_always("gave up writing the last snapshot: timed "
				   "out");
		kill(writer.pid, ends[i]);
		until_ns = clock_monotonic_ns() + END_NS;
	}
	child_leave(&writer);
}
