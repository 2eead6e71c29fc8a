/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header lines of the screen: values of the process, each with a label, a
 * number and details, some with a bar or a history on the right.
 */
#include "render/top/top.h"

#include "core/base/units.h"
#include "render/text/columns.h"
#include "render/top/pager.h"
#include "render/top/top_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	LABEL = 9,         /* width of "Safepoint" */
	VALUE = 8,         /* width of "9999.95%" */
	BAR_MAX = 60,      /* width of the CPU bar */
	SCALE = 6,         /* width of "1600%]" */
	NARROWEST_BAR = 8, /* a narrower bar is omitted */
	NARROWEST_HISTORY = 8,
	WIDE = 100, /* columns from which collectors have shares */
};

/* Appends a value between before and after; "-" alone for NaN. */
static void header_add_value(struct text *out, const char *before,
			     void (*format)(struct text *out, double value),
			     double value, const char *after)
{
	if (!isnan(value))
		text_puts(out, before);
	format(out, value);
	if (!isnan(value))
		text_puts(out, after);
}

static void header_put_label(struct pen *pen, const char *label)
{
	screen_put(pen->screen, pen->row, 0, LABEL, STYLE_DIM, label,
		   strlen(label));
	pen->column = LABEL + 1;
}

/*
 * Starts a line with its label and main value, aligned to the right. A short
 * label leaves space for "~1023 KB/s". Releases the value.
 */
static void header_put_value(struct pen *pen, const char *label,
			     struct text *number)
{
	unsigned begin = (unsigned)strlen(label) + 1;
	unsigned end = LABEL + 1 + VALUE;

	header_put_label(pen, label);
	screen_put_right(pen->screen, pen->row, begin, end - begin, STYLE_BOLD,
			 number->bytes, number->len);
	pen->column = end + 1;
	text_release(number);
}

/* Puts "label 1.20%"; zero and unavailable values are dim. */
static void header_put_share(struct pen *pen, enum screen_style style,
			     const char *label, double share)
{
	struct text number = { 0 };

	header_add_value(&number, "", top_format_percent, share, "%");
	pen_printf(pen, share >= 0.00005 ? style : STYLE_DIM, " %s %s ", label,
		   number.bytes);
	text_release(&number);
}

/* Returns the width of the histories; 0 on narrow screens. */
static unsigned header_history_columns(const struct screen *s)
{
	unsigned wanted = s->columns / 4;

	if (s->columns < 70)
		return 0;
	return wanted < HISTORY_MAX ? wanted : HISTORY_MAX;
}

static void header_put_history(struct pen *pen, const struct history *h,
			       double floor)
{
	unsigned width = header_history_columns(pen->screen);
	unsigned room = pen->screen->columns - pen->column;

	if (!width || !room)
		return;
	if (width >= room)
		width = room - 1;
	pen->end = pen->screen->columns;
	pen->column = pen->end - width;
	history_draw(h, pen, width, history_peak(h, width, floor));
}

/*
 * Returns the parts of the CPU bar from left to right: their shares, styles and
 * characters.
 */
static size_t header_bar_parts(const struct process_rates *p, double *shares,
			       const enum screen_style **styles,
			       const char **marks)
{
	static const enum screen_style part_styles[] = {
		STYLE_USER, STYLE_SYS, STYLE_GC,
		STYLE_JIT,  STYLE_VM,  STYLE_NATIVE,
	};
	const double parts[] = { p->user,    p->sys,    p->gc_cpu,
				 p->jit_cpu, p->vm_cpu, p->native_cpu };
	size_t count = sizeof(parts) / sizeof(*parts);

	memcpy(shares, parts, sizeof(parts));
	*styles = part_styles;
	*marks = "|#GJVN";
	/* Some sources do not split the program's CPU time. */
	if (isnan(p->user))
		shares[0] = p->application;
	return count;
}

static void header_draw_bar(struct pen *pen, const struct process_rates *p,
			    double scale)
{
	double shares[8], sum = 0;
	const enum screen_style *styles;
	const char *marks;
	size_t parts = header_bar_parts(p, shares, &styles, &marks);
	unsigned width = pen->end - pen->column, at = 0;

	for (size_t i = 0; i < parts; i++) {
		char mark[2] = { marks[i] };
		unsigned end;

		sum += isnan(shares[i]) ? 0 : shares[i];
		end = (unsigned)((sum < scale ? sum / scale : 1) * width + 0.5);
		for (; at < end; at++)
			pen_put(pen, styles[i], mark);
	}
}

static double header_whole_cores(double cores)
{
	double whole = (double)(unsigned)cores;

	return whole < cores ? whole + 1 : whole;
}

/* Draws the CPU bar and its scale up to column `end`. */
static void header_put_bar(struct pen *pen, const struct process_rates *p,
			   unsigned end, double scale)
{
	if (end < pen->column + NARROWEST_BAR)
		return;
	if (end - pen->column > BAR_MAX)
		end = pen->column + BAR_MAX;
	pen_put(pen, STYLE_BOLD, "[");
	pen->end = end - SCALE;
	header_draw_bar(pen, p, scale);
	pen->column = end - SCALE;
	pen->end = end;
	pen_printf(pen, STYLE_DIM, "%4.0f%%", scale * 100);
	pen_put(pen, STYLE_BOLD, "]");
}

static void header_draw_cpu(const struct top *t, struct pen *pen)
{
	const struct process_rates *p = &t->rates->process;
	unsigned history = header_history_columns(pen->screen);
	struct text number = { 0 };
	double scale;

	header_add_value(&number, "", top_format_percent, p->cpu, "%");
	header_put_value(pen, "CPU", &number);
	scale = header_whole_cores(
		history_peak(&t->cpu, history ? history : 1, 1));
	header_put_bar(pen, p, pen->screen->columns - history - 1, scale);
	header_put_history(pen, &t->cpu, scale);
}

static void header_draw_program(const struct top *t, struct pen *pen)
{
	const struct process_rates *p = &t->rates->process;
	struct text number = { 0 };

	header_add_value(&number, "", top_format_percent, p->application, "%");
	header_put_value(pen, "Program", &number);
	header_put_share(pen, STYLE_USER, "user", p->user);
	header_put_share(pen, STYLE_SYS, "sys", p->sys);
	header_put_share(pen, STYLE_GC, "GC", p->gc_cpu);
	header_put_share(pen, STYLE_JIT, "JIT", p->jit_cpu);
	header_put_share(pen, STYLE_VM, "VM", p->vm_cpu);
	header_put_share(pen, STYLE_NATIVE, "native", p->native_cpu);
	header_put_share(pen, STYLE_PLAIN, "other", p->other);
}

static void header_put_bytes(struct pen *pen, const char *label, int64_t bytes)
{
	struct text number = { 0 };

	if (bytes == COUNTER_ABSENT)
		return;
	top_format_bytes(&number, bytes);
	pen_printf(pen, STYLE_PLAIN, " %s %s ", label, number.bytes);
	text_release(&number);
}

static void header_draw_memory(const struct top *t, struct pen *pen)
{
	const struct process_sample *p = &t->sample->process;
	struct text number = { 0 };

	header_add_value(&number, t->rates->process.alloc_is_coarse ? "~" : "",
			 units_add_measured_bytes, t->rates->process.alloc,
			 "/s");
	header_put_value(pen, "Alloc", &number);
	pen->end -= header_history_columns(pen->screen);
	header_put_bytes(pen, "heap", p->heap_used);
	header_put_bytes(pen, "of", p->heap_committed);
	header_put_bytes(pen, "rss", p->rss_bytes);
	header_put_bytes(pen, "max", p->heap_max); /* last: omitted first */
	header_put_history(pen, &t->alloc, 1);
}

/*
 * Shortens HotSpot's "G1 full collection pauses": the label of the line already
 * has "pauses", and the name before, which may be NULL, already has "G1".
 */
static void header_put_collector(struct text *out, const char *name,
				 const char *before)
{
	const char *end = strstr(name, " collection pauses");
	const char *second = strchr(name, ' ');

	if (!end)
		end = strcasestr(name, " pauses");
	if (!end)
		end = name + strlen(name);
	if (second && second < end && before &&
	    strncmp(name, before, (size_t)(second + 1 - name)) == 0)
		name = second + 1;
	text_add(out, name, (size_t)(end - name));
}

/* Returns the sign before a value that is a bound, not exact. */
static const char *header_bound_sign(const struct pen *pen, bool is_bound,
				     bool at_most)
{
	if (!is_bound)
		return "";
	if (pen->screen->ascii)
		return at_most ? "<=" : ">=";
	return at_most ? "\u2264" : "\u2265";
}

/*
 * Puts a collector; the text has a minimum width, so that the places of the
 * next ones stay. Narrow screens have no space for the shares.
 */
static void header_put_gc(struct pen *pen, const struct gc_rate *gc,
			  const char *before)
{
	const char *bound = header_bound_sign(pen, gc->at_most, true);
	struct text text = { 0 };
	size_t width;

	header_put_collector(&text, gc->name, before);
	width = text.len + sizeof(": 999") - 1;
	text_printf(&text, ": %s%" PRId64, bound, gc->count);
	if (pen->screen->columns >= WIDE) {
		width += sizeof(", 99.99%") - 1;
		text_printf(&text, ", %s", bound);
		top_format_percent(&text, gc->share);
		text_putc(&text, '%');
	}
	while (text.len < width)
		text_putc(&text, ' ');
	pen_printf(pen, gc->count ? STYLE_GC : STYLE_DIM, " %s", text.bytes);
	text_release(&text);
}

/* Puts "longest 1.50 ms" of a constant width, or "longest -". */
static void header_put_longest(struct pen *pen, const struct longest_pause *l)
{
	bool is_known = l->ns != COUNTER_ABSENT;
	struct text text = { 0 };

	text_puts(&text, header_bound_sign(pen, is_known && l->most_ns > l->ns,
					   false));
	units_add_time(&text, is_known ? (double)l->ns : NAN);
	while (screen_width(pen->screen, text.bytes, text.len) < 8)
		text_putc(&text, ' ');
	pen_printf(pen, is_known ? STYLE_PLAIN : STYLE_DIM, " longest %s ",
		   text.bytes);
	text_release(&text);
}

static void header_draw_gc(const struct top *t, struct pen *pen)
{
	const struct process_rates *p = &t->rates->process;
	const char *cause = t->sample->process.gc_cause;
	const char *before = NULL;
	struct text number = { 0 };

	header_add_value(&number, header_bound_sign(pen, p->gc_at_most, true),
			 top_format_percent, p->gc_pauses, "%");
	header_put_value(pen, "GC pauses", &number);
	/* Later text ends early enough for a narrow history on the right. */
	if (header_history_columns(pen->screen))
		pen->end -= NARROWEST_HISTORY + 1;
	header_put_longest(pen, &p->gc_longest);
	for (size_t i = 0; i < p->gc_count; i++) {
		header_put_gc(pen, &p->gc[i], before);
		before = p->gc[i].name;
	}
	if (*cause)
		pen_printf(pen, STYLE_DIM, " last: %s ", cause);
	header_put_history(pen, &t->gc, 0.01);
}

static void header_draw_safepoints(const struct top *t, struct pen *pen)
{
	const struct process_rates *p = &t->rates->process;
	struct text number = { 0 };

	header_add_value(&number, "", top_format_rate, p->safepoints, "/s");
	header_put_value(pen, "Safepoint", &number);
	if (!isnan(p->safepoint_pause_ms))
		pen_printf(pen, STYLE_PLAIN, " %.2f ms each ",
			   p->safepoint_pause_ms);
	header_put_share(pen, STYLE_PLAIN, "time to safepoint", p->sync);
	header_put_share(pen, STYLE_PLAIN, "at safepoint", p->safepoint);
	if (p->longest.ns != COUNTER_ABSENT)
		header_put_longest(pen, &p->longest);
}

static bool header_has_machine(const struct top *t)
{
	return t->sample->process.machine_busy_ns != COUNTER_ABSENT;
}

static void header_draw_machine(const struct top *t, struct pen *pen)
{
	const struct process_sample *p = &t->sample->process;
	const struct process_rates *rates = &t->rates->process;
	struct text number = { 0 };

	header_add_value(&number, "", top_format_percent, rates->machine, "%");
	header_put_value(pen, "Machine", &number);
	if (p->cpus > 0)
		pen_printf(pen, STYLE_PLAIN, " busy of %" PRId64 " CPU%s ",
			   p->cpus, units_plural((uint64_t)p->cpus));
	if (p->cpu_limit == CPU_LIMIT_UNKNOWN)
		pen_printf(pen, STYLE_PLAIN, " container limit unknown ");
	if (p->cpu_limit >= 0) {
		bool periods = !isnan(rates->throttled_periods);

		pen_printf(pen, STYLE_PLAIN, " limit %.2f CPUs ",
			   (double)p->cpu_limit / 1000);
		header_put_share(pen, STYLE_HOT, "throttled",
				 periods ? rates->throttled_periods
					 : rates->throttled);
		if (periods)
			pen_printf(pen, STYLE_DIM, "of periods ");
	}
	/* Narrow screens have no column RUNQ%. */
	if (!isnan(rates->runq))
		header_put_share(pen, STYLE_WARM, "waiting for a CPU",
				 rates->runq);
}

/*
 * Puts the number of threads in each state, without states of no thread; "~" if
 * the last thread dump has the state of some.
 */
static void header_put_states(const struct top *t, struct pen *pen)
{
	static const struct {
		enum thread_run_state state;
		const char *name;
		enum screen_style style;
	} counted[] = {
		{ RUN_ON_CPU, "running", STYLE_USER },
		{ RUN_RUNNABLE, "runnable", STYLE_USER },
		{ RUN_DISK, "disk", STYLE_WARM },
		{ RUN_STOPPED, "stopped", STYLE_HOT },
		{ RUN_BLOCKED, "blocked", STYLE_HOT },
		{ RUN_IN_NATIVE, "in native", STYLE_PLAIN },
		{ RUN_WAITING, "waiting", STYLE_PLAIN },
		{ RUN_TIMED_WAITING, "timed", STYLE_PLAIN },
		{ RUN_SLEEPING, "sleeping", STYLE_PLAIN },
	};
	size_t counts[RUN_STOPPED + 1] = { 0 };
	bool old[RUN_STOPPED + 1] = { false };

	for (size_t i = 0; i < t->sample->thread_count; i++) {
		const struct thread_sample *s = &t->sample->threads[i];

		counts[s->state]++;
		old[s->state] |= s->state_is_old;
	}
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
		enum thread_run_state state = counted[i].state;

		if (counts[state])
			pen_printf(pen, counted[i].style, " %s%zu %s ",
				   old[state] ? "~" : "", counts[state],
				   counted[i].name);
	}
}

static void header_draw_threads(const struct top *t, struct pen *pen)
{
	const struct process_sample *p = &t->sample->process;
	const struct process_rates *rates = &t->rates->process;
	struct text number = { 0 };

	text_printf(&number, "%" PRId64,
		    p->threads == COUNTER_ABSENT
			    ? (int64_t)t->sample->thread_count
			    : p->threads);
	header_put_value(pen, "Threads", &number);
	if (rates->new_threads || rates->ended_threads)
		pen_printf(pen, STYLE_WARM, " +%zu -%zu ", rates->new_threads,
			   rates->ended_threads);
	if (p->virtual_threads > 0)
		pen_printf(pen, STYLE_PLAIN, " %" PRId64 " virtual ",
			   p->virtual_threads);
	header_put_states(t, pen);
}

/* Unavailable values come first: a narrow screen must not omit the reasons. */
static void header_draw_sources(const struct top *t, struct pen *pen)
{
	const struct top_sample *s = t->sample;
	bool all = true;

	header_put_label(pen, "Sources");
	pen->end -= pen->end > 2 ? 2 : 0;
	for (unsigned absent = 2; absent-- > 0;) {
		for (size_t i = 0; i < s->note_count; i++) {
			const struct source_note *n = &s->notes[i];

			if (n->is_absent == absent)
				all &= pen_printf(
					pen, absent ? STYLE_WARM : STYLE_DIM,
					" %s: %s ", n->figure, n->text);
		}
	}
	pen->end = pen->screen->columns;
	if (!s->note_count)
		pen_printf(pen, STYLE_DIM, " %s ", t->source);
	if (!all)
		pen_put(pen, STYLE_KEY, "?");
}

void top_header_notes(const struct top *t, struct text *out)
{
	for (size_t i = 0; t->sample && i < t->sample->note_count; i++) {
		const struct source_note *n = &t->sample->notes[i];

		text_printf(out, "  %-12s", n->figure);
		columns_wrap(out, n->text, 14, 14, PAGER_WIDTH);
	}
}

/* The header lines; a low screen omits the lines of the highest ranks. */
static const struct {
	unsigned rank;
	void (*draw)(const struct top *t, struct pen *pen);
	bool (*is_available)(const struct top *t); /* NULL: always */
} lines[] = {
	{ 1, header_draw_cpu, NULL },
	{ 3, header_draw_program, NULL },
	{ 4, header_draw_machine, header_has_machine },
	{ 6, header_draw_memory, NULL },
	{ 5, header_draw_gc, NULL },
	{ 7, header_draw_safepoints, NULL },
	{ 8, header_draw_threads, NULL },
	{ 2, header_draw_sources, NULL },
};

unsigned top_header_draw(const struct top *t, struct screen *s, unsigned top,
			 unsigned bottom)
{
	unsigned rows = bottom - top;
	unsigned ranks = rows >= 6 ? rows / 2 - 1 : 0;
	unsigned drawn = 0;

	/* The line of a higher rank replaces an unavailable one. */
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		ranks += lines[i].is_available && !lines[i].is_available(t) &&
			 lines[i].rank <= ranks;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct pen pen = pen_at(s, top + drawn);

		if (lines[i].rank > ranks ||
		    (lines[i].is_available && !lines[i].is_available(t)))
			continue;
		lines[i].draw(t, &pen);
		drawn++;
	}
	return drawn;
}
