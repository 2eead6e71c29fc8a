/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/reply_print.h"

#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_LIMIT ((size_t)64 << 10) /* longer lines are split */

struct reply {
	struct output out;
	bool escapes;     /* control characters */
	struct text line; /* the incomplete line, not printed yet */
	struct text safe;
};

/* Prints the line: newlines and tabs as they are, other text escaped. */
static void reply_flush_line(struct reply *a)
{
	const char *at = a->line.bytes;
	size_t left = a->line.len;

	text_clear(&a->safe);
	while (left) {
		const char *end = at;

		while (end < at + left && *end != '\n' && *end != '\t')
			end++;
		safe_text(&a->safe, at, (size_t)(end - at));
		left -= (size_t)(end - at);
		at = end;
		if (left) {
			text_putc(&a->safe, *at++);
			left--;
		}
	}
	output_write(&a->out, a->safe.bytes, a->safe.len);
	text_clear(&a->line);
}

static void reply_add_lines(struct reply *a, const char *bytes, size_t len)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t part = end ? (size_t)(end + 1 - bytes) : len;

		if (part > LINE_LIMIT)
			part = LINE_LIMIT;
		text_add(&a->line, bytes, part);
		if (end || a->line.len >= LINE_LIMIT)
			reply_flush_line(a);
		bytes += part;
		len -= part;
	}
}

static int reply_add(void *self, const void *bytes, size_t len,
		     struct error *err)
{
	struct reply *a = self;

	if (a->escapes)
		reply_add_lines(a, bytes, len);
	else
		output_write(&a->out, bytes, len);
	return output_check(&a->out, err);
}

/*
 * A pipe may end at a terminal ("| grep", "| head"); a file has the bytes that
 * the JVM sent.
 */
static bool reply_escapes(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) < 0 || !S_ISREG(st.st_mode);
}

int reply_print(struct attach *a, const struct attach_request *request,
		struct error *err)
{
	struct reply reply = { .escapes = reply_escapes() };
	int ret = output_open(&reply.out, "-", err);

	if (ret == 0) {
		ret = attach_stream(a, request, reply_add, &reply, err);
		if (reply.line.len)
			reply_flush_line(&reply);
		if (output_commit(&reply.out, ret ? error_unused() : err))
			ret = -1;
	}
	output_close(&reply.out);
	text_release(&reply.line);
	text_release(&reply.safe);
	return ret;
}

int reply_put(const char *bytes, size_t len, struct error *err)
{
	struct reply reply = { .escapes = reply_escapes() };
	int ret = output_open(&reply.out, "-", err);

	if (ret == 0) {
		ret = reply_add(&reply, bytes, len, err);
		if (reply.line.len)
			reply_flush_line(&reply);
		if (ret == 0)
			ret = output_commit(&reply.out, err);
	}
	output_close(&reply.out);
	text_release(&reply.line);
	text_release(&reply.safe);
	return ret;
}
