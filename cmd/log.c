/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/log.h"

#include "cmd/progress.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

static enum log_level level = LOG_NORMAL;

void log_set_level(enum log_level wanted) { level = wanted; }

bool log_is_quiet(void) { return level == LOG_QUIET; }

void log_bytes(const char *bytes, size_t len)
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
	log_bytes(line.bytes, line.len);
	text_release(&line);
	if (len >= 0)
		free(said);
}

void log_always(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	if (level < LOG_NORMAL)
		return;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void log_detail(const char *fmt, ...)
{
	va_list args;

	if (level < LOG_VERBOSE)
		return;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}
