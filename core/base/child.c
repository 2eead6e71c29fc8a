/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/child.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Maximum time for a killed child to end. A child that takes longer is stuck in
 * the kernel.
 */
#define KILLED_NS (200 * CLOCK_NS_PER_MS)
/* Poll intervals for the end of a child without pidfd (before Linux 5.3). */
#define FIRST_NAP_NS (CLOCK_NS_PER_MS / 4)
#define LAST_NAP_NS  (20 * CLOCK_NS_PER_MS)
/* The default of fs.nr_open, used if /proc is not mounted. */
#define FILES_MAX (1 << 20)

struct message {
	enum child_news news;
	char word;
	struct error err; /* of CHILD_FAILED */
};

/* Control data for one descriptor, aligned as cmsg(3) requires. */
union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Sends a message, and a descriptor unless fd is negative. */
static int message_send(int channel, const struct message *m, int fd)
{
	union control control;
	struct iovec part = { .iov_base = (void *)m, .iov_len = sizeof(*m) };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	memset(&control, 0, sizeof(control));
	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(channel, &msg, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

/* Returns false at the end: the other side has closed the channel. */
static bool message_read(int channel, struct message *m, int *fd)
{
	union control control;
	struct iovec part = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const struct cmsghdr *head;
	ssize_t got;

	do
		got = recvmsg(channel, &msg, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*m))
		return false;
	head = CMSG_FIRSTHDR(&msg);
	if (head && head->cmsg_level == SOL_SOCKET &&
	    head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return true;
}

static enum child_news message_wait(int channel, int64_t deadline_ns,
				    struct message *m, int *fd)
{
	struct pollfd p = { .fd = channel, .events = POLLIN };
	int ready;

	*fd = -1;
	do
		ready = poll(&p, 1, clock_left_ms(deadline_ns));
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return CHILD_SILENT;
	return message_read(channel, m, fd) ? m->news : CHILD_GONE;
}

static bool files_are_kept(const struct child_options *o, int channel, int fd)
{
	for (size_t i = 0; i < o->kept_count && i < CHILD_KEPT_MAX; i++)
		if (o->kept[i] == fd)
			return true;
	return fd == channel;
}

static int files_highest(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;
	int highest = STDERR_FILENO;

	if (!all)
		return FILES_MAX;
	while ((entry = readdir(all))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd > highest)
			highest = fd;
	}
	closedir(all);
	return highest;
}

/* Closes the open descriptors from first to last. */
static void files_close_range(int first, int last)
{
	int highest;

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	/*
	 * close_range(2) is missing before Linux 5.9 and in some seccomp
	 * filters.
	 */
	highest = files_highest();
	for (int fd = first; fd <= last && fd <= highest; fd++)
		close(fd);
}

/* Closes all descriptors above standard error that are not kept. */
static void files_close_others(const struct child_options *o, int channel)
{
	int next = STDERR_FILENO + 1;

	for (;;) {
		int kept = INT_MAX;

		for (size_t i = 0; i < o->kept_count && i < CHILD_KEPT_MAX; i++)
			if (o->kept[i] >= next && o->kept[i] < kept)
				kept = o->kept[i];
		if (channel >= next && channel < kept)
			kept = channel;
		files_close_range(next, kept == INT_MAX ? kept : kept - 1);
		if (kept == INT_MAX)
			return;
		next = kept + 1;
	}
}

/* The link reads "pidfd:[4711]", or "anon_inode:[pidfd]" before Linux 6.9. */
static bool file_is_pidfd(int fd)
{
	char path[40], name[40] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, name, sizeof(name) - 1) > 0 &&
	       strstr(name, "pidfd");
}

/* Replaces the open descriptors up to last that are not kept by /dev/null. */
static void files_null(const struct child_options *o, int channel, int last)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= last; fd++) {
		if (fd == null || files_are_kept(o, channel, fd) ||
		    fcntl(fd, F_GETFD) < 0 ||
		    (fd > STDERR_FILENO && file_is_pidfd(fd)))
			continue;
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	}
	if (null > last)
		close(null);
}

static void files_settle(const struct child_options *o, int channel)
{
	if (o->files == CHILD_NULLS_FILES)
		files_null(o, channel, files_highest());
	if (o->files != CHILD_CLOSES_FILES)
		return;
	files_null(o, channel, STDERR_FILENO);
	files_close_others(o, channel);
}

static void signals_settle(const struct child_options *o, const sigset_t *mask)
{
	static const int ignored[] = { SIGINT,  SIGTERM, SIGHUP,
				       SIGQUIT, SIGUSR1, SIGUSR2,
				       SIGTSTP, SIGPIPE, SIGXFSZ };
	sigset_t none;

	if (o->signals == CHILD_KEEPS_SIGNALS) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		return;
	}
	for (int number = 1; number < NSIG; number++) {
		struct sigaction now;

		if (o->signals == CHILD_DEFAULT_SIGNALS ||
		    (sigaction(number, NULL, &now) == 0 &&
		     now.sa_handler != SIG_IGN))
			signal(number, SIG_DFL);
	}
	for (size_t i = 0; o->signals == CHILD_IGNORES_SIGNALS &&
			   i < sizeof(ignored) / sizeof(*ignored);
	     i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void child_run(const struct child_options *o, child_job *job,
				void *self, int channel, pid_t parent,
				const sigset_t *mask)
{
	struct message m = { .news = CHILD_DONE };
	int fd;

	if (o->dies_with_parent)
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (o->lifetime_s) {
		signal(SIGALRM, SIG_DFL);
		alarm(o->lifetime_s);
	}
	files_settle(o, channel);
	signals_settle(o, mask);
	/* The parent may have ended before prctl(2). */
	if (!o->dies_with_parent || getppid() == parent) {
		fd = job(self, channel, &m.err);
		if (fd < 0 && fd != CHILD_NOTHING)
			m.news = CHILD_FAILED;
		message_send(channel, &m, fd);
	}
	/*
	 * quick_exit() flushes no buffer and runs no exit handler of the
	 * parent.
	 */
	quick_exit(0);
}

int child_start(struct child *c, const struct child_options *options,
		child_job *job, void *self, struct error *err)
{
	static const struct child_options none;
	pid_t parent = getpid();
	sigset_t all, old;
	int ends[2];

	*c = (struct child){ .channel = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, ERROR_FAILED, "socketpair");
	/* Signals stay blocked until the child has its own handlers. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	c->pid = fork();
	if (c->pid == 0) {
		close(ends[0]);
		child_run(options ? options : &none, job, self, ends[1], parent,
			  &old);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	c->channel = ends[0];
	if (c->pid > 0)
		return 0;
	fail_sys(err, ERROR_FAILED, "fork");
	close(ends[0]);
	*c = (struct child){ .channel = -1 };
	return -1;
}

int child_exec(char *const *argv, struct error *err)
{
	sigset_t none;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	return fail_sys(err, ERROR_FAILED, "cannot start %s", argv[0]);
}

enum child_news child_wait(const struct child *c, int64_t deadline_ns, int *fd,
			   struct error *err)
{
	struct message m;
	enum child_news news = message_wait(c->channel, deadline_ns, &m, fd);

	if (news == CHILD_FAILED)
		*err = m.err;
	if (news == CHILD_GONE)
		fail(err, ERROR_FAILED, "the helper process has been killed");
	if (news == CHILD_SILENT) {
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_REFUSED,
			 "the helper process did not respond");
	}
	return news;
}

int child_tell(int channel, char word, int fd)
{
	const struct message m = { .news = CHILD_TOLD, .word = word };

	return message_send(channel, &m, fd);
}

enum child_news child_hear(int channel, int64_t deadline_ns, char *word)
{
	struct message m = { .word = 0 };
	int fd;
	enum child_news news = message_wait(channel, deadline_ns, &m, &fd);

	if (fd >= 0)
		close(fd);
	*word = m.word;
	return news;
}

bool child_end(struct child *c, int64_t grace_ns)
{
	int64_t until_ns = clock_after(clock_monotonic_ns(), grace_ns);

	if (!c->pid)
		return true;
	if (c->channel >= 0)
		close(c->channel);
	c->channel = -1;
	if (!grace_ns || !child_reap(c->pid, NULL, until_ns)) {
		kill(c->pid, SIGKILL);
		if (!child_reap(c->pid, NULL, clock_monotonic_ns() + KILLED_NS))
			return false;
	}
	c->pid = 0;
	return true;
}

void child_leave(struct child *c)
{
	if (c->pid && c->channel >= 0)
		close(c->channel);
	*c = (struct child){ .channel = -1 };
}

bool child_reap(pid_t pid, int *status, int64_t until_ns)
{
	struct pollfd ended = { .fd = -1, .events = POLLIN };
	int64_t nap_ns = FIRST_NAP_NS;
	bool has_ended;

	while (!(has_ended = waitpid(pid, status, WNOHANG) != 0)) {
		int64_t now = clock_monotonic_ns();

		if (now >= until_ns)
			break;
		if (ended.fd < 0)
			ended.fd = (int)syscall(SYS_pidfd_open, pid, 0);
		if (ended.fd >= 0) {
			poll(&ended, 1, clock_left_ms(until_ns));
			continue;
		}
		if (nap_ns > until_ns - now)
			nap_ns = until_ns - now;
		clock_sleep_until(now + nap_ns);
		nap_ns = nap_ns * 2 < LAST_NAP_NS ? nap_ns * 2 : LAST_NAP_NS;
	}
	if (ended.fd >= 0)
		close(ended.fd);
	return has_ended;
}

void *child_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		alloc_give_up(size);
	return memory;
}

void child_memory_free(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}
