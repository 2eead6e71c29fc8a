/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/top_recorder.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/threads/top_record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 10000

struct top_recorder {
	const char *path;
	int fd;
	struct text line;
};

/* Waits for a reader of a pipe; false when none comes, or errno is not that. */
static bool may_go_on(int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	return errno == EAGAIN && poll(&out, 1, PATIENCE_MS) > 0;
}

/* Writes r->line and empties it. */
static int write_line(struct top_recorder *r, struct error *err)
{
	const char *at = r->line.bytes;
	size_t left = r->line.len;

	while (left) {
		ssize_t put = write(r->fd, at, left);

		if (put < 0 && !may_go_on(r->fd))
			return fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
					r->path);
		if (put > 0) {
			at += put;
			left -= (size_t)put;
		}
	}
	text_clear(&r->line);
	return 0;
}

static int create(const char *path, struct error *err)
{
	const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int fd;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		fd = open(path, flags);
	else
		fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	if (fd < 0 && errno == EEXIST)
		return fail(err, ERROR_OUTPUT,
			    "%s exists, and a recording is not written over; "
			    "choose another name",
			    path);
	if (fd < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot create", path);
	return fd;
}

struct top_recorder *top_recorder_open(const char *path,
				       struct thread_source *source,
				       struct error *err)
{
	struct top_recorder *r;
	int fd = create(path, err);

	if (fd < 0)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->path = path;
	r->fd = fd;
	top_record_head(&r->line, source->ops->title(source), source->pid,
			clock_wall_ns());
	if (write_line(r, err) == 0)
		return r;
	top_recorder_close(r, &(struct error){ 0 });
	return NULL;
}

int top_recorder_sample(struct top_recorder *r, const struct top_sample *sample,
			struct error *err)
{
	top_record_sample(&r->line, sample);
	return write_line(r, err);
}

int top_recorder_shown(struct top_recorder *r, const char *what, int64_t of,
		       const char *text, size_t len, struct error *err)
{
	top_record_shown(&r->line, what, of, text, len);
	return write_line(r, err);
}

int top_recorder_close(struct top_recorder *r, struct error *err)
{
	int ret = 0;

	if (!r)
		return 0;
	if (close(r->fd) < 0)
		ret = fail_sys(err, ERROR_OUTPUT, "%s: cannot write", r->path);
	text_release(&r->line);
	free(r);
	return ret;
}
