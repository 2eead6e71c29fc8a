/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/log.h"

#include "core/base/safe_text.h"
#include "core/base/text.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static enum log_level level = LOG_NORMAL;

void log_set_level(enum log_level wanted) { level = wanted; }

static bool log_is_quiet(void) { return level == LOG_QUIET; }

bool log_shares_stdout(void)
{
	struct stat out, err;

	return fstat(STDOUT_FILENO, &out) == 0 &&
	       fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev &&
	       out.st_ino == err.st_ino;
}

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

static struct {
	const char *title; /* NULL: no work, or stderr is no terminal */
	int64_t next_ns;   /* when to draw again */
	bool shown;
} bar;

/* Removes the bar from the screen until the next progress_show(). */
static void progress_hide(void)
{
	static const char clear[] = "\r\033[K";

	if (bar.shown)
		log_bytes(clear, sizeof(clear) - 1);
	bar.shown = false;
}

static void log_print(const char *fmt, va_list args)
{
	struct text line = { 0 };
	char *message = NULL;
	int len = vasprintf(&message, fmt, args);

	progress_hide();
	text_puts(&line, "sjkc: ");
	if (len >= 0)
		safe_text(&line, message, (size_t)len);
	text_putc(&line, '\n');
	/* One write keeps lines of several processes whole. */
	log_bytes(line.bytes, line.len);
	text_release(&line);
	if (len >= 0)
		free(message);
}

void log_always(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_print(fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	if (level < LOG_NORMAL)
		return;
	va_start(args, fmt);
	log_print(fmt, args);
	va_end(args);
}

void log_detail(const char *fmt, ...)
{
	va_list args;

	if (level < LOG_VERBOSE)
		return;
	va_start(args, fmt);
	log_print(fmt, args);
	va_end(args);
}

#define FIRST_AFTER_NS INT64_C(1000000000)
#define REDRAW_NS      INT64_C(100000000)
#define BAR_WIDTH      30

static int64_t progress_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void progress_start(const char *title)
{
	bar.title = isatty(STDERR_FILENO) && !log_is_quiet() ? title : NULL;
	bar.next_ns = progress_now_ns() + FIRST_AFTER_NS;
}

void progress_show(void *unused, uint64_t done, uint64_t total)
{
	struct text line = { 0 };
	int64_t now;
	uint64_t part;

	(void)unused;
	if (!bar.title || !total)
		return;
	now = progress_now_ns();
	if (now < bar.next_ns)
		return;
	bar.next_ns = now + REDRAW_NS;
	part = done < total ? (uint64_t)((double)done / (double)total * 100)
			    : 100;
	text_puts(&line, "\r[");
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		text_putc(&line, i < part * BAR_WIDTH / 100 ? '=' : ' ');
	text_printf(&line, "] %3u %% ", (unsigned)part);
	safe_text(&line, bar.title, strlen(bar.title));
	text_puts(&line, "\033[K"); /* erases the rest of the line */
	log_bytes(line.bytes, line.len);
	bar.shown = true;
	text_release(&line);
}

void progress_end(void)
{
	progress_hide();
	bar.title = NULL;
}
