/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory_helper.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time for the starter to start a helper, on a busy machine. */
#define START_NS (5 * CLOCK_NS_PER_S)

/* ---- the helper ---- */

/*
 * Marks the ranges that a call starting at range `at` has read completely, and
 * returns the first range that it has not.  Pages of that range before a
 * missing page may have been copied.
 */
static uint32_t helper_mark(struct helper_area *a, uint32_t at, uint32_t end,
			    ssize_t got, size_t *offset)
{
	for (; at < end && got >= (ssize_t)a->ranges[at].len; at++) {
		a->ranges[at].is_read = 1;
		got -= a->ranges[at].len;
		*offset += a->ranges[at].len;
	}
	return at;
}

/* The parent has checked that all ranges fit into bytes. */
static void helper_read_ranges(struct helper_area *a)
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
		ssize_t got = process_vm_readv(a->target, &local, 1, remote + i,
					       count - i, 0);

		if (got < 0) {
			a->error = errno;
			if (errno == EPERM || errno == ESRCH)
				return;
			got = 0;
		}
		i = helper_mark(a, i, count, got, &offset);
		if (i < count) {
			a->error = a->error ? a->error : EFAULT;
			offset += a->ranges[i++].len;
		}
	}
}

/* Keeps CAP_SYS_PTRACE, if present, and drops all other capabilities. */
static void helper_drop_capabilities(void)
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

static int helper_serve(void *self, int channel, struct error *err)
{
	struct helper_area *area = self;
	char byte;

	(void)err;
	helper_drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	area->helper = getpid();
	while (recv(channel, &byte, 1, 0) == 1) {
		helper_read_ranges(area);
		if (send(channel, &byte, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return CHILD_NOTHING;
}

/* ---- the starter ---- */

struct helper_starter {
	struct child child;
};

/* The descriptors of a helper, in the order in which they are sent. */
enum { SENT_CHANNEL, SENT_PIDFD, SENT_AREA, SENT_COUNT };

/* Killed helpers that are stuck in the kernel, at most; and those in use. */
enum { STARTED_MAX = 32 };

/* Returns how many have ended. */
static size_t starter_reap(void)
{
	size_t ended = 0;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		ended++;
	return ended;
}

/* Starts a helper and sends its descriptors. */
static bool starter_start(int channel)
{
	const struct child_options options = { .dies_with_parent = true };
	int fds[SENT_COUNT] = { -1, -1, -1 };
	struct helper_area *area = MAP_FAILED;
	struct child c = { .channel = -1 };
	bool is_sent = false;

	fds[SENT_AREA] = memfd_create("memory", MFD_CLOEXEC);
	if (fds[SENT_AREA] >= 0 &&
	    ftruncate(fds[SENT_AREA], sizeof(*area)) == 0)
		area = mmap(NULL, sizeof(*area), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fds[SENT_AREA], 0);
	if (area != MAP_FAILED && child_start(&c, &options, helper_serve, area,
					      error_unused()) == 0) {
		fds[SENT_CHANNEL] = c.channel;
		fds[SENT_PIDFD] = (int)syscall(SYS_pidfd_open, c.pid, 0);
		is_sent = fds[SENT_PIDFD] >= 0;
	}
	for (int i = 0; is_sent && i < SENT_COUNT; i++)
		is_sent = child_tell(channel, 'h', fds[i]) == 0;
	/* Without its parent's channel, the helper ends. */
	child_leave(&c);
	if (area != MAP_FAILED)
		munmap(area, sizeof(*area));
	for (int i = SENT_PIDFD; i < SENT_COUNT; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return is_sent;
}

static int starter_serve(void *self, int channel, struct error *err)
{
	size_t started = 0;
	char word;

	(void)self, (void)err;
	helper_drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	while (child_hear(channel, INT64_MAX, &word) == CHILD_TOLD) {
		started -= starter_reap();
		if (started < STARTED_MAX && starter_start(channel))
			started++;
		else if (child_tell(channel, 'f', -1))
			break;
	}
	return CHILD_NOTHING;
}

struct helper_starter *helper_starter_open(struct error *err)
{
	const struct child_options options = { .dies_with_parent = true };
	struct helper_starter *s = xcalloc(1, sizeof(*s));

	if (child_start(&s->child, &options, starter_serve, NULL, err) == 0)
		return s;
	free(s);
	return NULL;
}

void helper_starter_close(struct helper_starter *s)
{
	if (!s)
		return;
	child_end(&s->child, 0);
	free(s);
}

static int starter_ask(struct helper_starter *s, struct memory_helper *h,
		       struct error *err)
{
	int64_t until_ns = clock_monotonic_ns() + START_NS;
	int fds[SENT_COUNT] = { -1, -1, -1 }, got = 0;
	void *area = MAP_FAILED;

	if (!s->child.pid || child_tell(s->child.channel, 's', -1))
		return fail(err, ERROR_FAILED, "the starting child has exited");
	while (got < SENT_COUNT &&
	       child_wait(&s->child, until_ns, &fds[got], err) == CHILD_TOLD &&
	       fds[got] >= 0)
		got++;
	if (got == SENT_COUNT)
		area = mmap(NULL, sizeof(*h->area), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fds[SENT_AREA], 0);
	if (fds[SENT_AREA] >= 0)
		close(fds[SENT_AREA]);
	if (area == MAP_FAILED) {
		for (int i = 0; i < SENT_AREA; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		/* A late reply would be mistaken for another one. */
		child_end(&s->child, 0);
		return fail(err, ERROR_FAILED, "no child was started");
	}
	h->child.channel = fds[SENT_CHANNEL];
	h->pidfd = fds[SENT_PIDFD];
	h->area = area;
	return 0;
}

/* ---- the parent's side ---- */

bool memory_helper_end(struct memory_helper *h, pid_t *pid)
{
	bool has_ended = true;

	*pid = h->child.pid;
	if (h->child.pid) {
		has_ended = child_end(&h->child, 0);
	} else if (h->area) {
		/* The starter reaps it. */
		syscall(SYS_pidfd_send_signal, h->pidfd, SIGKILL, NULL, 0);
		close(h->pidfd);
		close(h->child.channel);
	}
	child_memory_free(h->area, sizeof(*h->area));
	*h = (struct memory_helper){ .child = { .channel = -1 } };
	return has_ended;
}

int memory_helper_start(struct memory_helper *h, struct helper_starter *s,
			struct error *err)
{
	const struct child_options options = { .dies_with_parent = true };
	pid_t unused;

	*h = (struct memory_helper){ .child = { .channel = -1 } };
	if (s)
		return starter_ask(s, h, err);
	/* Each child has its own area: a killed one may still write. */
	h->area = child_memory(sizeof(*h->area));
	if (child_start(&h->child, &options, helper_serve, h->area, err)) {
		memory_helper_end(h, &unused);
		return -1;
	}
	return 0;
}

/* Limits the wait of recv(2), which then needs no poll(2) before it. */
static bool helper_set_wait(struct memory_helper *h, int ms)
{
	const struct timeval wait = { ms / 1000, ms % 1000 * 1000 };

	if (h->wait_ms == ms)
		return true;
	if (setsockopt(h->child.channel, SOL_SOCKET, SO_RCVTIMEO, &wait,
		       sizeof(wait)) < 0)
		return false;
	h->wait_ms = ms;
	return true;
}

enum helper_result memory_helper_request(struct memory_helper *h, int ms)
{
	int64_t deadline = clock_monotonic_ns() + (int64_t)ms * CLOCK_NS_PER_MS;
	char byte = 0;
	ssize_t got;

	if (!h->area || send(h->child.channel, &byte, 1, MSG_NOSIGNAL) != 1)
		return HELPER_DEAD;
	do {
		/* 0 would be no limit. */
		if (!helper_set_wait(h, ms > 0 ? ms : 1))
			return HELPER_DEAD;
		got = recv(h->child.channel, &byte, 1, 0);
		ms = clock_left_ms(deadline);
	} while (got < 0 && errno == EINTR && ms > 0);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return HELPER_STALLED;
	return got == 1 ? HELPER_READ : HELPER_DEAD;
}
