/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/input.h"

#include "core/base/alloc.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads fd and appends to *buf until it has max bytes or fd ends. */
static int input_read_up_to(int fd, uint8_t **buf, size_t *len, size_t max,
			    struct error *err)
{
	size_t cap = *len;

	while (*len < max) {
		ssize_t got;
		size_t room;

		if (*len == cap)
			array_reserve(*buf, cap, cap ? cap * 2 : 64 << 10);
		room = cap - *len < max - *len ? cap - *len : max - *len;
		got = read(fd, *buf + *len, room);
		if (got < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1,
			     -1);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return fail_sys(err, ERROR_INPUT, "cannot read");
		if (got == 0)
			break;
		*len += (size_t)got;
	}
	return 0;
}

static int input_map_file(struct input *in, size_t size, struct error *err)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, in->fd, 0);

	if (map == MAP_FAILED)
		return fail_sys(err, ERROR_INPUT, "cannot map");
	madvise(map, size, MADV_SEQUENTIAL);
	in->mapped = map;
	in->mapped_len = size;
	/*
	 * A closed descriptor does not count against the limit on open files,
	 * and thousands of inputs may be open at once. The mapping stays valid.
	 */
	if (in->fd > STDERR_FILENO)
		close(in->fd);
	in->fd = -1;
	return 0;
}

/* Maximum time that a named pipe waits for a writer. */
#define WRITER_WAIT_MS 5000
#define WRITER_POLL_MS 50

/*
 * Waits until a pipe opened with O_NONBLOCK has a writer; by then the first
 * byte may have arrived. Without a writer, a read would return end of file at
 * once, and a blocking open would wait forever.
 */
static int input_await_writer(struct input *in, struct error *err)
{
	in->raw = xmalloc(1);
	for (int waited = 0; waited <= WRITER_WAIT_MS;
	     waited += WRITER_POLL_MS) {
		ssize_t got = read(in->fd, in->raw, 1);

		if (got < 0 && errno == EAGAIN)
			return 0; /* a writer has opened the pipe but written
				     nothing */
		if (got < 0 && errno != EINTR)
			return fail_sys(err, ERROR_INPUT, "cannot read");
		if (got > 0) {
			in->raw_len = 1;
			return 0;
		}
		poll(NULL, 0, WRITER_POLL_MS);
	}
	return fail(err, ERROR_INPUT, "no process writes to this pipe");
}

static int input_open_path(struct input *in, const char *path, struct stat *st,
			   struct error *err)
{
	if (strcmp(path, "-") == 0) {
		in->name = "<stdin>";
		in->fd = STDIN_FILENO;
	} else {
		in->name = path;
		in->fd = open(path,
			      O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (in->fd < 0)
			return fail_sys(err, ERROR_INPUT, "cannot open");
	}
	if (fstat(in->fd, st) < 0)
		return fail_sys(err, ERROR_INPUT, "cannot stat");
	if (S_ISDIR(st->st_mode))
		return fail(err, ERROR_INPUT, "is a directory");
	if (in->fd == STDIN_FILENO)
		return 0;
	if (S_ISFIFO(st->st_mode) && input_await_writer(in, err))
		return -1;
	if (fcntl(in->fd, F_SETFL, 0) < 0)
		return fail_sys(err, ERROR_INPUT, "cannot set to wait");
	return 0;
}

/* Sets the compressed bytes that have been read so far. */
static void input_compressed(const struct input *in, const uint8_t **bytes,
			     size_t *len)
{
	*bytes = in->mapped ? in->mapped : in->raw;
	*len = in->mapped ? in->mapped_len : in->raw_len;
}

/* Unpacks a file, or the only member of a ZIP file. */
static struct inflated input_unpack_once(const struct input *in, size_t max)
{
	struct inflated out;
	const uint8_t *bytes;
	size_t len;

	input_compressed(in, &bytes, &len);
	if (!in->zipped)
		return unpack_bytes(in->packed, bytes, len, max);
	out = archive_unpack(&in->member, max, INFLATE_BOMB_BYTES);
	if (!out.damage && in->zip_is_cut)
		out.damage = "truncated ZIP file";
	return out;
}

/* Unpacks the input, which may be compressed twice: profile.pb.gz in a ZIP. */
static void input_unpack(struct input *in, size_t max)
{
	struct inflated out = input_unpack_once(in, max);
	enum unpack_kind kind = unpack_kind(out.bytes, out.len);

	if (kind != UNPACK_NONE) {
		struct inflated inner = unpack_bytes(kind, out.bytes, out.len,
						     max);

		if (out.damage)
			inner.damage = out.damage;
		free(out.bytes);
		out = inner;
	}
	free(in->owned);
	in->owned = out.bytes;
	in->bytes = out.bytes;
	in->len = out.len;
	in->damage = out.damage;
}

/* Finds the only file of a ZIP file; other ZIP files remain as they are. */
static int input_find_member(struct input *in, struct error *err)
{
	struct archive_member m;
	struct archive archive;
	size_t count = 0;

	if (!in->complete &&
	    input_read_up_to(in->fd, &in->raw, &in->raw_len, SIZE_MAX, err))
		return -1;
	input_compressed(in, &in->bytes, &in->len);
	in->complete = true;
	archive_open(&archive, in->bytes, in->len);
	while (archive_next(&archive, &m)) {
		if (archive_is_file(&m) && !count++)
			in->member = m;
	}
	in->zipped = count == 1;
	in->zip_is_cut = archive.is_cut || archive.is_damaged;
	return 0;
}

/* Detects the compression, and unpacks the head. */
static int input_unpack_head(struct input *in, struct error *err)
{
	in->packed = unpack_kind(in->bytes, in->len);
	if (in->packed == UNPACK_NONE && archive_is_zip(in->bytes, in->len) &&
	    input_find_member(in, err))
		return -1;
	if (in->packed == UNPACK_NONE && !in->zipped)
		return 0;
	input_unpack(in, INPUT_HEAD);
	in->complete = false;
	if (in->len)
		return 0;
	return fail(err, ERROR_INPUT, "empty after decompression%s%s",
		    in->damage ? ": " : "", in->damage ? in->damage : "");
}

/* Removes what programs put before text, and decodes UTF-16. */
static void input_make_plain(struct input *in)
{
	uint8_t *decoded = plain_text(&in->bytes, &in->len);

	if (!decoded)
		return;
	free(in->owned);
	in->owned = decoded;
}

/* Fails for files of a JVM that other commands read, or none. */
static int input_check_kind(const struct input *in, struct error *err)
{
	struct text name = { 0 };
	int ret = 0;

	if (foreign_file_name(&name, in->bytes, in->len))
		ret = fail(err, ERROR_INPUT, "is %s", name.bytes);
	text_release(&name);
	return ret;
}

int input_open_any(struct input *in, const char *path, struct error *err)
{
	struct stat st = { 0 };

	*in = (struct input){ .fd = -1, .name = path };
	if (input_open_path(in, path, &st, err))
		return -1;
	if (S_ISREG(st.st_mode) && st.st_size > 0 &&
	    lseek(in->fd, 0, SEEK_CUR) == 0) {
		if (input_map_file(in, (size_t)st.st_size, err))
			return -1;
		in->bytes = in->mapped;
		in->len = in->mapped_len;
		in->complete = true;
	} else {
		if (input_read_up_to(in->fd, &in->raw, &in->raw_len, INPUT_HEAD,
				     err))
			return -1;
		in->bytes = in->raw;
		in->len = in->raw_len;
	}
	if (in->len == 0)
		return fail(err, ERROR_INPUT, "empty input");
	if (input_unpack_head(in, err))
		return -1;
	input_make_plain(in);
	if (in->len == 0)
		return fail(err, ERROR_INPUT, "empty input");
	return 0;
}

int input_open(struct input *in, const char *path, struct error *err)
{
	return input_open_any(in, path, err) ? -1 : input_check_kind(in, err);
}

#define INPUT_NAMES 5 /* files of a ZIP file that an error lists */

int input_open_single(struct input *in, const char *path, struct error *err)
{
	struct archive archive;
	struct archive_member m;
	struct text names = { 0 };
	size_t count = 0;

	if (input_open(in, path, err))
		return -1;
	if (!archive_is_zip(in->bytes, in->len))
		return 0;
	archive_open(&archive, in->bytes, in->len);
	while (archive_next(&archive, &m)) {
		if (archive_is_file(&m) && count++ < INPUT_NAMES)
			text_printf(&names, "%s%.*s", count > 1 ? ", " : "",
				    (int)m.name_len, m.name);
	}
	fail(err, ERROR_INPUT,
	     "is a ZIP file of %zu files; unpack the one to read: %s%s", count,
	     names.len ? names.bytes : "none",
	     count > INPUT_NAMES ? ", …" : "");
	text_release(&names);
	return -1;
}

int input_complete(struct input *in, struct error *err)
{
	if (in->complete)
		return 0;
	if (!in->mapped &&
	    input_read_up_to(in->fd, &in->raw, &in->raw_len, SIZE_MAX, err))
		return -1;
	if (in->packed != UNPACK_NONE || in->zipped) {
		input_unpack(in, 0);
		free(in->raw);
		in->raw = NULL;
	} else {
		in->bytes = in->raw;
		in->len = in->raw_len;
	}
	input_make_plain(in);
	in->complete = true;
	return 0;
}

void input_close(struct input *in)
{
	if (in->mapped)
		munmap((void *)(uintptr_t)in->mapped, in->mapped_len);
	free(in->owned);
	free(in->raw);
	if (in->fd > STDERR_FILENO)
		close(in->fd);
	*in = (struct input){ .fd = -1 };
}
