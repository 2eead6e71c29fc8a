/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/log.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum log_level level = LOG_NORMAL;

void log_set_level(enum log_level wanted) { level = wanted; }

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

enum log_kind { KIND_ERROR, KIND_LOSS, KIND_INFO, KIND_DETAIL };

static bool is_json;

void log_set_json(bool wanted) { is_json = wanted; }

static void log_add_json(struct text *line, enum log_kind kind,
			 const struct log_field *fields, const char *message,
			 size_t len)
{
	static const char *const levels[] = {
		[KIND_ERROR] = "error",
		[KIND_LOSS] = "warning",
		[KIND_INFO] = "info",
		[KIND_DETAIL] = "debug",
	};
	struct json j = json_into(line);
	struct text time = { 0 };

	units_add_utc(&time, clock_wall_ns());
	json_open_object(&j);
	json_add_text(&j, "time", time.bytes);
	json_add_text(&j, "level", levels[kind]);
	json_add_string(&j, "message", message, len);
	for (; fields && fields->key; fields++) {
		json_key(&j, fields->key);
		if (fields->text)
			json_text(&j, fields->text);
		else
			json_uint(&j, fields->number);
	}
	json_close_object(&j);
	text_release(&time);
}

static void log_write(enum log_kind kind, const struct log_field *fields,
		      const char *message, size_t len)
{
	struct text line = { 0 };

	progress_hide();
	if (is_json) {
		log_add_json(&line, kind, fields, message, len);
	} else {
		text_puts(&line, "sjkc: ");
		safe_text(&line, message, len);
	}
	text_putc(&line, '\n');
	/* One write keeps lines of several processes whole. */
	log_bytes(line.bytes, line.len);
	text_release(&line);
}

/* ---- repeated messages ---- */

#define REPEATS_NS (60 * CLOCK_NS_PER_S)
enum { REPEATS_KINDS = 64 };

static struct repeats {
	bool is_limited;
	struct repeated {
		struct text shape; /* empty: free */
		struct text last;  /* the last message that was not printed */
		enum log_kind kind;
		uint64_t count;   /* of this minute */
		int64_t since_ns; /* start of this minute */
	} kinds[REPEATS_KINDS];
} repeats;

void log_limit_repeats(void) { repeats.is_limited = true; }

/* Appends the message with "#" instead of each number. */
static void repeats_add_shape(struct text *out, const char *message, size_t len)
{
	text_puts(out, "");
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(message[i]))
			text_putc(out, message[i]);
		else if (!i || !is_digit(message[i - 1]))
			text_putc(out, '#');
	}
}

/* Reports the messages of a kind that were not printed, and forgets it. */
static void repeats_end(struct repeated *r)
{
	struct text line = { 0 };

	if (r->count > LOG_REPEATS) {
		const struct log_field fields[] = {
			{ "repeated", r->count - LOG_REPEATS, NULL },
			{ 0 },
		};

		text_printf(&line,
			    "%" PRIu64
			    " similar message%s in the last minute: ",
			    r->count - LOG_REPEATS,
			    units_plural(r->count - LOG_REPEATS));
		text_add(&line, r->last.bytes, r->last.len);
		log_write(r->kind, fields, line.bytes, line.len);
	}
	text_release(&line);
	text_release(&r->shape);
	text_release(&r->last);
	*r = (struct repeated){ 0 };
}

void log_flush_repeats(int64_t now_ns)
{
	for (size_t i = 0; i < REPEATS_KINDS; i++)
		if (repeats.kinds[i].shape.len &&
		    now_ns - repeats.kinds[i].since_ns >= REPEATS_NS)
			repeats_end(&repeats.kinds[i]);
}

/* Returns the kind of a message; takes shape. A new kind replaces the oldest.
 */
static struct repeated *repeats_find(struct text *shape, enum log_kind kind)
{
	struct repeated *oldest = &repeats.kinds[0];

	for (size_t i = 0; i < REPEATS_KINDS; i++) {
		struct repeated *r = &repeats.kinds[i];

		if (r->shape.len && r->kind == kind &&
		    strcmp(r->shape.bytes, shape->bytes) == 0) {
			text_release(shape);
			return r;
		}
		if (!r->shape.len || r->since_ns < oldest->since_ns)
			oldest = r;
	}
	repeats_end(oldest);
	oldest->shape = *shape;
	oldest->kind = kind;
	oldest->since_ns = clock_monotonic_ns();
	return oldest;
}

/* Counts a message. Returns false if it is not to be printed. */
static bool repeats_allow(enum log_kind kind, const char *message, size_t len)
{
	struct text shape = { 0 };
	struct repeated *r;

	if (!repeats.is_limited || !len)
		return true;
	log_flush_repeats(clock_monotonic_ns());
	repeats_add_shape(&shape, message, len);
	r = repeats_find(&shape, kind);
	if (++r->count <= LOG_REPEATS)
		return true;
	text_clear(&r->last);
	text_add(&r->last, message, len);
	return false;
}

/* ---- messages ---- */

static void log_print(enum log_kind kind, const struct log_field *fields,
		      const char *fmt, va_list args)
{
	char *message = NULL;
	int len = vasprintf(&message, fmt, args);

	if (len < 0)
		log_write(kind, fields, "", 0);
	else if (repeats_allow(kind, message, (size_t)len))
		log_write(kind, fields, message, (size_t)len);
	if (len >= 0)
		free(message);
}

void log_error(const char *fmt, ...)
{
	va_list args;

	/* Nothing follows it that could report the rest. */
	log_flush_repeats(INT64_MAX);
	va_start(args, fmt);
	log_print(KIND_ERROR, NULL, fmt, args);
	va_end(args);
}

void log_with(bool is_loss, const struct log_field *fields, const char *fmt,
	      ...)
{
	va_list args;

	if (!is_loss && level < LOG_NORMAL)
		return;
	va_start(args, fmt);
	log_print(is_loss ? KIND_LOSS : KIND_INFO, fields, fmt, args);
	va_end(args);
}

void log_always(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_print(KIND_LOSS, NULL, fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	if (level < LOG_NORMAL)
		return;
	va_start(args, fmt);
	log_print(KIND_INFO, NULL, fmt, args);
	va_end(args);
}

void log_detail(const char *fmt, ...)
{
	va_list args;

	if (level < LOG_VERBOSE)
		return;
	va_start(args, fmt);
	log_print(KIND_DETAIL, NULL, fmt, args);
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
	bar.title = isatty(STDERR_FILENO) && level != LOG_QUIET ? title : NULL;
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
	safe_text_puts(&line, bar.title);
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
