/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory_helper.h"

#include "core/base/clock.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool runs(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 || poll(&p, 1, 0) == 0;
}

/*
 * Marks what a call that began with range `at` has read, and gives the first
 * range that it has not.  Pages before one that is not there may have been
 * copied of a range: it is not whole.
 */
static uint32_t mark(struct helper_area *a, uint32_t at, uint32_t end,
		     ssize_t got, size_t *offset)
{
	for (; at < end && got >= (ssize_t)a->ranges[at].len; at++) {
		a->ranges[at].is_read = 1;
		got -= a->ranges[at].len;
		*offset += a->ranges[at].len;
	}
	return at;
}

/* The parent has seen to it that all ranges fit into bytes. */
static void read_ranges(struct helper_area *a, pid_t target)
{
	static struct iovec remote[HELPER_RANGES];
	uint32_t count = a->count < HELPER_RANGES ? a->count : HELPER_RANGES;
	size_t offset = 0;

	for (uint32_t i = 0; i < count; i++) {
		remote[i].iov_base = (void *)(uintptr_t)a->ranges[i].address;
		remote[i].iov_len = a->ranges[i].len;
		a->ranges[i].is_read = 0;
	}
	a->error = 0;
	for (uint32_t i = 0; i < count;) {
		struct iovec local = { a->bytes + offset,
				       HELPER_BYTES - offset };
		ssize_t got = process_vm_readv(target, &local, 1, remote + i,
					       count - i, 0);

		if (got < 0) {
			a->error = errno;
			if (errno == EPERM || errno == ESRCH)
				return;
			got = 0;
		}
		i = mark(a, i, count, got, &offset);
		if (i < count) {
			a->error = a->error ? a->error : EFAULT;
			offset += a->ranges[i++].len;
		}
	}
}

/* Keeps the right to trace, where there is one, and no other. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct caps[2] = { { 0 } };
	uint32_t trace = 1u << CAP_SYS_PTRACE;

	if (syscall(SYS_capget, &head, caps) < 0 ||
	    !(caps[0].effective & trace))
		return;
	for (int i = 0; i < 2; i++) {
		caps[i].effective = caps[i].permitted = i ? 0 : trace;
		caps[i].inheritable = 0;
	}
	syscall(SYS_capset, &head, caps);
}

/* What the child is to read, of the parent's memory. */
struct serving {
	struct helper_area *area;
	pid_t target;
	int target_pidfd;
};

static int serve(void *self, int channel, struct error *err)
{
	const struct serving *s = self;
	char byte;

	(void)err;
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	while (recv(channel, &byte, 1, 0) == 1) {
		read_ranges(s->area, s->target);
		s->area->target_runs = runs(s->target_pidfd);
		if (send(channel, &byte, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return CHILD_NOTHING;
}

int memory_helper_start(struct memory_helper *h, pid_t target, int target_pidfd,
			struct error *err)
{
	const struct child_options options = {
		.kept = &target_pidfd,
		.kept_count = 1,
		.dies_with_parent = true,
	};
	struct serving s = { NULL, target, target_pidfd };

	*h = (struct memory_helper){ .child = { .channel = -1 } };
	/* Each child has its own: one that is killed may still write. */
	h->area = child_memory(sizeof(*h->area));
	s.area = h->area;
	if (child_start(&h->child, &options, serve, &s, err)) {
		memory_helper_end(h);
		return -1;
	}
	return 0;
}

enum helper_answer memory_helper_ask(struct memory_helper *h, int ms)
{
	int64_t deadline = clock_monotonic_ns() + (int64_t)ms * CLOCK_NS_PER_MS;
	struct pollfd p = { .fd = h->child.channel, .events = POLLIN };
	char byte = 0;
	int ready;

	if (!h->child.pid ||
	    send(h->child.channel, &byte, 1, MSG_NOSIGNAL) != 1)
		return HELPER_DEAD;
	do
		ready = poll(&p, 1, clock_left_ms(deadline));
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return HELPER_STALLED;
	return recv(h->child.channel, &byte, 1, MSG_DONTWAIT) == 1
		       ? HELPER_READ
		       : HELPER_DEAD;
}

bool memory_helper_end(struct memory_helper *h)
{
	bool has_ended = child_end(&h->child, 0);

	child_memory_free(h->area, sizeof(*h->area));
	*h = (struct memory_helper){ .child = { .channel = -1 } };
	return has_ended;
}
