/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/jvm.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEW_FILE_MODE 0600
#define TRIES         8 /* openat2(2) fails with EAGAIN during a rename */

/*
 * Flags for all files of a target. A pipe or a terminal in place of a file must
 * neither block sjkc nor become its controlling terminal.
 */
static int safe_flags(int flags)
{
	flags |= O_CLOEXEC;
	return flags & O_PATH ? flags : flags | O_NONBLOCK | O_NOCTTY;
}

static int path_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.mode = flags & O_CREAT ? NEW_FILE_MODE : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return (int)fd;
}

/* Opens one component and closes dir unless it is the root. */
static int path_step(int root, int dir, const char *name, int flags)
{
	int fd = -1, sys;

	if (strcmp(name, "..") == 0)
		errno = EXDEV;
	else
		fd = openat(dir, name, flags | O_NOFOLLOW, NEW_FILE_MODE);
	sys = errno;
	if (dir != root)
		close(dir);
	errno = sys;
	return fd;
}

/*
 * For kernels before 5.6 and filters that refuse openat2(2): follows no link.
 */
static int path_walk(int root, const char *path, int flags)
{
	char name[256];
	int dir = root;

	while (dir >= 0) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len >= sizeof(name)) {
			if (dir != root)
				close(dir);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, path, len);
		name[len] = '\0';
		path += len + strspn(path + len, "/");
		if (!*path)
			return path_step(root, dir, *name ? name : ".", flags);
		dir = path_step(root, dir, name,
				O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return -1;
}

static enum error_kind file_kind(int sys)
{
	switch (sys) {
	case EACCES:
	case EPERM:
		return ERROR_PERMISSION;
	case ELOOP:
	case EXDEV:
		return ERROR_REFUSED;
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
		return ERROR_UNAVAILABLE;
	default:
		return ERROR_FAILED;
	}
}

int jvm_open_held(int held, int flags)
{
	char path[32];
	struct stat st;

	if (fstat(held, &st) < 0)
		return -1;
	if (S_ISLNK(st.st_mode)) {
		errno = ELOOP;
		return -1;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		errno = ENXIO;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
	return open(path, safe_flags(flags & ~O_NOFOLLOW));
}

static int path_open_below(int root, const char *path, int flags)
{
	int fd = path_open(root, path, flags);

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = path_walk(root, path, flags);
	return fd;
}

/* Opened with O_PATH first, because opening a device can have side effects. */
static int file_open(int root, const char *path, int flags)
{
	int held, fd, sys;

	if (flags & (O_PATH | O_CREAT))
		return path_open_below(root, path, safe_flags(flags));
	held = path_open_below(root, path,
			       (flags & (O_DIRECTORY | O_NOFOLLOW)) | O_PATH |
				       O_CLOEXEC);
	if (held < 0)
		return -1;
	fd = jvm_open_held(held, flags);
	sys = errno;
	close(held);
	errno = sys;
	return fd;
}

int jvm_open_file(const struct jvm *jvm, const char *path, int flags,
		  struct error *err)
{
	int root = jvm->is_hidden ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
				  : procfs_open(jvm->pid, "root",
						O_PATH | O_DIRECTORY, err);
	int fd = -1, sys;

	if (root < 0)
		return jvm->is_hidden ? fail_sys(err, ERROR_FAILED, "/") : -1;
	/*
	 * The root must belong to this process, not to a later one with its
	 * PID.
	 */
	if (!jvm_runs(jvm)) {
		close(root);
		return fail(err, ERROR_NO_TARGET, "%d has exited",
			    (int)jvm->pid);
	}
	fd = file_open(root, path, flags);
	sys = errno;
	close(root);
	if (fd >= 0)
		return fd;
	errno = sys;
	return fail_sys(err, file_kind(sys), "%d: %s", (int)jvm->pid, path);
}

size_t jvm_root_len(const struct jvm *jvm, const char *path, size_t len)
{
	char link[32], root[PATH_MAX];
	ssize_t root_len;

	snprintf(link, sizeof(link), "/proc/%d/root",
		 (int)procfs_owner(jvm->pid));
	root_len = readlink(link, root, sizeof(root));
	return root_len > 1 && (size_t)root_len < len &&
			       memcmp(path, root, (size_t)root_len) == 0 &&
			       path[root_len] == '/'
		       ? (size_t)root_len
		       : 0;
}
