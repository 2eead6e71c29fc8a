/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the thread screen: samples, sorting, selection, pending actions
 * and the stack of views.
 */
#include "render/top/top.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A value over time, drawn as a row of small bars. */

/* From 0 to the scale; a gap in the history is a space. */
static const char *const bars[] = {
	"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};
static const char *const ascii_bars[] = {
	"_", ".", "-", ":", "=", "+", "*", "#"
};

enum { HIGHEST = sizeof(bars) / sizeof(*bars) - 1 };

/* NaN leaves a gap. */
static void top_history_add(struct history *h, double value)
{
	h->values[h->added++ % HISTORY_MAX] = value;
}

/* Returns the value `back` before the newest one; NaN when there is none. */
static double top_value_before(const struct history *h, size_t back)
{
	if (back >= h->added || back >= HISTORY_MAX)
		return NAN;
	return h->values[(h->added - 1 - back) % HISTORY_MAX];
}

double history_peak(const struct history *h, size_t last, double floor)
{
	double peak = floor;

	for (size_t back = 0; back < last; back++) {
		double value = top_value_before(h, back);

		if (value > peak)
			peak = value;
	}
	return peak;
}

static const char *top_history_bar(const struct pen *pen, double value,
				   double scale)
{
	size_t level;

	if (isnan(value))
		return " ";
	level = value >= scale ? HIGHEST
		: value <= 0   ? 0
			       : (size_t)(value / scale * HIGHEST + 0.5);
	return (pen->screen->ascii ? ascii_bars : bars)[level];
}

void history_draw(const struct history *h, struct pen *pen, unsigned width,
		  double scale)
{
	for (unsigned i = 0; i < width; i++)
		pen_put(pen, STYLE_HISTORY,
			top_history_bar(pen, top_value_before(h, width - 1 - i),
					scale));
}

void top_init(struct top *t, const struct top_order *order)
{
	const char *first;

	*t = (struct top){ .interval_ns = CLOCK_NS_PER_S, .ties = *order };
	first = top_order_first(order, &t->reversed);
	if (first)
		t->sorted = top_columns_by_order(first, strlen(first));
	view_open(t, &view_threads);
}

void top_release(struct top *t)
{
	free(t->bare.rows);
	free(t->glob);
	free(t->regex);
	pattern_free(t->filter.pattern);
	top_pools_release(&t->pools);
	prompt_release(&t->prompt);
	for (size_t i = 0; i < VIEW_PAGES; i++)
		pager_release(&t->pages[i].pager);
	*t = (struct top){ 0 };
}

static const struct process_rates no_rates = {
	.cpu = NAN,
	.application = NAN,
	.user = NAN,
	.sys = NAN,
	.other = NAN,
	.vm_cpu = NAN,
	.gc_cpu = NAN,
	.jit_cpu = NAN,
	.native_cpu = NAN,
	.alloc = NAN,
	.safepoints = NAN,
	.safepoint_pause_ms = NAN,
	.sync = NAN,
	.safepoint = NAN,
	.gc_pauses = NAN,
	.gc_longest.ns = COUNTER_ABSENT,
	.longest.ns = COUNTER_ABSENT,
	.machine = NAN,
	.throttled = NAN,
};

/* Rows of a first sample: threads whose rates are all NaN. */
static struct top_rates *top_without_rates(struct top *t,
					   const struct top_sample *sample)
{
	struct top_rates *bare = &t->bare;

	array_reserve(bare->rows, t->bare_cap, sample->thread_count);
	bare->sample = sample;
	bare->interval_s = NAN;
	bare->process = no_rates;
	bare->row_count = sample->thread_count;
	for (size_t i = 0; i < sample->thread_count; i++) {
		struct thread_row *row = &bare->rows[i];

		*row = (struct thread_row){ .thread = &sample->threads[i] };
		for (size_t c = 0; c < THREAD_COUNTERS; c++)
			row->rates[c] = NAN;
		bare->process.java_threads += row->thread->kind == THREAD_JAVA;
	}
	return bare;
}

void top_update(struct top *t, const struct top_sample *sample,
		struct top_rates *rates)
{
	t->sample = sample;
	t->rates = rates ? rates : top_without_rates(t, sample);
	if (rates) {
		top_history_add(&t->cpu, rates->process.cpu);
		top_history_add(&t->gc, rates->process.gc_pauses);
		top_history_add(&t->alloc, rates->process.alloc);
	}
	if (t->stack_auto && view_of(t) == &view_stack)
		t->actions |= TOP_ACTION_STACK;
	if (view_of(t) == &view_blocked && t->pages[PAGE_BLOCKED].ns &&
	    sample->monotonic_ns >= t->blocked_due_ns)
		t->actions |= TOP_ACTION_BLOCKED;
	top_select(t);
}

/* Sorts by the chosen column, then by the keys of the command line. */
static void top_compose_order(struct top *t)
{
	struct top_order *order = &t->order;
	struct error unused;
	char key[16];

	order->count = 0;
	if (t->sorted) {
		snprintf(key, sizeof(key), "%s%s", t->reversed ? "-" : "",
			 t->sorted->order);
		top_order_parse(key, order, &unused);
	}
	/* Drop the last keys when there are too many: they hardly ever decide.
	 */
	for (size_t i = 0; i < t->ties.count && order->count < TOP_ORDER_MAX;
	     i++)
		order->by[order->count++] = t->ties.by[i];
}

static struct top_identity top_identity_of_thread(const struct thread_sample *s)
{
	return (struct top_identity){ .id = s->tid ? s->tid : -s->java_id,
				      .start = s->start };
}

static struct top_identity top_identity_of(const struct top_line *line)
{
	if (line->kind == LINE_POOL)
		return (struct top_identity){ .pool = line->pool };
	return top_identity_of_thread(line->row->thread);
}

static bool top_is_same(const struct top_identity *a,
			const struct top_identity *b)
{
	return a->id == b->id && a->start == b->start && a->pool == b->pool;
}

struct top_line top_line(const struct top *t, size_t i)
{
	if (t->pooled)
		return t->pools.lines[i];
	return (struct top_line){ .row = &t->rates->rows[i] };
}

/* Chooses the followed line again, or the line at the old position. */
static void top_choose_again(struct top *t)
{
	struct top_line line;

	for (size_t i = 0; t->follow && i < t->line_count; i++) {
		struct top_identity id;

		line = top_line(t, i);
		id = top_identity_of(&line);
		if (top_is_same(&id, &t->identity)) {
			t->chosen = i;
			return;
		}
	}
	if (t->chosen >= t->line_count)
		t->chosen = t->line_count ? t->line_count - 1 : 0;
	if (t->line_count && !t->follow) {
		line = top_line(t, t->chosen);
		t->identity = top_identity_of(&line);
	}
}

void top_select(struct top *t)
{
	if (!t->rates)
		return;
	top_compose_order(t);
	t->passed = top_rows_select(t->rates, &t->filter, &t->order);
	t->line_count = t->passed;
	if (t->pooled)
		t->line_count = top_pools_group(&t->pools, t->rates->rows,
						t->passed, &t->order);
	top_choose_again(t);
}

void top_choose(struct top *t, size_t line)
{
	struct top_line chosen;

	if (line >= t->line_count)
		return;
	t->chosen = line;
	chosen = top_line(t, line);
	t->identity = top_identity_of(&chosen);
}

void top_ask_stack(struct top *t, const struct thread_row *row)
{
	t->stack_of = top_identity_of_thread(row->thread);
	t->actions |= TOP_ACTION_STACK;
}

const struct thread_row *top_stack_row(const struct top *t)
{
	for (size_t i = 0; t->rates && i < t->rates->row_count; i++) {
		struct top_identity id = top_identity_of_thread(
			t->rates->rows[i].thread);

		if (top_is_same(&id, &t->stack_of))
			return &t->rates->rows[i];
	}
	return NULL;
}

void top_set_page(struct top *t, enum view_page page, const struct text *text,
		  int64_t wall_ns)
{
	t->pages[page].ns = wall_ns;
	pager_set(&t->pages[page].pager, text->len ? text->bytes : "",
		  text->len);
}

void top_set_blocked(struct top *t, const struct text *text, int64_t wall_ns,
		     int64_t every_ns)
{
	t->blocked_every_ns = every_ns;
	t->blocked_due_ns = INT64_MAX;
	if (every_ns >= 0 && t->sample)
		t->blocked_due_ns = clock_after(t->sample->monotonic_ns,
						every_ns);
	top_set_page(t, PAGE_BLOCKED, text, wall_ns);
}

void top_message(struct top *t, bool is_bad, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, args);
	va_end(args);
	t->message_is_error = is_bad;
}

unsigned top_take_actions(struct top *t)
{
	unsigned actions = t->actions;

	t->actions = 0;
	return actions;
}

const struct view *view_of(const struct top *t)
{
	return t->views[t->depth - 1];
}

void view_open(struct top *t, const struct view *view)
{
	if (t->depth == VIEW_DEPTH)
		t->depth--;
	t->views[t->depth++] = view;
	if (view->open)
		view->open(t);
}

void view_leave(struct top *t)
{
	if (t->depth > 1)
		t->depth--;
}
