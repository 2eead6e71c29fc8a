/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_peer.h"

#include "core/base/clock.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIFETIME_S 120 /* of a child, whatever happens to us */
#define ENDING_MS  1000

struct message {
	enum attach_peer_word word;
	char told;
	struct error err;
};

bool attach_peer_is_needed(const struct jvm *jvm)
{
	return jvm->own_root || jvm->uid != geteuid() || jvm->gid != getegid();
}

int attach_peer_become(const struct jvm *jvm, struct error *err)
{
	uid_t uid = jvm->uid;
	gid_t gid = jvm->gid;

	if (uid == geteuid() && gid == getegid())
		return 0;
	/* A user without rights keeps his groups: one of them may be gid. */
	if (geteuid() == 0 && setgroups(0, NULL) < 0 && errno != EPERM)
		return fail_sys(err, ERROR_PERMISSION, "setgroups");
	if (setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return fail_sys(err, ERROR_PERMISSION,
				"%d: cannot become the JVM's user, uid %u, gid "
				"%u",
				(int)jvm->pid, (unsigned)uid, (unsigned)gid);
	return 0;
}

/* Sends a message with an fd, unless that is -1. */
static int send_message(int channel, const struct message *m, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control;
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

/* False at the end: the other has gone. */
static bool receive_message(int channel, struct message *m, int *fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control;
	struct iovec part = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head;
	ssize_t got;

	do
		got = recvmsg(channel, &msg, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*m))
		return false;
	head = CMSG_FIRSTHDR(&msg);
	*fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return true;
}

/*
 * The child outlives a Ctrl-C, to remove what it has made: it sees by the end
 * of its channel that we have gone.  Nobody of the JVM's user may trace it.
 */
static void settle(void)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		signal(ours[i], SIG_IGN);
	signal(SIGBUS, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	alarm(LIFETIME_S);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void work(attach_peer_job *job, void *self, int channel)
{
	struct message m = { .word = PEER_DONE };
	int fd;

	settle();
	fd = job(self, channel, &m.err);
	if (fd < 0)
		m.word = PEER_FAILED;
	send_message(channel, &m, fd);
	/* The parent's buffers and handlers at exit are not ours to run. */
	quick_exit(0);
}

int attach_peer_start(struct attach_peer *p, attach_peer_job *job, void *self,
		      struct error *err)
{
	sigset_t all, old;
	int pair[2];

	*p = (struct attach_peer){ .pidfd = -1, .channel = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_sys(err, ERROR_FAILED, "socketpair");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	p->pid = fork();
	if (p->pid == 0) {
		close(pair[0]);
		work(job, self, pair[1]);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	if (p->pid < 0) {
		close(pair[0]);
		p->pid = 0;
		return fail_sys(err, ERROR_FAILED, "fork");
	}
	/* It is ours and not waited for yet: the pid is nobody else's. */
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	p->channel = pair[0];
	return 0;
}

int attach_peer_tell(int channel, char what)
{
	return attach_peer_hand(channel, what, -1);
}

int attach_peer_hand(int channel, char what, int fd)
{
	struct message m = { .word = PEER_TOLD, .told = what };

	return send_message(channel, &m, fd);
}

int attach_peer_hear(int channel, int64_t deadline_ns, char *what)
{
	struct pollfd p = { .fd = channel, .events = POLLIN };
	struct message m;
	int ready, fd;

	do
		ready = poll(&p, 1, clock_left_ms(deadline_ns));
	while (ready < 0 && errno == EINTR);
	*what = 0;
	if (ready <= 0)
		return -1;
	if (!receive_message(channel, &m, &fd))
		return -2;
	*what = m.told;
	return 0;
}

enum attach_peer_word attach_peer_wait(struct attach_peer *p,
				       int64_t deadline_ns, int *fd,
				       struct error *err)
{
	struct pollfd wait = { .fd = p->channel, .events = POLLIN };
	struct message m;
	int ready;

	do
		ready = poll(&wait, 1, clock_left_ms(deadline_ns));
	while (ready < 0 && errno == EINTR);
	if (ready <= 0) {
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_REFUSED,
			 "the JVM's file system does not answer");
		return PEER_FAILED;
	}
	if (!receive_message(p->channel, &m, fd)) {
		fail(err, ERROR_FAILED, "the helper process has been killed");
		return PEER_FAILED;
	}
	if (m.word == PEER_FAILED)
		*err = m.err;
	return m.word;
}

void attach_peer_leave(struct attach_peer *p)
{
	close(p->channel);
	if (p->pidfd >= 0)
		close(p->pidfd);
	*p = (struct attach_peer){ .pidfd = -1, .channel = -1 };
}

void attach_peer_end(struct attach_peer *p)
{
	struct pollfd ended = { .fd = p->pidfd, .events = POLLIN };

	if (!p->pid)
		return;
	close(p->channel);
	if (p->pidfd < 0) {
		kill(p->pid, SIGKILL);
	} else if (poll(&ended, 1, ENDING_MS) <= 0) {
		syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
		/* Stuck in the kernel, it stays when we go. */
		poll(&ended, 1, ENDING_MS);
	}
	waitpid(p->pid, NULL, p->pidfd < 0 ? 0 : WNOHANG);
	if (p->pidfd >= 0)
		close(p->pidfd);
	*p = (struct attach_peer){ .pidfd = -1, .channel = -1 };
}
