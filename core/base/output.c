/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/output.h"

#include "core/base/alloc.h"
#include "core/base/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)256 << 10)
#define LINKS_MAX   40 /* Linux follows as many links */

#define NAME_TRIES  100

/* Maximum time that a named pipe waits for a reader. */
#define READER_WAIT_MS 5000
#define READER_POLL_MS 50

/*
 * The temporary file of the process and its directory, for a signal handler
 * that removes it. There is at most one, see output_create_temporary().
 */
static const char *volatile pending;
static volatile int pending_dir;

int output_file(const char *path, const void *bytes, size_t len,
		struct error *err)
{
	struct output out;
	int ret = output_open(&out, path, err);

	if (ret == 0) {
		output_write(&out, bytes, len);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

void output_abandon_all(void)
{
	const char *path = pending;

	if (path)
		unlinkat(pending_dir, path, 0);
}

/*
 * Devices and pipes cannot be replaced by rename(2), so they are written in
 * place.
 */
static bool output_is_in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Creates a file beside the target; the X of name become its own name. */
static int output_create_named(int dir, char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	size_t end = strlen(name);
	uint8_t random[6];
	int fd = -1;

	for (int i = 0; i < NAME_TRIES; i++) {
		if (getrandom(random, sizeof(random), 0) < 0)
			return -1;
		for (size_t k = 0; k < sizeof(random); k++)
			name[end - sizeof(random) +
			     k] = letters[random[k] % 32];
		fd = openat(dir, name,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/*
 * Blocks signals, so that a handler finds both the file and its name, or
 * neither.
 */
static int output_create_temporary(int dir, char *name)
{
	sigset_t all, old;
	int fd, sys;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	/* A second one would remain if a signal ended the process. */
	assert(!pending);
	fd = output_create_named(dir, name);
	sys = errno;
	if (fd >= 0) {
		pending_dir = dir;
		pending = name;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = sys;
	return fd;
}

static mode_t output_new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Copies the owner of the file that will be replaced, if permitted. Returns the
 * mode for the new file: without setuid bits, which were meant for the old
 * owner, and without the group's permissions if the group cannot be copied.
 */
static mode_t output_copy_owner(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;
	struct stat now;

	if (fchown(fd, old->st_uid, old->st_gid) < 0 &&
	    fchown(fd, (uid_t)-1, old->st_gid) < 0 && fstat(fd, &now) == 0 &&
	    now.st_gid != old->st_gid)
		mode &= ~(mode_t)070;
	return mode;
}

/* out->target is set; old is the existing file, or NULL. */
static int output_open_temporary(struct output *out, const struct stat *old,
				 struct error *err)
{
	mode_t mode;

	struct text name = { 0 };

	text_printf(&name, "%s.XXXXXX", out->target);
	out->temporary = name.bytes;
	out->fd = output_create_temporary(out->dir, out->temporary);
	if (out->fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot create",
				out->name);
	}
	if (!old)
		mode = output_new_mode();
	else if (out->is_shared && old->st_uid != geteuid())
		mode = old->st_mode & 0700;
	else
		mode = output_copy_owner(out->fd, old);
	if (fchmod(out->fd, mode) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot set mode",
				out->name);
	return 0;
}

/*
 * True if users other than the owner create files in the directory: the sticky
 * bit alone keeps them from replacing each other's.
 */
static bool directory_is_shared(const struct stat *dir)
{
	return (dir->st_mode & S_IWOTH) ||
	       ((dir->st_mode & S_ISVTX) && (dir->st_mode & S_IWGRP));
}

/* Opens the directory of a path; *base is the name in it. */
static int output_open_directory(struct output *out, const char *path,
				 const char **base)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? xstrndup(path, slash == path
						    ? 1
						    : (size_t)(slash - path))
			   : xstrdup(".");
	int dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(name);
	if (out->dir >= 0)
		close(out->dir);
	out->dir = dir;
	*base = slash ? slash + 1 : path;
	return dir;
}

/* Replaces a path by the one that its last component, a link, leads to. */
static bool output_follow(struct output *out, char **path, const char *base)
{
	struct text next = { 0 };
	char link[PATH_MAX];
	ssize_t len = readlinkat(out->dir, base, link, sizeof(link));

	if (len <= 0 || len == sizeof(link))
		return false;
	if (link[0] != '/')
		text_add(&next, *path, (size_t)(base - *path));
	text_add(&next, link, (size_t)len);
	free(*path);
	*path = next.bytes;
	return true;
}

/*
 * Finds the directory and the name of the file, following links. Each link is
 * read here, so the kernel does not apply its rules (fs.protected_symlinks,
 * protected_regular, protected_fifos in proc(5)): in a directory that users
 * share, an entry of another user is refused, unless it belongs to the owner of
 * the directory. *old is the existing file; its mode is 0 if there is none.
 */
static int output_resolve(struct output *out, bool follow, struct stat *old,
			  struct error *err)
{
	char *path = xstrdup(out->name);
	const char *base;
	struct stat dir;
	int ret = -1;

	*old = (struct stat){ 0 };
	for (int i = 0; i <= LINKS_MAX; i++) {
		errno = ELOOP;
		if (i == LINKS_MAX ||
		    output_open_directory(out, path, &base) < 0 ||
		    fstat(out->dir, &dir) < 0) {
			fail_sys(err, ERROR_OUTPUT, "%s: cannot create",
				 out->name);
			break;
		}
		out->is_shared = directory_is_shared(&dir);
		if (fstatat(out->dir, base, old, AT_SYMLINK_NOFOLLOW) < 0)
			*old = (struct stat){ 0 };
		if (old->st_mode && follow && out->is_shared &&
		    old->st_uid != geteuid() && old->st_uid != dir.st_uid) {
			fail(err, ERROR_OUTPUT,
			     "%s: belongs to another user, in a directory "
			     "where "
			     "others may write; choose another name",
			     out->name);
			break;
		}
		if (follow && S_ISLNK(old->st_mode) &&
		    output_follow(out, &path, base))
			continue;
		out->target = xstrdup(base);
		ret = 0;
		break;
	}
	free(path);
	return ret;
}

static int output_open_beside(struct output *out, const struct stat *old,
			      struct error *err)
{
	if (old->st_mode && faccessat(out->dir, out->target, W_OK, 0) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
				out->name);
	return output_open_temporary(out, old->st_mode ? old : NULL, err);
}

/*
 * Opens a device or a pipe. A pipe without a reader would wait forever; another
 * process may have put a regular file in its place meanwhile, or, in a shared
 * directory, a pipe or a link of its own.
 */
static int output_open_in_place(struct output *out, const struct stat *old,
				struct error *err)
{
	struct stat st = { 0 };
	int waited = 0;

	stat(out->name, &st);
	do {
		out->fd = open(out->name,
			       O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (out->fd >= 0 || errno != ENXIO || !S_ISFIFO(st.st_mode))
			break;
		poll(NULL, 0, READER_POLL_MS);
		waited += READER_POLL_MS;
	} while (waited < READER_WAIT_MS);
	if (out->fd < 0 && errno == ENXIO && waited)
		return fail(err, ERROR_OUTPUT,
			    "%s: no process reads from this pipe", out->name);
	if (out->fd < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot open",
				out->name);
	if (fstat(out->fd, &st) < 0 || S_ISREG(st.st_mode) ||
	    (out->is_shared &&
	     (st.st_dev != old->st_dev || st.st_ino != old->st_ino)))
		return fail(err, ERROR_OUTPUT, "%s: was replaced meanwhile",
			    out->name);
	if (fcntl(out->fd, F_SETFL, 0) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot open",
				out->name);
	return 0;
}

static void output_init(struct output *out, const char *path)
{
	*out = (struct output){ .name = path, .fd = -1, .dir = -1 };
	out->buffer = xmalloc(BUFFER_SIZE);
}

int output_open_unfollowed(struct output *out, const char *path,
			   struct error *err)
{
	struct stat old;

	output_init(out, path);
	if (output_resolve(out, false, &old, err))
		return -1;
	return output_open_temporary(out, NULL, err);
}

int output_open(struct output *out, const char *path, struct error *err)
{
	struct stat old;

	output_init(out, path);
	if (strcmp(path, "-") == 0) {
		out->name = "<stdout>";
		out->fd = STDOUT_FILENO;
		return 0;
	}
	if (output_resolve(out, true, &old, err))
		return -1;
	return output_is_in_place(path) ? output_open_in_place(out, &old, err)
					: output_open_beside(out, &old, err);
}

int output_try(const char *path, struct error *err)
{
	bool is_stdout = strcmp(path, "-") == 0;
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	struct output out;
	struct stat st;
	int ret;

	if (is_stdout && (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)) {
		errno = EBADF;
		return fail_sys(err, ERROR_OUTPUT, "<stdout>: cannot write");
	}
	if (is_stdout)
		return 0;
	if (output_is_in_place(path)) {
		output_init(&out, path);
		ret = output_resolve(&out, true, &st, err);
		output_close(&out);
		if (ret)
			return -1;
		errno = EISDIR;
		if ((stat(path, &st) == 0 && S_ISDIR(st.st_mode)) ||
		    access(path, W_OK) < 0)
			return fail_sys(err, ERROR_OUTPUT, "%s: cannot open",
					path);
		return 0;
	}
	ret = output_open(&out, path, err);
	output_close(&out);
	return ret;
}

int output_open_device(const char *path, struct error *err)
{
	struct output out;
	int fd;

	if (!output_is_in_place(path))
		return OUTPUT_NO_DEVICE;
	fd = output_open(&out, path, err) ? -1 : out.fd;
	if (fd >= 0)
		out.fd = -1;
	output_close(&out);
	return fd;
}

static void output_write_out(struct output *out, const uint8_t *bytes,
			     size_t len)
{
	while (len && !out->sys) {
		ssize_t put = write(out->fd, bytes, len);

		/* Another process may have made the pipe non-blocking. */
		if (put < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = out->fd,
					       .events = POLLOUT },
			     1, -1);
		else if (put < 0 && errno != EINTR)
			out->sys = errno;
		if (put > 0) {
			bytes += put;
			len -= (size_t)put;
			out->written += (uint64_t)put;
		}
	}
}

static void output_flush(struct output *out)
{
	output_write_out(out, out->buffer, out->used);
	out->used = 0;
}

void output_write(struct output *out, const void *bytes, size_t len)
{
	if (len > BUFFER_SIZE - out->used)
		output_flush(out);
	if (len >= BUFFER_SIZE) {
		output_write_out(out, bytes, len);
	} else if (len) {
		memcpy(out->buffer + out->used, bytes, len);
		out->used += len;
	}
}

void output_puts(struct output *out, const char *text)
{
	output_write(out, text, strlen(text));
}

void output_printf(struct output *out, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len >= 0) {
		output_write(out, text, (size_t)len);
		free(text);
	} else {
		out->sys = ENOMEM;
	}
}

int output_check(const struct output *out, struct error *err)
{
	if (!out->sys)
		return 0;
	errno = out->sys;
	return fail_sys(err, ERROR_OUTPUT, "%s: cannot write", out->name);
}

int output_commit(struct output *out, struct error *err)
{
	output_flush(out);
	/*
	 * A network file system may report a full disk only here, and a machine
	 * that crashes after the rename must not leave an empty file.
	 */
	if (out->temporary) {
		if (!out->sys && fsync(out->fd) < 0 && errno != EINVAL &&
		    errno != ENOTSUP)
			out->sys = errno;
		if (close(out->fd) < 0 && !out->sys)
			out->sys = errno;
		out->fd = -1;
	}
	if (!out->sys && out->temporary &&
	    renameat(out->dir, out->temporary, out->dir, out->target) < 0)
		out->sys = errno;
	if (out->sys) {
		errno = out->sys;
		return fail_sys(err, ERROR_OUTPUT,
				"%s: cannot write, %llu bytes were written",
				out->name, (unsigned long long)out->written);
	}
	if (out->temporary) {
		pending = NULL;
		free(out->temporary);
		out->temporary = NULL;
	}
	return 0;
}

void output_close(struct output *out)
{
	if (out->temporary) {
		unlinkat(out->dir, out->temporary, 0);
		pending = NULL;
		free(out->temporary);
	}
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	if (out->dir > STDERR_FILENO)
		close(out->dir);
	free(out->target);
	free(out->buffer);
	*out = (struct output){ .fd = -1, .dir = -1 };
}

size_t output_terminal_width(const char *path)
{
	struct winsize size;

	if (strcmp(path, "-") != 0 || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

bool output_wants_color(const char *path)
{
	const char *no = getenv("NO_COLOR");

	return strcmp(path, "-") == 0 && isatty(STDOUT_FILENO) && (!no || !*no);
}
