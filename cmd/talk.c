/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/talk.h"

#include "cmd/progress.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"

#include <stdarg.h>
#include <unistd.h>

static enum talk_level level = TALK_NORMAL;

void talk_set(enum talk_level wanted) { level = wanted; }

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
	/* One write, so that lines of several processes stay whole. */
	if (write(STDERR_FILENO, line.bytes, line.len) < 0)
		level = TALK_QUIET; /* nobody listens any more */
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
