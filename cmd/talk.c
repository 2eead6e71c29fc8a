/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/talk.h"

#include "cmd/progress.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

static enum talk_level level = TALK_NORMAL;

void talk_set(enum talk_level wanted) { level = wanted; }

bool talk_is_quiet(void) { return level == TALK_QUIET; }

void talk_bytes(const char *bytes, size_t len)
{
	struct pollfd err = { .fd = STDERR_FILENO, .events = POLLOUT };

	while (len) {
		ssize_t put = write(STDERR_FILENO, bytes, len);

		if (put < 0 && errno == EAGAIN && poll(&err, 1, 1000) == 0)
			return;
		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (put > 0) {
			bytes += put;
			len -= (size_t)put;
		}
	}
}

static void say(const char *fmt, va_list args)
{
	struct text line = { 0 };
	char *said = NULL;
	int len = vasprintf(&said, fmt, args);

	progress_hide();
	text_puts(&line, "sjkc: ");
	if (len >= 0)
		safe_text(&line, said, (size_t)len);
	text_putc(&line, '\n');
	/* At once, so that lines of several processes stay whole. */
	talk_bytes(line.bytes, line.len);
	text_release(&line);
	if (len >= 0)
		free(said);
}

void talk_always(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void talk(const char *fmt, ...)
{
	va_list args;

	if (level < TALK_NORMAL)
		return;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void talk_detail(const char *fmt, ...)
{
	va_list args;

	if (level < TALK_VERBOSE)
		return;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}
