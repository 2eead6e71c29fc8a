/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_socket.h"

#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/base/kernel_call.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/* A large buffer, because a JVM may wait for a slow reader. */
#define RECEIVE_BUFFER    ((int)1 << 20)
#define UNIX_LIMIT        ((size_t)16 << 20) /* of /proc/PID/net/unix */
#define LOCK_FIRST_NAP_NS (1 * CLOCK_NS_PER_MS)
#define LOCK_LAST_NAP_NS  (50 * CLOCK_NS_PER_MS)
#define LOCKS_LIMIT       ((size_t)1 << 20)

void attach_socket_name(const struct jvm *jvm, char name[ATTACH_NAMES])
{
	snprintf(name, ATTACH_NAMES, ".java_pid%d", (int)jvm->ns_pid);
}

/* Sets ".attach_pid7", with the PID in the JVM's namespace. */
static void attach_trigger_name(const struct jvm *jvm, char name[ATTACH_NAMES])
{
	snprintf(name, ATTACH_NAMES, ".attach_pid%d", (int)jvm->ns_pid);
}

int attach_socket_dir(const struct jvm *jvm, struct error *err)
{
	return jvm_open_file(jvm, "/tmp", O_PATH | O_DIRECTORY, err);
}

/*
 * Same check as the JDK's client: the file must be a socket of the JVM's user
 * and group that no other user may open. HotSpot sets mode 0600 before it
 * renames the socket to this name.
 */
static int socket_check_file(const struct jvm *jvm, const char *name, int fd,
			     struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_sys(err, ERROR_FAILED, "/tmp/%s", name);
	if (!S_ISSOCK(st.st_mode))
		return fail(err, ERROR_REFUSED,
			    "%d: /tmp/%s is %s, not a socket; if the JVM did "
			    "not create it, remove it",
			    (int)jvm->pid, name,
			    S_ISLNK(st.st_mode) ? "a link" : "another file");
	if (st.st_uid != jvm->uid || st.st_gid != jvm->gid)
		return fail(
			err, ERROR_REFUSED,
			"%d: cannot trust /tmp/%s: it belongs to uid %u, gid "
			"%u, but the JVM runs with uid %u, gid %u; remove it",
			(int)jvm->pid, name, (unsigned)st.st_uid,
			(unsigned)st.st_gid, (unsigned)jvm->uid,
			(unsigned)jvm->gid);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return fail(err, ERROR_REFUSED,
			    "%d: cannot trust /tmp/%s: other users may open it "
			    "(mode %03o, the JVM creates it with mode 600)",
			    (int)jvm->pid, name, (unsigned)st.st_mode & 0777);
	return 0;
}

int attach_socket_hold(const struct jvm *jvm, int dir, struct error *err)
{
	char name[ATTACH_NAMES];
	int fd;

	attach_socket_name(jvm, name);
	fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err,
				errno == ENOENT ? ERROR_UNAVAILABLE
						: ERROR_PERMISSION,
				"%d: /tmp/%s", (int)jvm->pid, name);
	if (socket_check_file(jvm, name, fd, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * SO_PEERCRED identifies the process that called listen(2), in our namespace.
 */
static int socket_check_peer(const struct jvm *jvm, int fd, struct error *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return fail_sys(err, ERROR_FAILED, "SO_PEERCRED");
	if (peer.pid != jvm->pid || peer.uid != jvm->uid)
		return fail(err, ERROR_REFUSED,
			    "%d: cannot trust the attach socket: process %d of "
			    "uid %u listens on it",
			    (int)jvm->pid, (int)peer.pid, (unsigned)peer.uid);
	return 0;
}

/* Bounds connect(2), which waits while the JVM's backlog is full. */
static void socket_set_timeout(int fd, int64_t deadline_ns)
{
	int left_ms = clock_left_ms(deadline_ns);
	struct timeval tv = {
		.tv_sec = left_ms / 1000,
		/* 0 would mean no timeout. */
		.tv_usec = left_ms % 1000 * 1000 + 1,
	};
	int size = RECEIVE_BUFFER;

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int socket_connect_held(const struct jvm *jvm, int fd, int held,
			       int64_t deadline_ns, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sys;

	/* The path leads to the verified file, even if it has been renamed. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d",
		 held);
	do {
		socket_set_timeout(fd, deadline_ns);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) ==
		    0)
			return 0;
		sys = errno;
	} while (sys == EINTR && clock_left_ms(deadline_ns) > 0);
	if (sys == EAGAIN || sys == EINTR)
		return fail(err, ERROR_REFUSED,
			    "%d: the JVM accepts no connection: too many "
			    "clients wait for its attach listener",
			    (int)jvm->pid);
	errno = sys;
	return fail_sys(err,
			sys == EACCES || sys == EPERM ? ERROR_PERMISSION
						      : ERROR_REFUSED,
			"%d: cannot connect to the JVM's attach socket",
			(int)jvm->pid);
}

int attach_socket_connect(const struct jvm *jvm, int held, int64_t deadline_ns,
			  struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail_sys(err, ERROR_FAILED, "cannot create a socket");
	if (socket_connect_held(jvm, fd, held, deadline_ns, err) ||
	    socket_check_peer(jvm, fd, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Looks for "socket:[1234]" among the descriptors of the process. */
static bool socket_is_of_process(const struct jvm *jvm, uint64_t inode)
{
	char path[64], wanted[64], link[64];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	/* connect(2) tells the listener. */
	if (jvm->is_hidden)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/fd",
		 (int)procfs_owner(jvm->pid));
	snprintf(wanted, sizeof(wanted), "socket:[%" PRIu64 "]", inode);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds))) {
		ssize_t len = readlinkat(dirfd(fds), entry->d_name, link,
					 sizeof(link) - 1);

		if (len < 0)
			continue;
		link[len] = '\0';
		found = strcmp(link, wanted) == 0;
	}
	closedir(fds);
	return found;
}

/*
 * A line reads "0000…: 00000002 00000000 00010000 0001 01 4242
 * /tmp/.java_pid7.tmp". The name is that of bind(2); HotSpot renames the file
 * when it listens. Flag 0x10000 marks a listener (__SO_ACCEPTCON).
 */
static bool socket_is_listener(struct line line, const char *name,
			       uint64_t *inode)
{
	const char *at = line.len ? memrchr(line.text, '/', line.len) : NULL;
	char *text, *end = NULL;
	size_t len;
	bool is;

	if (!at)
		return false;
	at++;
	len = (size_t)(line.text + line.len - at);
	if (len < strlen(name) || memcmp(at, name, strlen(name)) != 0)
		return false;
	if (len != strlen(name) && !line_ends(line, ".tmp"))
		return false;
	text = strndup(line.text, line.len);
	is = text && strstr(text, " 00010000 ");
	end = text ? strrchr(text, ' ') : NULL;
	if (is && end) {
		*end = '\0';
		end = strrchr(text, ' ');
		*inode = end ? strtoull(end + 1, NULL, 10) : 0;
	}
	free(text);
	return is && end;
}

bool attach_socket_listens(const struct jvm *jvm)
{
	char name[ATTACH_NAMES];
	struct text table = { 0 };
	struct lines lines;
	struct line line;
	uint64_t inode;
	bool found = false;

	attach_socket_name(jvm, name);
	if (procfs_read(jvm->pid, "net/unix", UNIX_LIMIT, &table,
			error_unused()))
		return false;
	lines = lines_over(table.bytes, table.len);
	while (!found && lines_next(&lines, &line))
		found = socket_is_listener(line, name, &inode) &&
			socket_is_of_process(jvm, inode);
	text_release(&table);
	return found;
}

bool attach_socket_reopens(const char *version)
{
	char *end;
	long major = strtol(version, &end, 10);

	if (major != 11)
		return major >= 14;
	return strncmp(end, ".0.", 3) == 0 && strtol(end + 3, NULL, 10) >= 13;
}

/* ---- the lock ---- */

/*
 * A line reads "1: FLOCK  ADVISORY  WRITE 4242 00:16:12345 0 EOF", proc(5). The
 * PID is 0 for a process in another PID namespace.
 */
static pid_t lock_parse_holder(struct line line, const char *file)
{
	char text[128];
	char *at, *pid;

	if (line.len >= sizeof(text))
		return 0;
	memcpy(text, line.text, line.len);
	text[line.len] = '\0';
	at = strstr(text, file);
	if (!strstr(text, " FLOCK ") || strstr(text, " -> ") || !at)
		return 0;
	*at = '\0'; /* the PID is the last word now */
	pid = strrchr(text, ' ');
	return pid ? (pid_t)strtol(pid + 1, NULL, 10) : 0;
}

/* Returns the PID of the process that has locked the file, or 0. */
static pid_t lock_find_holder(int fd)
{
	struct text locks = { 0 };
	struct lines lines;
	struct line line;
	struct stat st;
	char file[48];
	pid_t pid = 0;

	if (fstat(fd, &st) < 0)
		return 0;
	/* Other file systems have the same inode numbers. */
	snprintf(file, sizeof(file), " %02x:%02x:%" PRIu64 " ",
		 major(st.st_dev), minor(st.st_dev), (uint64_t)st.st_ino);
	/* /proc/PID/../locks is /proc/locks. */
	if (procfs_read(getpid(), "../locks", LOCKS_LIMIT, &locks,
			error_unused()))
		return 0;
	lines = lines_over(locks.bytes, locks.len);
	while (!pid && lines_next(&lines, &line))
		pid = lock_parse_holder(line, file);
	text_release(&locks);
	return pid;
}

static int lock_fail_held(const struct jvm *jvm, int fd, struct error *err)
{
	pid_t pid = lock_find_holder(fd);

	if (pid)
		return fail(err, ERROR_REFUSED,
			    "%d: process %d is attached to this JVM; wait "
			    "until it has finished",
			    (int)jvm->pid, (int)pid);
	return fail(err, ERROR_REFUSED,
		    "%d: another sjkc is attached to this JVM; wait until it "
		    "has finished",
		    (int)jvm->pid);
}

int attach_lock(const struct jvm *jvm, int64_t deadline_ns, int *fd,
		struct error *err)
{
	int64_t ns = LOCK_FIRST_NAP_NS;
	int ret = 0;

	*fd = procfs_open(jvm->pid, "environ", O_RDONLY, error_unused());
	if (*fd < 0)
		return 0;
	while (flock(*fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		if (clock_left_ms(deadline_ns) == 0) {
			ret = lock_fail_held(jvm, *fd, err);
			break;
		}
		clock_sleep_until(clock_monotonic_ns() + ns);
		ns = ns * 2 < LOCK_LAST_NAP_NS ? ns * 2 : LOCK_LAST_NAP_NS;
	}
	if (ret == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return ret;
}

/* ---- waking ---- */

/*
 * A trigger file of this age was left behind: tools wait 6 to 10 s for the
 * socket, which usually takes less than 1 s.
 */
#define STALE_NS          (8 * CLOCK_NS_PER_S)
#define WAKE_FIRST_NAP_NS (2 * CLOCK_NS_PER_MS)
#define WAKE_LAST_NAP_NS  (50 * CLOCK_NS_PER_MS)
/*
 * Maximum time that the trigger file stays for a JVM that was signalled but is
 * stopped; and after the JVM has received the signal.
 */
#define LINGER_NS    (50 * CLOCK_NS_PER_S)
#define GRACE_NS     (5 * CLOCK_NS_PER_S)
#define STATUS_LIMIT 4096
#define ABANDON_MS   1000

enum {
	WAKE_READY = 'r',
	WAKE_SIGNALLED = 's',
	WAKE_NOT_SIGNALLED = 'n'
}; /* words between child and parent */

/* State of the child. */
struct waking {
	const struct jvm *jvm;
	int64_t deadline_ns;
	int tmp,
		cwd; /* directories of the JVM, O_PATH; -1 = cannot be opened */
	int trigger_dir;  /* the directory with the trigger file; -1 = none yet
			   */
	bool alone;       /* the parent has ended */
	int64_t taken_ns; /* when the signal was received; 0 = it is pending */
	char trigger[ATTACH_NAMES];
};

/*
 * The channel to the child while it has a file in the target. Used by signal
 * handlers.
 */
static volatile sig_atomic_t waking_channel = -1;

/* In the child: its trigger file, to be removed if memory runs out. */
static volatile sig_atomic_t pending_dir = -1;
static char pending_trigger[ATTACH_NAMES];

void attach_wake_abandon(void)
{
	struct pollfd child = { .fd = waking_channel, .events = POLLIN };
	char byte;

	if (pending_dir >= 0)
		unlinkat(pending_dir, pending_trigger, 0);
	if (child.fd < 0)
		return;
	/*
	 * To the child this is the end of the parent: it removes its file and
	 * exits.
	 */
	shutdown(child.fd, SHUT_WR);
	while (poll(&child, 1, ABANDON_MS) > 0 &&
	       recv(child.fd, &byte, 1, MSG_DONTWAIT) > 0)
		;
}

static bool trigger_is_stale(const struct stat *st)
{
	int64_t then = st->st_ctim.tv_sec * CLOCK_NS_PER_S +
		       st->st_ctim.tv_nsec;

	return clock_wall_ns() - then > STALE_NS;
}

/* Removes a trigger file only if an attach has left it behind. */
static bool trigger_remove_stale(const struct waking *w, int dir)
{
	struct stat st;

	if (fstatat(dir, w->trigger, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	if (!S_ISREG(st.st_mode) || st.st_size != 0 || st.st_nlink != 1 ||
	    (st.st_uid != w->jvm->uid && st.st_uid != 0) ||
	    !trigger_is_stale(&st))
		return false;
	return unlinkat(dir, w->trigger, 0) == 0 || errno == ENOENT;
}

/*
 * Returns true for a file of a user other than root and the JVM's: the JVM
 * ignores it, so no attach has created it.
 */
static bool trigger_is_foreign(const struct waking *w, int dir)
{
	struct stat st;

	return fstatat(dir, w->trigger, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_uid != w->jvm->uid && st.st_uid != 0;
}

/* Returns 0 or an errno. The JVM requires a file of its own user. */
static int trigger_create_in(struct waking *w, int dir)
{
	struct stat st;
	int fd;

	if (dir < 0)
		return ENOENT;
	fd = openat(dir, w->trigger,
		    O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST && trigger_remove_stale(w, dir))
		fd = openat(dir, w->trigger,
			    O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY |
				    O_CLOEXEC,
			    0600);
	if (fd < 0)
		return errno;
	w->trigger_dir = dir;
	memcpy(pending_trigger, w->trigger, sizeof(pending_trigger));
	pending_dir = dir;
	if (fstat(fd, &st) < 0 || st.st_uid != w->jvm->uid) {
		unlinkat(dir, w->trigger, 0);
		w->trigger_dir = -1;
		pending_dir = -1;
		close(fd);
		return EPERM;
	}
	close(fd);
	return 0;
}

/*
 * Returns 1 if the file was created, 0 if another attach has a file there, or
 * -1 and *err. The JVM looks in its working directory first.
 */
static int trigger_create(struct waking *w, struct error *err)
{
	int in_tmp = trigger_create_in(w, w->tmp);
	int in_cwd;

	if (in_tmp == 0)
		return 1;
	if (in_tmp == EEXIST && !trigger_is_foreign(w, w->tmp))
		return 0;
	in_cwd = trigger_create_in(w, w->cwd);
	if (in_cwd == 0)
		return 1;
	if (in_cwd == EEXIST && !trigger_is_foreign(w, w->cwd))
		return 0;
	return fail(err, ERROR_REFUSED,
		    "%d: cannot attach: cannot create %s in the JVM's /tmp "
		    "(%s) or working directory (%s)",
		    (int)w->jvm->pid, w->trigger, strerror(in_tmp),
		    strerror(in_cwd));
}

/*
 * Returns a connection, or -1 and *err. ERROR_UNAVAILABLE means that there is
 * no socket yet; the socket of an ended JVM with the same PID counts as none.
 */
static int wake_try_socket(const struct waking *w, struct error *err)
{
	int held = attach_socket_hold(w->jvm, w->tmp, err);
	int fd;

	if (held < 0)
		return -1;
	fd = attach_socket_connect(w->jvm, held, w->deadline_ns, err);
	close(held);
	if (fd < 0 && err->sys == ECONNREFUSED)
		err->kind = ERROR_UNAVAILABLE;
	return fd;
}

/* proc(5): "ShdPnd:\t0000000000000004\n", signals pending for the process. */
static bool signal_is_pending(const struct jvm *jvm)
{
	const uint64_t quit = UINT64_C(1) << (SIGQUIT - 1);
	struct text status = { 0 };
	const char *at = NULL;
	uint64_t pending;

	if (procfs_read(jvm->pid, "status", STATUS_LIMIT, &status,
			error_unused()) == 0 &&
	    status.len)
		at = strstr(status.bytes, "\nShdPnd:");
	pending = at ? strtoull(at + strlen("\nShdPnd:"), NULL, 16) : 0;
	text_release(&status);
	return pending & quit;
}

/*
 * True if the trigger file can be removed although there is no socket: the JVM
 * has received the signal and had time to look for the file.
 */
static bool wake_is_past(struct waking *w)
{
	if (!w->taken_ns && !signal_is_pending(w->jvm))
		w->taken_ns = clock_monotonic_ns();
	return w->taken_ns && clock_monotonic_ns() - w->taken_ns > GRACE_NS;
}

/*
 * The parent has ended and the child stays for a while. It closes standard
 * error, so that a reader of that pipe does not wait for the child.
 */
static void wake_continue_alone(struct waking *w)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	w->alone = true;
	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

/*
 * Sleeps; returns -1 and *err if waiting is useless. The end of the parent is
 * no reason to stop: a JVM that the parent has signalled still looks for the
 * file, and would print a thread dump without it.
 */
static int wake_nap(struct waking *w, int channel, int64_t ns,
		    struct error *err)
{
	int64_t until = clock_monotonic_ns() + ns;
	char what;

	if (until > w->deadline_ns)
		until = w->deadline_ns;
	if (!w->alone && child_hear(channel, until, &what) == CHILD_GONE)
		wake_continue_alone(w);
	if (w->alone)
		clock_sleep_until(until);
	if (!jvm_runs(w->jvm))
		return jvm_fail_ended(w->jvm, err);
	if (clock_left_ms(w->deadline_ns) > 0 && !(w->alone && wake_is_past(w)))
		return 0;
	errno = ETIMEDOUT;
	return fail_sys(err, ERROR_REFUSED, "%d", (int)w->jvm->pid);
}

static int wake_await_socket(struct waking *w, int channel, struct error *err)
{
	int64_t ns = WAKE_FIRST_NAP_NS;

	for (;;) {
		int fd = wake_try_socket(w, err);

		if (fd >= 0 || err->kind != ERROR_UNAVAILABLE)
			return fd;
		if (wake_nap(w, channel, ns, err))
			return -1;
		ns = ns * 2 < WAKE_LAST_NAP_NS ? ns * 2 : WAKE_LAST_NAP_NS;
	}
}

/*
 * Creates the trigger file, or waits until another attach, whose file exists,
 * has opened the socket. Returns a connection, -1 and *err, or -2 if the file
 * was created.
 */
static int wake_request(struct waking *w, int channel, struct error *err)
{
	for (;;) {
		int made, fd = wake_try_socket(w, err);

		if (fd >= 0 || err->kind != ERROR_UNAVAILABLE)
			return fd;
		made = trigger_create(w, err);
		if (made)
			return made < 0 ? -1 : -2;
		if (wake_nap(w, channel, WAKE_LAST_NAP_NS, err) || w->alone) {
			if (err->sys == ETIMEDOUT)
				fail(err, ERROR_REFUSED,
				     "%d: another attach is in progress: %s "
				     "exists",
				     (int)w->jvm->pid, w->trigger);
			return -1;
		}
	}
}

/* The child's part, running as the JVM's user. */
static int wake_run(struct waking *w, int channel, struct error *err)
{
	int fd = wake_request(w, channel, err);
	char what = 0;

	if (fd != -2)
		return fd;
	child_tell(channel, WAKE_READY, -1);
	/* The parent may have sent the signal before it was killed. */
	if (child_hear(channel, w->deadline_ns, &what) == CHILD_GONE)
		wake_continue_alone(w);
	/*
	 * The parent ends the child when its timeout passes; until then the
	 * file must stay for the JVM.
	 */
	w->deadline_ns = clock_monotonic_ns() + LINGER_NS;
	if (w->alone || what == WAKE_SIGNALLED)
		fd = wake_await_socket(w, channel, err);
	else
		fd = fail(err, ERROR_FAILED, "not signalled");
	unlinkat(w->trigger_dir, w->trigger, 0);
	return fd;
}

static int wake_job(void *self, int channel, struct error *err)
{
	struct waking *w = self;

	/*
	 * Opening the directories through /proc/PID requires sjkc's own rights.
	 */
	w->tmp = attach_socket_dir(w->jvm, err);
	if (w->tmp < 0)
		return -1;
	w->cwd = procfs_open(w->jvm->pid, "cwd", O_PATH | O_DIRECTORY,
			     error_unused());
	if (helper_process_become(w->jvm, err))
		return -1;
	return wake_run(w, channel, err);
}

/* Verified again immediately before the signal, which could kill the JVM. */
static int signal_check_handler(const struct jvm *jvm, struct error *err)
{
	const uint64_t quit = UINT64_C(1) << (SIGQUIT - 1);
	struct proc_status status;

	if (!jvm_runs(jvm))
		return jvm_fail_ended(jvm, err);
	if (procfs_status(jvm->pid, &status, err))
		return -1;
	if (!(status.caught & quit) || status.ignored & quit)
		return fail(err, ERROR_REFUSED,
			    "%d: cannot attach: the JVM does not handle "
			    "SIGQUIT, which would kill it",
			    (int)jvm->pid);
	return 0;
}

int attach_check_pidfd(const struct jvm *jvm, struct error *err)
{
	static const struct kernel_call opens = { "pidfd_open(2)", 5, 3 };
	static const struct kernel_call sends = { "pidfd_send_signal(2)", 5,
						  1 };

	/* Without a filter, invalid arguments yield EINVAL and EBADF. */
	if (jvm->pidfd < 0 && syscall(SYS_pidfd_open, -1, 0) < 0 &&
	    errno != EINVAL)
		return kernel_call_fail(&opens, errno, err);
	if (syscall(SYS_pidfd_send_signal, -1, 0, NULL, 0) < 0 &&
	    errno != EBADF)
		return kernel_call_fail(&sends, errno, err);
	return 0;
}

static int signal_send(const struct jvm *jvm, struct error *err)
{
	if (jvm->pidfd < 0)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: cannot signal the JVM safely without a pidfd",
			    (int)jvm->pid);
	if (signal_check_handler(jvm, err))
		return -1;
	if (syscall(SYS_pidfd_send_signal, jvm->pidfd, SIGQUIT, NULL, 0) == 0)
		return 0;
	if (errno == ESRCH)
		return jvm_fail_ended(jvm, err);
	if (errno == EPERM && geteuid() == 0)
		return fail(err, ERROR_PERMISSION,
			    "%d: cannot send a signal to the JVM without "
			    "CAP_KILL; " HELPER_PROCESS_REMEDY,
			    (int)jvm->pid);
	return fail_sys(err, ERROR_PERMISSION,
			"%d: cannot send a signal to the JVM", (int)jvm->pid);
}

/* The parent's part: sends the signal once the child has created the file. */
static int wake_lead(const struct child *child, const struct waking *w,
		     bool *signalled, struct error *err)
{
	/* The child reports its timeout shortly after its deadline. */
	int64_t until = w->deadline_ns + CLOCK_NS_PER_S;
	int fd = -1;
	enum child_news news = helper_process_wait(child, until, &fd, err);

	if (news == CHILD_TOLD) {
		if (signal_send(w->jvm, err)) {
			child_tell(child->channel, WAKE_NOT_SIGNALLED, -1);
			return -1;
		}
		*signalled = true;
		child_tell(child->channel, WAKE_SIGNALLED, -1);
		news = helper_process_wait(child, w->deadline_ns, &fd, err);
	}
	return news == CHILD_DONE ? fd : -1;
}

int attach_wake(const struct jvm *jvm, int64_t deadline_ns, bool *is_silent,
		struct error *err)
{
	struct waking w = {
		.jvm = jvm,
		.deadline_ns = deadline_ns,
		.tmp = -1,
		.cwd = -1,
		.trigger_dir = -1,
	};
	struct child child;
	bool signalled = false;
	int fd;

	*is_silent = false;
	attach_trigger_name(jvm, w.trigger);
	if (helper_process_start(&child, jvm, wake_job, &w, err))
		return -1;
	waking_channel = child.channel;
	fd = wake_lead(&child, &w, &signalled, err);
	waking_channel = -1;
	*is_silent = fd < 0 && err->sys == ETIMEDOUT && signalled;
	/* The file must stay for a JVM that looks for it late. */
	if (*is_silent)
		child_leave(&child);
	else
		helper_process_end(&child);
	return fd;
}
