/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/output.h"

#include "core/base/alloc.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)256 << 10)

/* The one temporary file of the process, for a signal handler to remove. */
static const char *volatile pending;

void output_abandon_all(void)
{
	const char *path = pending;

	if (path)
		unlink(path);
}

/* Devices and pipes cannot be renamed over; they are written in place. */
static bool is_in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A signal finds both the file and its name in pending, or neither. */
static int create_temporary(char *name)
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

/* out->target is set; mode is what the file is to have. */
static int open_temporary(struct output *out, mode_t mode, struct error *err)
{
	struct text name = { 0 };

	text_printf(&name, "%s.XXXXXX", out->target);
	out->temporary = name.bytes;
	out->fd = create_temporary(out->temporary);
	if (out->fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot create",
				out->name);
	}
	if (fchmod(out->fd, mode) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot set mode",
				out->name);
	return 0;
}

static mode_t mode_of_new(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int open_beside(struct output *out, struct error *err)
{
	mode_t mode = mode_of_new();
	struct stat st;

	out->target = realpath(out->name, NULL);
	if (!out->target)
		out->target = xstrdup(out->name);
	if (access(out->target, F_OK) == 0 && access(out->target, W_OK) < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
				out->name);
	if (stat(out->target, &st) == 0)
		mode = st.st_mode & 07777;
	return open_temporary(out, mode, err);
}

int output_open_unfollowed(struct output *out, const char *path,
			   struct error *err)
{
	*out = (struct output){ .name = path, .fd = -1 };
	out->buffer = xmalloc(BUFFER_SIZE);
	out->target = xstrdup(path);
	return open_temporary(out, mode_of_new(), err);
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
	if (!is_in_place(path))
		return open_beside(out, err);
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
	if (is_in_place(path)) {
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

static void write_out(struct output *out, const uint8_t *bytes, size_t len)
{
	while (len && !out->sys) {
		ssize_t put = write(out->fd, bytes, len);

		/* Somebody may have made a pipe of ours non-blocking. */
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

static void flush(struct output *out)
{
	write_out(out, out->buffer, out->used);
	out->used = 0;
}

void output_write(struct output *out, const void *bytes, size_t len)
{
	if (len > BUFFER_SIZE - out->used)
		flush(out);
	if (len >= BUFFER_SIZE) {
		write_out(out, bytes, len);
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
	flush(out);
	/* A network file system may tell only now that it has no room. */
	if (out->temporary) {
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
