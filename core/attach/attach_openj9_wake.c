/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_openj9.h"

#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER       "/tmp/.com_ibm_tools_attach"
#define NOTIFIER_ID  0xa1 /* of ftok(3), for FOLDER/_notifier */
#define MOST_JVMS    256
#define NAP_NS       (10 * CLOCK_NS_PER_MS)
#define GREETING_LEN 35 /* "ATTACH_CONNECTED 0123456789abcdef " and NUL */

/* The child's own: all that a waking holds. */
struct waking {
	const struct jvm *jvm;
	int64_t deadline_ns;
	int common, own; /* folders: of all JVMs, and of this one; O_PATH */
	int lock;        /* _attachlock */
	int listeners[2];
	int port;
	uint64_t key;
	int held[MOST_JVMS]; /* their attachNotificationSync */
	int held_count;
	int semaphore;
	int posted;
};

static int refused(const struct jvm *jvm, const char *what, struct error *err)
{
	return fail_sys(err, ERROR_REFUSED, "%d: OpenJ9's %s", (int)jvm->pid,
			what);
}

/* The JVM's own folder, which nobody else may write to. */
static int open_own(const struct jvm *jvm, int common, struct error *err)
{
	char name[16];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%d", (int)jvm->ns_pid);
	fd = openat(common, name,
		    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(err, ERROR_REFUSED,
			    "%d: OpenJ9's attach API is off: there is no "
			    "%s/%s; start the JVM with "
			    "-Dcom.ibm.tools.attach.enable=yes",
			    (int)jvm->pid, FOLDER, name);
	if (fstat(fd, &st) == 0 && st.st_uid == jvm->uid &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	    faccessat(fd, "attachInfo", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return fd;
	close(fd);
	return fail(err, ERROR_REFUSED,
		    "%d: %s/%s is not the JVM's own, or has no attachInfo: it "
		    "is not to be trusted",
		    (int)jvm->pid, FOLDER, name);
}

bool openj9_is_enabled(const struct jvm *jvm, struct error *err)
{
	int common = jvm_open_file(jvm, FOLDER, O_PATH | O_DIRECTORY, err);
	int own;

	if (common < 0)
		return false;
	own = open_own(jvm, common, err);
	close(common);
	if (own >= 0)
		close(own);
	return own >= 0;
}

/* The JVM connects in its network namespace, and waits in its IPC namespace. */
static int enter(const struct jvm *jvm, const char *name, int type,
		 struct error *err)
{
	char theirs[64], ours[64];
	struct stat a, b;
	int fd, ret;

	snprintf(theirs, sizeof(theirs), "/proc/%d/%s", (int)jvm->pid, name);
	snprintf(ours, sizeof(ours), "/proc/self/%s", name);
	if (stat(theirs, &a) == 0 && stat(ours, &b) == 0 &&
	    a.st_ino == b.st_ino)
		return 0;
	fd = open(theirs, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -1 : setns(fd, type);
	if (ret < 0)
		fail_sys(err, ERROR_PERMISSION,
			 "%d: cannot enter the JVM's %s namespace",
			 (int)jvm->pid, name + 3);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int listen_at(struct waking *w, int i, const struct sockaddr *address,
		     socklen_t len)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && (bind(fd, address, len) < 0 || listen(fd, 4) < 0)) {
		close(fd);
		fd = -1;
	}
	w->listeners[i] = fd;
	return fd;
}

/* On the loopback interface alone, by both protocols if there are two. */
static int listen_for_it(struct waking *w, struct error *err)
{
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	socklen_t len = sizeof(v4);

	if (listen_at(w, 0, (struct sockaddr *)&v4, sizeof(v4)) < 0 ||
	    getsockname(w->listeners[0], (struct sockaddr *)&v4, &len) < 0)
		return fail_sys(err, ERROR_FAILED,
				"cannot listen on the loopback interface");
	w->port = ntohs(v4.sin_port);
	v6.sin6_port = v4.sin_port;
	listen_at(w, 1, (struct sockaddr *)&v6, sizeof(v6));
	return 0;
}

static int write_reply_info(struct waking *w, struct error *err)
{
	char text[64];
	int len, fd;
	bool whole;

	if (getrandom(&w->key, sizeof(w->key), 0) != sizeof(w->key))
		return fail_sys(err, ERROR_FAILED, "no random numbers");
	len = snprintf(text, sizeof(text), "%016" PRIx64 "\n%d\n", w->key,
		       w->port);
	/* One that was left behind is nobody's: we have the lock. */
	unlinkat(w->own, "replyInfo", 0);
	fd = openat(w->own, "replyInfo",
		    O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return refused(w->jvm, "replyInfo cannot be made", err);
	whole = write(fd, text, (size_t)len) == len;
	close(fd);
	return whole ? 0 : refused(w->jvm, "replyInfo cannot be written", err);
}

static int take_lock(struct waking *w, struct error *err)
{
	w->lock = openat(w->common, "_attachlock",
			 O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (w->lock < 0)
		return refused(w->jvm, "_attachlock", err);
	while (flock(w->lock, LOCK_EX | LOCK_NB) < 0) {
		if (clock_left_ms(w->deadline_ns) == 0)
			return refused(w->jvm, "attach lock is taken", err);
		clock_sleep_until(clock_monotonic_ns() + NAP_NS);
	}
	return 0;
}

/* Each JVM that is woken waits for its file, so that none takes two posts. */
static void hold_others(struct waking *w)
{
	int fd = openat(w->common, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char path[300];

	while (dir && w->held_count < MOST_JVMS && (entry = readdir(dir))) {
		if (strspn(entry->d_name, "0123456789") !=
		    strlen(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/attachNotificationSync",
			 entry->d_name);
		fd = openat(w->common, path,
			    O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			w->held[w->held_count++] = fd;
		else if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static int post(struct waking *w, struct error *err)
{
	struct sembuf up = { .sem_op = 1 };
	char path[64];
	int fd = openat(w->common, "_notifier",
			O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int count = w->held_count ? w->held_count : 1;
	key_t key;

	if (fd < 0)
		return refused(w->jvm, "_notifier", err);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	key = ftok(path, NOTIFIER_ID);
	close(fd);
	w->semaphore = key == -1 ? -1 : semget(key, 1, 0);
	if (w->semaphore < 0)
		return refused(w->jvm, "semaphore", err);
	while (w->posted < count && semop(w->semaphore, &up, 1) == 0)
		w->posted++;
	return w->posted ? 0 : refused(w->jvm, "semaphore", err);
}

/* The whole greeting, before the deadline; anybody may have connected. */
static bool greets(const struct waking *w, int fd)
{
	char wanted[GREETING_LEN + 1], said[GREETING_LEN];
	size_t len = 0;

	snprintf(wanted, sizeof(wanted), "ATTACH_CONNECTED %016" PRIx64 " ",
		 w->key);
	while (len < sizeof(said)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&p, 1, clock_left_ms(w->deadline_ns)) <= 0)
			return false;
		got = recv(fd, said + len, sizeof(said) - len, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		len += (size_t)got;
	}
	return memcmp(said, wanted, sizeof(said)) == 0;
}

static int accept_it(const struct waking *w, struct error *err)
{
	struct pollfd p[] = {
		{ .fd = w->listeners[0], .events = POLLIN },
		{ .fd = w->listeners[1], .events = POLLIN },
		{ .fd = w->jvm->pidfd, .events = POLLIN },
	};

	while (poll(p, 3, clock_left_ms(w->deadline_ns)) > 0) {
		int from = p[0].revents ? 0 : 1;
		int fd;

		if (p[2].revents)
			return fail(err, ERROR_NO_TARGET,
				    "%d: the JVM has ended", (int)w->jvm->pid);
		fd = accept4(p[from].fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0 && greets(w, fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return fail(err, ERROR_REFUSED,
		    "%d: OpenJ9 did not answer its semaphore in time",
		    (int)w->jvm->pid);
}

static void put_back(struct waking *w)
{
	struct sembuf down = { .sem_op = -1, .sem_flg = IPC_NOWAIT };

	while (w->held_count)
		close(w->held[--w->held_count]);
	while (w->posted-- > 0)
		semop(w->semaphore, &down, 1);
	if (w->key)
		unlinkat(w->own, "replyInfo", 0);
}

static int wake_job(void *self, int channel, struct error *err)
{
	struct waking *w = self;
	int fd = -1;

	(void)channel;
	w->common = jvm_open_file(w->jvm, FOLDER, O_PATH | O_DIRECTORY, err);
	if (w->common < 0)
		return -1;
	if (enter(w->jvm, "ns/net", CLONE_NEWNET, err) ||
	    enter(w->jvm, "ns/ipc", CLONE_NEWIPC, err) ||
	    helper_process_become(w->jvm, err))
		return -1;
	w->own = open_own(w->jvm, w->common, err);
	if (w->own < 0 || take_lock(w, err))
		return -1;
	/* The process ends after this: what else is open closes itself. */
	if (listen_for_it(w, err) == 0 && write_reply_info(w, err) == 0) {
		hold_others(w);
		if (post(w, err) == 0)
			fd = accept_it(w, err);
	}
	put_back(w);
	return fd;
}

int openj9_connect(const struct jvm *jvm, int64_t deadline_ns,
		   struct error *err)
{
	struct waking w = {
		.jvm = jvm,
		.deadline_ns = deadline_ns,
		.listeners = { -1, -1 },
	};
	struct child child;
	enum child_news news;
	int fd = -1;

	if (helper_process_start(&child, jvm, wake_job, &w, err))
		return -1;
	news = helper_process_wait(&child, deadline_ns + CLOCK_NS_PER_S, &fd,
				   err);
	helper_process_end(&child);
	return news == CHILD_DONE ? fd : -1;
}
