/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_wire.h"

#include "core/attach/attach_conditions.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

bool attach_jvm_is_ending(const struct jvm *jvm)
{
	struct proc_status status;
	struct error unused;

	if (!jvm_runs(jvm))
		return true;
	return procfs_status(jvm->pid, &status, &unused) ||
	       status.rss_bytes == 0;
}

static int has_ended(const struct jvm *jvm, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "%d: the JVM has ended",
		    (int)jvm->pid);
}

/*
 * The first condition that has come to fail meanwhile, if one has, or else that
 * may not hold.
 */
static bool has_reason(const struct jvm *jvm, struct text *why)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	size_t count = attach_conditions(jvm, list);
	const struct condition *reason = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct condition *c = &list[i];

		if (c->state == CONDITION_HOLDS || c->kind != ERROR_REFUSED)
			continue;
		if (!reason || (reason->state != CONDITION_FAILS &&
				c->state == CONDITION_FAILS))
			reason = c;
	}
	if (reason)
		text_printf(why, "%s%s%s", reason->detail,
			    *reason->remedy ? "; " : "", reason->remedy);
	return reason != NULL;
}

int attach_timed_out(const struct jvm *jvm, int64_t timeout_ns,
		     struct error *err)
{
	struct text time = { 0 }, why = { 0 };

	if (attach_jvm_is_ending(jvm))
		return has_ended(jvm, err);
	units_add_time(&time, (double)timeout_ns);
	if (!has_reason(jvm, &why))
		text_puts(&why, "it may be busy with another request, in a "
				"long pause, or short of CPU");
	fail(err, ERROR_REFUSED, "%d: the JVM did not answer within %s: %s",
	     (int)jvm->pid, time.bytes, why.bytes);
	text_release(&time);
	text_release(&why);
	return -1;
}

/* Waits until the socket is ready; sees at once when the JVM ends. */
static int wait_for(struct attach_wire *w, short events, struct error *err)
{
	struct pollfd fds[] = {
		{ .fd = w->fd, .events = events },
		{ .fd = w->jvm->pidfd, .events = POLLIN },
	};
	int ready;

	for (;;) {
		int left_ms = clock_left_ms(w->deadline_ns);

		if (left_ms == 0)
			return attach_timed_out(w->jvm, w->timeout_ns, err);
		ready = poll(fds, 2, left_ms);
		if (ready < 0 && errno != EINTR)
			return fail_sys(err, ERROR_FAILED, "cannot wait");
		/* What it said before it ended is still to be read. */
		if (ready > 0 && fds[0].revents)
			return 0;
		if (ready > 0 && fds[1].revents)
			return has_ended(w->jvm, err);
	}
}

int attach_wire_send(struct attach_wire *w, const void *bytes, size_t len,
		     struct error *err)
{
	const char *at = bytes;

	while (len) {
		ssize_t put;

		if (wait_for(w, POLLOUT, err))
			return -1;
		put = send(w->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (put > 0) {
			at += put;
			len -= (size_t)put;
		} else if (errno != EAGAIN && errno != EINTR) {
			if (attach_jvm_is_ending(w->jvm))
				return has_ended(w->jvm, err);
			return fail_sys(err, ERROR_REFUSED,
					"%d: the JVM takes no request",
					(int)w->jvm->pid);
		}
	}
	return 0;
}

ssize_t attach_wire_read(struct attach_wire *w, void *bytes, size_t len,
			 struct error *err)
{
	for (;;) {
		ssize_t got;

		/* Mostly there is more already: no poll(2) for that. */
		got = recv(w->fd, bytes, len, MSG_DONTWAIT);
		if (got >= 0 && clock_left_ms(w->deadline_ns) > 0)
			return got;
		if (got >= 0)
			return attach_timed_out(w->jvm, w->timeout_ns, err);
		if (errno == ECONNRESET)
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return fail_sys(err, ERROR_REFUSED,
					"%d: cannot read the JVM's answer",
					(int)w->jvm->pid);
		if (wait_for(w, POLLIN, err))
			return -1;
	}
}
