/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/crash.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <string.h>

enum {
	SHOWN_FRAMES = 4,
	SHOWN_SPACES = 3,
	SHOWN_EVENTS = 2,
};

static void row_open(struct text *out, const char *name)
{
	text_printf(out, "  %-12s", name);
}

/* Appends foreign text with single spaces, cut to the length of a row. */
static void row_value(struct text *out, const char *value)
{
	struct text plain = { 0 };

	for (; *value; value++)
		if (*value != ' ' || value[1] != ' ')
			text_putc(&plain, *value);
	if (plain.len)
		crash_add_text(out, plain.bytes);
	text_release(&plain);
}

static void row_add(struct text *out, const char *name, const char *value)
{
	if (!value)
		return;
	row_open(out, name);
	row_value(out, value);
	text_putc(out, '\n');
}

static void text_add_cause(struct text *out, const struct hs_err *e)
{
	if (e->signal) {
		row_open(out, "signal");
		row_value(out, e->signal);
		if (e->code) {
			text_puts(out, ", ");
			row_value(out, e->code);
		}
		if (e->has_address)
			text_printf(out, ", at address 0x%" PRIx64, e->address);
		text_putc(out, '\n');
	}
	row_add(out, "source", e->source);
	row_add(out, "message", e->message);
	if (e->frame.kind) {
		row_open(out, "frame");
		text_printf(out, "%c ", e->frame.kind);
		row_value(out, e->frame.text);
		text_putc(out, '\n');
	}
	row_add(out, "library", e->frame.path);
}

static void text_add_thread(struct text *out, const struct hs_err *e)
{
	if (e->thread || e->thread_kind) {
		row_open(out, "thread");
		if (e->thread) {
			text_putc(out, '"');
			row_value(out, e->thread);
			text_puts(out, "\" ");
		}
		if (e->thread_kind)
			row_value(out, e->thread_kind);
		if (e->thread_state) {
			text_puts(out, ", ");
			row_value(out, e->thread_state);
		}
		text_putc(out, '\n');
	}
	if (e->compiled) {
		row_open(out, "compiling");
		row_value(out, e->compiled);
		text_puts(out, " with ");
		row_value(out, e->compiler);
		text_putc(out, '\n');
	}
	row_add(out, "operation", e->operation);
}

static void text_add_frame(struct text *out, const char *name,
			   const struct hs_err_frame *f)
{
	row_open(out, name);
	text_printf(out, "%c ", f->kind);
	row_value(out, f->method ? f->method : f->text);
	text_putc(out, '\n');
}

/* True for functions of HotSpot that write the log. */
static bool frame_is_report(const struct hs_err_frame *f)
{
	return f->symbol && (strncmp(f->symbol, "VMError::", 9) == 0 ||
			     strncmp(f->symbol, "report_", 7) == 0);
}

/* The frames up to the first Java method, without the problematic frame. */
static void text_add_native(struct text *out, const struct hs_err *e)
{
	size_t from = e->frame.kind ? 1 : 0, shown = 0;

	while (from < e->native.count &&
	       frame_is_report(&e->native.frames[from]))
		from++;
	for (size_t i = from; i < e->native.count && shown < SHOWN_FRAMES;
	     i++) {
		if (!memchr("CV", e->native.frames[i].kind, 2))
			break;
		text_add_frame(out, shown++ ? "" : "native",
			       &e->native.frames[i]);
	}
}

static void text_add_java(struct text *out, const struct hs_err *e)
{
	const struct hs_err_stack *s = &e->java;
	size_t shown = 0;

	for (size_t i = 0; i < s->count && shown < SHOWN_FRAMES; i++)
		if (s->frames[i].method)
			text_add_frame(out, shown++ ? "" : "Java",
				       &s->frames[i]);
}

static void text_add_jvm(struct text *out, const struct hs_err *e)
{
	row_add(out, "JVM", e->vm ? e->vm : e->jre);
	row_add(out, "command", e->command);
	if (e->elapsed >= 0) {
		row_open(out, "uptime");
		units_add_time(out, e->elapsed * 1e9);
		text_putc(out, '\n');
	}
}

static void text_add_share(struct text *out, uint64_t used, uint64_t total)
{
	units_add_bytes(out, (double)used);
	if (total != HS_ERR_ABSENT) {
		text_puts(out, " of ");
		units_add_bytes(out, (double)total);
	}
}

static void text_add_heap(struct text *out, const struct hs_err *e)
{
	size_t shown = 0;

	for (size_t i = 0; i < e->space_count && shown < SHOWN_SPACES; i++) {
		const struct hs_err_space *s = &e->spaces[i];

		if (s->used == HS_ERR_ABSENT || (shown && !s->used))
			continue;
		row_open(out, shown++ ? "" : "heap");
		row_value(out, s->name);
		text_puts(out, ": ");
		text_add_share(out, s->used, s->committed);
		text_puts(out, " used\n");
	}
}

static void text_add_memory(struct text *out, const struct hs_err *e)
{
	if (e->memory_free != HS_ERR_ABSENT) {
		row_open(out, "memory");
		text_add_share(out, e->memory_free, e->memory);
		text_puts(out, " free");
		if (e->swap == 0) {
			text_puts(out, "; no swap");
		} else if (e->swap_free != HS_ERR_ABSENT) {
			text_puts(out, "; swap ");
			text_add_share(out, e->swap_free, e->swap);
			text_puts(out, " free");
		}
		text_putc(out, '\n');
	}
	if (e->container_memory != HS_ERR_ABSENT &&
	    e->container_usage != HS_ERR_ABSENT) {
		row_open(out, "container");
		text_add_share(out, e->container_usage, e->container_memory);
		text_puts(out, " used\n");
	}
}

static void text_add_events(struct text *out, const struct hs_err *e)
{
	size_t from = e->event_count > SHOWN_EVENTS
			      ? e->event_count - SHOWN_EVENTS
			      : 0;

	for (size_t i = from; i < e->event_count; i++) {
		row_open(out, i == from ? "events" : "");
		units_add_time(out, e->events[i].seconds * 1e9);
		text_puts(out, ": ");
		row_value(out, e->events[i].text);
		text_putc(out, '\n');
	}
}

static void text_add_losses(struct text *out, const struct hs_err *e)
{
	if (e->is_header)
		text_puts(out, "note: this is only the head of the log, as on "
			       "the standard output of the JVM\n");
	else if (e->is_truncated)
		text_puts(out, "note: the log ends early\n");
	if (e->failed_steps)
		text_printf(out,
			    "note: the JVM could not write %s of the log\n",
			    units_counted(e->failed_steps, "part").text);
}

void crash_write_text(struct text *out, const struct crash *c)
{
	const struct hs_err *e = c->e;

	crash_add_cause(out, c);
	text_puts(out, "\nnext: ");
	crash_add_next(out, c);
	text_puts(out, "\n\n");
	text_add_cause(out, e);
	text_add_thread(out, e);
	text_add_native(out, e);
	text_add_java(out, e);
	text_add_jvm(out, e);
	text_add_heap(out, e);
	text_add_memory(out, e);
	text_add_events(out, e);
	row_add(out, "core", e->core);
	text_add_losses(out, e);
}
