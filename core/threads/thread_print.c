/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_print.h"

#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_REPLY ((off_t)512 << 20)
#define LIFETIME_S 120

/* What stands before the reply in the shared memory. */
struct head {
	int64_t took_ns;
};

/* The child has nothing to put in order: its parent has. */
static _Noreturn void out_of_memory(size_t size)
{
	(void)size;
	attach_abandon_all();
	quick_exit(1);
}

static int write_all(int fd, const void *bytes, size_t len, struct error *err)
{
	const char *at = bytes;

	while (len) {
		ssize_t put = write(fd, at, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return fail_sys(err, ERROR_FAILED, "memfd");
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

/* The reply in a file of its own, or -1. */
static int keep(const struct text *reply, int64_t took_ns, struct error *err)
{
	const struct head head = { .took_ns = took_ns };
	int fd = memfd_create("sjkc-threads", MFD_CLOEXEC);

	if (fd < 0)
		return fail_sys(err, ERROR_FAILED, "memfd_create");
	if (write_all(fd, &head, sizeof(head), err) ||
	    write_all(fd, reply->bytes, reply->len, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* In the child; what attach puts into the target is kept by its own child. */
static int ask(void *self, int channel, struct error *err)
{
	static const struct attach_request request = {
		.operation = "threaddump",
		.args = { "-e" },
	};
	const struct thread_print *p = self;
	struct text reply = { 0 };
	struct attach *a;
	int64_t begun;
	int fd = -1;

	(void)channel;
	alloc_on_failure(out_of_memory);
	a = attach_open(p->jvm, p->timeout_ns, err);
	if (!a)
		return -1;
	begun = clock_monotonic_ns();
	if (attach_call(a, &request, &reply, err) == 0)
		fd = keep(&reply, clock_monotonic_ns() - begun, err);
	attach_close(a);
	return fd;
}

int thread_print_start(struct thread_print *p, const struct jvm *jvm,
		       int64_t timeout_ns, struct error *err)
{
	const struct child_options options = {
		.kept = &jvm->pidfd,
		.kept_count = 1,
		.dies_with_parent = true,
		.lifetime_s = LIFETIME_S,
	};

	*p = (struct thread_print){ .jvm = jvm, .timeout_ns = timeout_ns };
	if (child_start(&p->child, &options, ask, p, err))
		return -1;
	p->runs = true;
	return 0;
}

static int take_reply(int fd, struct text *reply, int64_t *took_ns,
		      struct error *err)
{
	struct stat st;
	struct head head;
	ssize_t got = 0;
	size_t len, at = 0;

	if (fstat(fd, &st) || st.st_size > MOST_REPLY ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return fail(err, ERROR_FAILED, "the helper's reply is damaged");
	*took_ns = head.took_ns;
	len = (size_t)st.st_size - sizeof(head);
	text_clear(reply);
	array_reserve(reply->bytes, reply->cap, len + 1);
	while (at < len) {
		got = pread(fd, reply->bytes + at, len - at,
			    (off_t)(sizeof(head) + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fail_sys(err, ERROR_FAILED, "memfd");
		at += (size_t)got;
	}
	reply->bytes[len] = '\0';
	reply->len = len;
	return 0;
}

static bool has_said(const struct thread_print *p, int64_t until_ns)
{
	struct pollfd said = { .fd = p->child.channel, .events = POLLIN };
	int ready;

	do
		ready = poll(&said, 1, clock_left_ms(until_ns));
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}

enum thread_print_state thread_print_wait(struct thread_print *p,
					  int64_t until_ns, struct text *reply,
					  int64_t *took_ns, struct error *err)
{
	enum thread_print_state state = THREAD_PRINT_FAILED;
	int fd = -1;

	if (!has_said(p, until_ns))
		return THREAD_PRINT_RUNS;
	if (helper_process_wait(&p->child, until_ns, &fd, err) == CHILD_DONE &&
	    fd >= 0 && take_reply(fd, reply, took_ns, err) == 0)
		state = THREAD_PRINT_DONE;
	if (fd >= 0)
		close(fd);
	helper_process_end(&p->child);
	p->runs = false;
	return state;
}

void thread_print_stop(struct thread_print *p)
{
	if (!p->runs)
		return;
	child_end(&p->child, 0);
	p->runs = false;
}
