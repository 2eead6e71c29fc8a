/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_reply.h"

#include "core/base/alloc.h"
#include "core/base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PART ((size_t)256 << 10)

void attach_reply_init(struct attach_reply *r)
{
	*r = (struct attach_reply){
		.memory_limit = ATTACH_REPLY_MEMORY,
		.limit = ATTACH_REPLY_LIMIT,
		.file = -1,
	};
}

void attach_reply_release(struct attach_reply *r)
{
	text_release(&r->memory);
	if (r->file >= 0)
		close(r->file);
	r->file = -1;
}

static int too_large(const struct attach_reply *r, struct error *err)
{
	struct text size = { 0 };

	units_add_bytes(&size, (double)r->limit);
	fail(err, ERROR_REFUSED, "the reply is larger than %s", size.bytes);
	text_release(&size);
	return -1;
}

/* A file without a name, on disk if there is a place for it. */
static int open_file(struct error *err)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp",
		      O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create("sjkc reply", MFD_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, ERROR_OUTPUT,
				"no file can be made for a large reply");
	return fd;
}

static int write_file(struct attach_reply *r, const char *bytes, size_t len,
		      struct error *err)
{
	if (r->file < 0)
		r->file = open_file(err);
	if (r->file < 0)
		return -1;
	while (len) {
		ssize_t put = write(r->file, bytes, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return fail_sys(err, ERROR_OUTPUT,
					"no room for a large reply");
		bytes += put;
		len -= (size_t)put;
		r->filed += (uint64_t)put;
	}
	return 0;
}

int attach_reply_add(struct attach_reply *r, const void *bytes, size_t len,
		     struct error *err)
{
	if (r->memory.len + r->filed + len > r->limit)
		return too_large(r, err);
	if (r->file >= 0 || r->memory.len + len > r->memory_limit)
		return write_file(r, bytes, len, err);
	text_add(&r->memory, bytes, len);
	return 0;
}

static int give_file(struct attach_reply *r, attach_sink_fn *sink, void *self,
		     struct error *err)
{
	char *part = xmalloc(PART);
	uint64_t at = 0;
	int ret = 0;

	while (ret == 0 && at < r->filed) {
		ssize_t got = pread(r->file, part, PART, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			ret = fail_sys(err, ERROR_FAILED,
				       "the reply cannot be read back");
			break;
		}
		ret = sink(self, part, (size_t)got, err);
		at += (uint64_t)got;
	}
	free(part);
	return ret;
}

int attach_reply_give(struct attach_reply *r, attach_sink_fn *sink, void *self,
		      struct error *err)
{
	if (r->memory.len && sink(self, r->memory.bytes, r->memory.len, err))
		return -1;
	return r->filed ? give_file(r, sink, self, err) : 0;
}
