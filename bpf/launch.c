/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/launch.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* The program that the child executes. */
struct program {
	char *const *argv;
	void (*before_exec)(void);
};

/* Waits for the start message; the parent may end before it is sent. */
static int launch_job(void *self, int channel, struct error *err)
{
	const struct program *p = self;
	char word;

	if (child_hear(channel, INT64_MAX, &word) != CHILD_TOLD)
		return CHILD_NOTHING;
	if (p->before_exec)
		p->before_exec();
	return child_exec(p->argv, err);
}

int launch_open(struct launch *l, char *const *argv, void (*before_exec)(void),
		struct error *err)
{
	static const struct child_options options = {
		.files = CHILD_KEEPS_FILES,
		.signals = CHILD_KEEPS_SIGNALS,
	};
	struct program program = { argv, before_exec };

	*l = (struct launch){ .name = argv[0] };
	if (child_start(&l->child, &options, launch_job, &program, err))
		return fail_in(err, "cannot start %s", argv[0]);
	return 0;
}

int launch_begin(struct launch *l, int64_t until_ns, struct error *err)
{
	enum child_news news = CHILD_FAILED;
	int fd;

	errno = ECHILD;
	fail_sys(err, ERROR_FAILED, "cannot start %s", l->name);
	if (child_tell(l->child.channel, 'b', -1) == 0)
		news = child_wait(&l->child, until_ns, &fd, err);
	/* The program may be on a disk that does not respond. */
	if (news == CHILD_SILENT)
		return fail(err, ERROR_FAILED, "cannot start %s: timed out",
			    l->name);
	close(l->child.channel);
	l->child.channel = -1;
	/* execvp(3) has closed the other end. */
	return news == CHILD_GONE ? 0 : -1;
}

bool launch_has_ended(struct launch *l)
{
	if (l->child.pid && !l->has_ended)
		l->has_ended = child_reap(l->child.pid, &l->status, 0);
	return l->has_ended;
}

void launch_close(struct launch *l)
{
	/* A process with a channel has not executed the program. */
	if (l->child.channel >= 0 && !l->has_ended)
		child_end(&l->child, 0);
	*l = (struct launch){ .child = { .channel = -1 } };
}
