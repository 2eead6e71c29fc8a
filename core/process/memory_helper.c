/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory_helper.h"

#include "core/base/clock.h"
#include "core/base/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ENDING_NS (200 * CLOCK_NS_PER_MS)

/* What the child keeps: these two are its only files. */
enum { CHANNEL_FD = 3, TARGET_FD = 4 };

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

/* The files that were open at the fork keep what others have given up. */
static bool keep_files(int *channel, int *target)
{
	/* First out of the way of each other. */
	int c = fcntl(*channel, F_DUPFD, TARGET_FD + 1);
	int t = *target < 0 ? -1 : fcntl(*target, F_DUPFD, TARGET_FD + 1);

	if (c < 0 || dup2(c, CHANNEL_FD) < 0)
		return false;
	*channel = CHANNEL_FD;
	if (t >= 0 && dup2(t, TARGET_FD) >= 0)
		*target = TARGET_FD;
	/* Who reads our output waits for its end, not for one that is stuck. */
	for (int fd = 0; fd < CHANNEL_FD; fd++)
		close(fd);
	return syscall(SYS_close_range, *target < 0 ? TARGET_FD : TARGET_FD + 1,
		       ~0u, 0) == 0 ||
	       errno == ENOSYS;
}

static _Noreturn void serve(struct helper_area *area, pid_t target, int pidfd,
			    int channel, pid_t parent)
{
	static const int ignored[] = { SIGINT,  SIGHUP,  SIGQUIT, SIGTERM,
				       SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE };
	sigset_t none;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent || !keep_files(&channel, &pidfd))
		quick_exit(1);
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	while (recv(channel, &byte, 1, 0) == 1) {
		read_ranges(area, target);
		area->target_runs = runs(pidfd);
		if (send(channel, &byte, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	/* The parent's buffers and handlers at exit are not ours to run. */
	quick_exit(0);
}

int memory_helper_start(struct memory_helper *h, pid_t target, int target_pidfd,
			struct error *err)
{
	sigset_t all, old;
	pid_t parent = getpid();
	int pair[2];

	*h = (struct memory_helper){ .channel = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_sys(err, ERROR_FAILED, "socketpair");
	/* Each child has its own: one that is killed may still write. */
	h->area = mmap(NULL, sizeof(*h->area), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->area == MAP_FAILED) {
		h->area = NULL;
		close(pair[0]);
		close(pair[1]);
		return fail_sys(err, ERROR_FAILED, "mmap");
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	h->pid = fork();
	if (h->pid == 0)
		serve(h->area, target, target_pidfd, pair[1], parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	h->channel = pair[0];
	if (h->pid < 0) {
		h->pid = 0;
		memory_helper_end(h);
		return fail_sys(err, ERROR_FAILED, "fork");
	}
	return 0;
}

enum helper_answer memory_helper_ask(struct memory_helper *h, int ms)
{
	int64_t deadline = clock_monotonic_ns() + (int64_t)ms * CLOCK_NS_PER_MS;
	struct pollfd p = { .fd = h->channel, .events = POLLIN };
	char byte = 0;
	int ready;

	if (!h->pid || send(h->channel, &byte, 1, MSG_NOSIGNAL) != 1)
		return HELPER_DEAD;
	do
		ready = poll(&p, 1, clock_left_ms(deadline));
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return HELPER_STALLED;
	return recv(h->channel, &byte, 1, MSG_DONTWAIT) == 1 ? HELPER_READ
							     : HELPER_DEAD;
}

bool memory_helper_end(struct memory_helper *h)
{
	bool has_ended = true;

	if (h->pid) {
		kill(h->pid, SIGKILL);
		has_ended = reap_until(h->pid, NULL,
				       clock_monotonic_ns() + ENDING_NS);
	}
	if (h->channel > 0)
		close(h->channel);
	if (h->area)
		munmap(h->area, sizeof(*h->area));
	*h = (struct memory_helper){ .channel = -1 };
	return has_ended;
}
