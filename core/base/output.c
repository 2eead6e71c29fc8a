/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/output.h"

#include "core/base/alloc.h"
#include "core/base/text.h"

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
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)256 << 10)
#define LINKS_MAX   40 /* Linux follows as many links */

/*
 * The temporary file of the process, which a signal handler removes. There is
 * at most one.
 */
static const char *volatile pending;

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
		unlink(path);
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

/*
 * Blocks signals, so that a handler finds both the file and its name, or
 * neither.
 */
static int output_create_temporary(char *name)
{
	sigset_t all, old;
	int fd, sys;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	fd = mkostemp(name, O_CLOEXEC);
	sys = errno;
	if (fd >= 0)
		pending = name;
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
	out->fd = output_create_temporary(out->temporary);
	if (out->fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot create",
				out->name);
	}
	mode = old ? output_copy_owner(out->fd, old) : output_new_mode();
	if (fchmod(out->fd, mode) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot set mode",
				out->name);
	return 0;
}

/*
 * Returns the path that a dangling symbolic link leads to, where the file will
 * be created. realpath(3) fails for such links.
 */
static char *output_follow_dangling(const char *path)
{
	char *at = xstrdup(path);
	char link[PATH_MAX];
	int steps = 0;
	ssize_t len;

	while ((len = readlink(at, link, sizeof(link) - 1)) > 0 &&
	       steps++ < LINKS_MAX) {
		struct text next = { 0 };
		const char *slash = strrchr(at, '/');

		link[len] = '\0';
		if (slash && *link != '/')
			text_add(&next, at, (size_t)(slash + 1 - at));
		text_puts(&next, link);
		free(at);
		at = next.bytes;
	}
	return at;
}

static int output_open_beside(struct output *out, struct error *err)
{
	struct stat st;
	bool is_there;

	out->target = realpath(out->name, NULL);
	if (!out->target)
		out->target = output_follow_dangling(out->name);
	is_there = stat(out->target, &st) == 0;
	if (is_there && access(out->target, W_OK) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
				out->name);
	return output_open_temporary(out, is_there ? &st : NULL, err);
}

int output_open_unfollowed(struct output *out, const char *path,
			   struct error *err)
{
	*out = (struct output){ .name = path, .fd = -1 };
	out->buffer = xmalloc(BUFFER_SIZE);
	out->target = xstrdup(path);
	return output_open_temporary(out, NULL, err);
}

int output_open(struct output *out, const char *path, struct error *err)
{
	*out = (struct output){ .name = path, .fd = -1 };
	out->buffer = xmalloc(BUFFER_SIZE);
	if (strcmp(path, "-") == 0) {
		out->name = "<stdout>";
		out->fd = STDOUT_FILENO;
		return 0;
	}
	if (!output_is_in_place(path))
		return output_open_beside(out, err);
	out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (out->fd < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot open", path);
	return 0;
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
	    rename(out->temporary, out->target) < 0)
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
		unlink(out->temporary);
		pending = NULL;
		free(out->temporary);
	}
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	free(out->target);
	free(out->buffer);
	*out = (struct output){ .fd = -1 };
}

size_t output_terminal_width(const char *path)
{
	struct winsize size;

	if (strcmp(path, "-") != 0 || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

bool output_wants_colour(const char *path)
{
	const char *no = getenv("NO_COLOR");

	return strcmp(path, "-") == 0 && isatty(STDOUT_FILENO) && (!no || !*no);
}
