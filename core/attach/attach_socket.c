/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_socket.h"

#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Replies are read in one go: a reader that lags behind may hold up the JVM. */
#define RECEIVE_BUFFER ((int)1 << 20)
#define UNIX_LIMIT     ((size_t)16 << 20) /* of /proc/PID/net/unix */
#define FIRST_NAP_NS   (1 * CLOCK_NS_PER_MS)
#define LAST_NAP_NS    (50 * CLOCK_NS_PER_MS)
#define LOCKS_LIMIT    ((size_t)1 << 20)

void attach_socket_name(const struct jvm *jvm, char name[ATTACH_NAMES])
{
	snprintf(name, ATTACH_NAMES, ".java_pid%d", (int)jvm->ns_pid);
}

void attach_trigger_name(const struct jvm *jvm, char name[ATTACH_NAMES])
{
	snprintf(name, ATTACH_NAMES, ".attach_pid%d", (int)jvm->ns_pid);
}

int attach_socket_dir(const struct jvm *jvm, struct error *err)
{
	return jvm_open_file(jvm, "/tmp", O_PATH | O_DIRECTORY, err);
}

/*
 * As the JDK's own client has it: a socket of the JVM's user and group that
 * nobody else may open.  HotSpot makes it 0600 before it gives it the name.
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

/* The creds are those of whoever called listen(2), as we see them. */
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

/* Bounds connect(2) itself, which waits for room in the JVM's backlog. */
static void socket_set_timeout(int fd, int64_t deadline_ns)
{
	int left_ms = clock_left_ms(deadline_ns);
	struct timeval tv = {
		.tv_sec = left_ms / 1000,
		/* 0 would be for ever. */
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

	/* The path is the file that was looked at, whatever its name is now. */
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

/* "socket:[1234]" among the process's files. */
static bool has_socket(const struct jvm *jvm, uint64_t inode)
{
	char path[64], wanted[64], link[64];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)jvm->pid);
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
 * "0000…: 00000002 00000000 00010000 0001 01 4242 /tmp/.java_pid7.tmp": the
 * name is what it was bound to, which HotSpot renames when it listens.  Flag
 * 0x10000 is a listener's (__SO_ACCEPTCON).
 */
static bool is_listener(struct line line, const char *name, uint64_t *inode)
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
	struct error unused;
	uint64_t inode;
	bool found = false;

	attach_socket_name(jvm, name);
	if (procfs_read(jvm->pid, "net/unix", UNIX_LIMIT, &table, &unused))
		return false;
	lines = lines_over(table.bytes, table.len);
	while (!found && lines_next(&lines, &line))
		found = is_listener(line, name, &inode) &&
			has_socket(jvm, inode);
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

/* The lock. */

/*
 * "1: FLOCK  ADVISORY  WRITE 4242 00:16:12345 0 EOF": proc(5).  The pid is 0
 * for a process that we cannot see.
 */
static pid_t lock_holder_of_line(struct line line, const char *inode)
{
	char text[128];
	char *at, *pid;

	if (line.len >= sizeof(text))
		return 0;
	memcpy(text, line.text, line.len);
	text[line.len] = '\0';
	at = strstr(text, inode);
	if (!strstr(text, " FLOCK ") || strstr(text, " -> ") || !at)
		return 0;
	/* Back over "00:16" and the blank to the pid. */
	*at = '\0';
	at = strrchr(text, ' ');
	if (!at)
		return 0;
	*at = '\0';
	pid = strrchr(text, ' ');
	return pid ? (pid_t)strtol(pid + 1, NULL, 10) : 0;
}

/* Who has a lock on that file, or 0. */
static pid_t lock_holder(int fd)
{
	struct text locks = { 0 };
	struct error unused;
	struct lines lines;
	struct line line;
	struct stat st;
	char inode[32];
	pid_t pid = 0;

	if (fstat(fd, &st) < 0)
		return 0;
	snprintf(inode, sizeof(inode), ":%" PRIu64 " ", (uint64_t)st.st_ino);
	/* /proc/PID/../locks is /proc/locks. */
	if (procfs_read(getpid(), "../locks", LOCKS_LIMIT, &locks, &unused))
		return 0;
	lines = lines_over(locks.bytes, locks.len);
	while (!pid && lines_next(&lines, &line))
		pid = lock_holder_of_line(line, inode);
	text_release(&locks);
	return pid;
}

static int lock_held_too_long(const struct jvm *jvm, int fd, struct error *err)
{
	pid_t pid = lock_holder(fd);

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
	int64_t ns = FIRST_NAP_NS;
	struct error unused;
	int ret = 0;

	*fd = procfs_open(jvm->pid, "environ", O_RDONLY, &unused);
	if (*fd < 0)
		return 0;
	while (flock(*fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		if (clock_left_ms(deadline_ns) == 0) {
			ret = lock_held_too_long(jvm, *fd, err);
			break;
		}
		clock_sleep_until(clock_monotonic_ns() + ns);
		ns = ns * 2 < LAST_NAP_NS ? ns * 2 : LAST_NAP_NS;
	}
	if (ret == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return ret;
}
