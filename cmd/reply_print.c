/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reply_print.h"

#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"

#include <string.h>
#include <unistd.h>

#define LINE_LIMIT ((size_t)64 << 10) /* shown in pieces when longer */

struct answer {
	struct output out;
	bool terminal;
	struct text line; /* begun, and not shown yet */
	struct text safe;
};

/* Line ends and tabs do what they are for; all else is made safe. */
static void reply_show(struct answer *a)
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

static void add_to_lines(struct answer *a, const char *bytes, size_t len)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t part = end ? (size_t)(end + 1 - bytes) : len;

		if (part > LINE_LIMIT)
			part = LINE_LIMIT;
		text_add(&a->line, bytes, part);
		if (end || a->line.len >= LINE_LIMIT)
			reply_show(a);
		bytes += part;
		len -= part;
	}
}

static int reply_take(void *self, const void *bytes, size_t len,
		      struct error *err)
{
	struct answer *a = self;

	if (a->terminal)
		add_to_lines(a, bytes, len);
	else
		output_write(&a->out, bytes, len);
	return output_check(&a->out, err);
}

int reply_print(struct attach *a, const struct attach_request *request,
		struct error *err)
{
	struct answer answer = { .terminal = isatty(STDOUT_FILENO) == 1 };
	struct error unused;
	int ret = output_open(&answer.out, "-", err);

	if (ret == 0) {
		ret = attach_stream(a, request, reply_take, &answer, err);
		if (answer.line.len)
			reply_show(&answer);
		if (output_commit(&answer.out, ret ? &unused : err))
			ret = -1;
	}
	output_close(&answer.out);
	text_release(&answer.line);
	text_release(&answer.safe);
	return ret;
}

int reply_put(const char *bytes, size_t len, struct error *err)
{
	struct answer answer = { .terminal = isatty(STDOUT_FILENO) == 1 };
	int ret = output_open(&answer.out, "-", err);

	if (ret == 0) {
		ret = reply_take(&answer, bytes, len, err);
		if (answer.line.len)
			reply_show(&answer);
		if (ret == 0)
			ret = output_commit(&answer.out, err);
	}
	output_close(&answer.out);
	text_release(&answer.line);
	text_release(&answer.safe);
	return ret;
}
