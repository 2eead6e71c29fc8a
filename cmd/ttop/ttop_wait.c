/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/signals.h"
#include "cmd/ttop/top_recorder.h"
#include "cmd/ttop/ttop.h"
#include "core/base/clock.h"

#include <errno.h>
#include <poll.h>

enum { FDS = 4 };

unsigned ttop_wait(const struct ttop_options *o, int64_t deadline_ns,
		   int input_fd)
{
	static const unsigned meaning[] = { TTOP_STOP, TTOP_ENDED, TTOP_INPUT,
					    TTOP_CLOSED };
	/* Those that are -1 are passed over. */
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = o->pidfd, .events = POLLIN },
		{ .fd = input_fd, .events = POLLIN },
		{ .fd = o->output_fd }, /* errors always count */
	};
	unsigned why = 0;
	int ready = poll(fds, FDS, clock_left_ms(deadline_ns));

	if (ready == 0 || (ready < 0 && errno != EINTR))
		return clock_left_ms(deadline_ns) ? 0 : TTOP_DUE;
	for (size_t i = 0; ready > 0 && i < FDS; i++) {
		if (fds[i].revents)
			why |= meaning[i];
	}
	return why;
}

int ttop_sample(const struct ttop_options *o, struct top_sample *sample,
		struct error *err)
{
	if (o->source->ops->sample(o->source, sample, err)) {
		if (o->has_ended)
			*o->has_ended = err->kind == ERROR_NO_TARGET;
		return -1;
	}
	return o->recorder ? top_recorder_sample(o->recorder, sample, err) : 0;
}

int ttop_shown(const struct ttop_options *o, const char *what, int64_t of,
	       const char *text, size_t len, struct error *err)
{
	if (!o->recorder)
		return 0;
	return top_recorder_shown(o->recorder, what, of, text, len, err);
}
