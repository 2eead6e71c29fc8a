/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the thread table: titles, widths, formats and styles. */
#include "render/top/top.h"

#include "core/base/units.h"
#include "render/top/top_format.h"
#include "render/top/top_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef enum screen_style format_fn(const struct top_column *c,
				    const struct thread_row *row,
				    struct text *out);

static format_fn format_tid, format_java_id, format_kind, format_state,
	format_share, format_allocation, format_rate, format_switches,
	format_used, format_name;

/* clang-format off */
static const struct top_column columns[] = {
	{ "TID", "TID", "thread id of the kernel", .width = 7,
	  .since = 40, .format = format_tid },
	{ "JTID", "ID", "thread id of Java", .width = 6, .since = 100,
	  .format = format_java_id },
	{ "KIND", "KIND", "thread kind: Java, VM, GC, JIT or native",
	  .width = 6, .since = 140, .is_text = true, .format = format_kind },
	{ "STATE", "STATE", "thread state; ~: from the last thread dump",
	  .width = 13, .since = 60, .is_text = true, .format = format_state },
	{ "CPU%", "CPU", "CPU time; 100 is one core", .width = 6,
	  .since = 8, .counter = THREAD_CPU, .format = format_share },
	{ "USR%", "USER", "CPU time in user mode", .width = 6, .since = 70,
	  .counter = THREAD_USER, .format = format_share },
	{ "SYS%", "SYS", "CPU time in the kernel", .width = 6, .since = 70,
	  .counter = THREAD_SYS, .format = format_share },
	{ "ALLOC/s", "ALLOC", "bytes allocated per second; ~: estimated",
	  .width = 8, .since = 50, .counter = THREAD_ALLOC,
	  .format = format_allocation },
	{ "RUNQ%", "RUNQ", "time spent waiting for a CPU (run queue)", .width = 6,
	  .since = 90, .counter = THREAD_RUNQ, .format = format_share },
	{ "CSW/s", "CSW", "context switches per second", .width = 6,
	  .since = 120, .when_present = true, .counter = THREAD_VOLUNTARY,
	  .format = format_switches },
	{ "WAIT/s", "WAITS", "waits per second", .width = 7,
	  .since = 100, .when_present = true, .counter = THREAD_WAITS,
	  .format = format_rate },
	{ "WAIT%", "WAIT", "share of time spent waiting", .width = 6, .since = 80,
	  .when_present = true, .counter = THREAD_WAIT_TIME, .format = format_share },
	{ "BLK/s", "BLOCKS", "blocks on contended monitors per second",
	  .width = 6, .since = 100, .when_present = true,
	  .counter = THREAD_BLOCKS, .format = format_rate },
	{ "BLK%", "BLOCK", "share of time blocked on monitors", .width = 6,
	  .since = 80, .when_present = true, .counter = THREAD_BLOCK_TIME,
	  .format = format_share },
	{ "TIME", NULL, "CPU time since the thread started", .width = 7, .since = 120,
	  .counter = THREAD_CPU, .format = format_used },
	{ "NAME", "NAME", "thread name and mounted virtual thread",
	  .is_text = true, .format = format_name },
};
/* clang-format on */

#define COLUMNS (sizeof(columns) / sizeof(*columns))

_Static_assert(COLUMNS < TOP_COLUMNS_MAX, "more columns than a screen takes");

static enum screen_style columns_number(struct text *out, int64_t id)
{
	if (id > 0)
		text_printf(out, "%" PRId64, id);
	else
		text_putc(out, '-');
	return id > 0 ? STYLE_PLAIN : STYLE_DIM;
}

static enum screen_style format_tid(const struct top_column *c,
				    const struct thread_row *row,
				    struct text *out)
{
	(void)c;
	return columns_number(out, row->thread->tid);
}

static enum screen_style format_java_id(const struct top_column *c,
					const struct thread_row *row,
					struct text *out)
{
	(void)c;
	return columns_number(out, row->thread->java_id);
}

static enum screen_style format_kind(const struct top_column *c,
				     const struct thread_row *row,
				     struct text *out)
{
	static const enum screen_style styles[] = {
		[THREAD_UNKNOWN] = STYLE_DIM, [THREAD_JAVA] = STYLE_PLAIN,
		[THREAD_VM] = STYLE_VM,       [THREAD_GC] = STYLE_GC,
		[THREAD_JIT] = STYLE_JIT,     [THREAD_NATIVE] = STYLE_NATIVE,
	};

	(void)c;
	text_puts(out, row->thread->kind == THREAD_UNKNOWN
			       ? "-"
			       : thread_kind_name(row->thread->kind));
	return styles[row->thread->kind];
}

/*
 * At most ten characters: Java's TIMED_WAITING is shortened. Names with a
 * number of threads have at most nine.
 */
static const struct {
	const char *name;
	const char *counted;
	enum screen_style style;
} states[] = {
	[RUN_UNKNOWN] = { "-", NULL, STYLE_DIM },
	[RUN_NEW] = { "NEW", "new", STYLE_PLAIN },
	[RUN_RUNNABLE] = { "RUNNABLE", "runnable", STYLE_USER },
	[RUN_IN_NATIVE] = { "in native", "in native", STYLE_PLAIN },
	[RUN_BLOCKED] = { "BLOCKED", "blocked", STYLE_HOT },
	[RUN_WAITING] = { "WAITING", "waiting", STYLE_DIM },
	[RUN_TIMED_WAITING] = { "TIMED_WAIT", "timed", STYLE_DIM },
	[RUN_TERMINATED] = { "TERMINATED", "ended", STYLE_DIM },
	[RUN_ON_CPU] = { "running", "running", STYLE_USER },
	[RUN_SLEEPING] = { "sleeping", "sleeping", STYLE_DIM },
	[RUN_DISK] = { "disk", "disk", STYLE_WARM },
	[RUN_STOPPED] = { "stopped", "stopped", STYLE_HOT },
};

static enum screen_style format_state(const struct top_column *c,
				      const struct thread_row *row,
				      struct text *out)
{
	const struct thread_sample *t = row->thread;

	(void)c;
	if (t->state_is_old)
		text_putc(out, '~');
	if (row->in_state)
		text_printf(out, "%zu %s", row->in_state,
			    states[t->state].counted);
	else
		text_puts(out, states[t->state].name);
	return states[t->state].style;
}

/* Zero is dim; half a core and more is highlighted. */
static enum screen_style format_share(const struct top_column *c,
				      const struct thread_row *row,
				      struct text *out)
{
	double value = row->rates[c->counter];

	top_format_percent(out, value);
	if (isnan(value) || value < 0.00005)
		return STYLE_DIM;
	return value >= 0.9   ? STYLE_HOT
	       : value >= 0.5 ? STYLE_WARM
			      : STYLE_PLAIN;
}

static enum screen_style format_allocation(const struct top_column *c,
					   const struct thread_row *row,
					   struct text *out)
{
	double value = row->rates[c->counter];

	if (row->thread->alloc_is_coarse && !isnan(value))
		text_putc(out, '~');
	units_add_measured_bytes(out, value);
	return value >= 1 ? STYLE_PLAIN : STYLE_DIM;
}

static enum screen_style columns_per_second(double value, struct text *out)
{
	top_format_rate(out, value);
	return value >= 0.05 ? STYLE_PLAIN : STYLE_DIM;
}

static enum screen_style format_rate(const struct top_column *c,
				     const struct thread_row *row,
				     struct text *out)
{
	return columns_per_second(row->rates[c->counter], out);
}

static enum screen_style format_switches(const struct top_column *c,
					 const struct thread_row *row,
					 struct text *out)
{
	(void)c;
	return columns_per_second(top_row_switches(row), out);
}

static enum screen_style format_used(const struct top_column *c,
				     const struct thread_row *row,
				     struct text *out)
{
	(void)c;
	top_format_time(out, row->thread->counters[THREAD_CPU]);
	return STYLE_PLAIN;
}

static enum screen_style format_name(const struct top_column *c,
				     const struct thread_row *row,
				     struct text *out)
{
	const struct thread_sample *t = row->thread;

	(void)c;
	text_puts(out, t->name);
	if (t->virtual_id)
		text_printf(out, " [virtual #%" PRId64 "]", t->virtual_id);
	return t->kind == THREAD_JAVA || t->kind == THREAD_UNKNOWN ? STYLE_PLAIN
								   : STYLE_DIM;
}

const struct top_column *top_columns_all(size_t *count)
{
	*count = COLUMNS;
	return columns;
}

static bool columns_is_present(const struct top_column *c,
			       const struct thread_row *rows, size_t count)
{
	if (!c->when_present || count == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].thread->counters[c->counter] != COUNTER_ABSENT)
			return true;
	}
	return false;
}

void top_columns_choose(struct top_columns *chosen, unsigned width,
			const struct thread_row *rows, size_t count)
{
	unsigned at = 0;

	chosen->count = 0;
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct top_column *c = &columns[i];
		unsigned taken = c->width;

		if (width < c->since || at >= width ||
		    !columns_is_present(c, rows, count))
			continue;
		if (!taken)
			taken = width - at;
		chosen->shown[chosen->count].column = c;
		chosen->shown[chosen->count].at = at;
		chosen->shown[chosen->count++].width = taken;
		at += taken + 1;
	}
}

const struct top_column *top_columns_by_order(const char *key, size_t len)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const char *order = columns[i].order;

		if (order && strlen(order) == len &&
		    strncasecmp(order, key, len) == 0)
			return &columns[i];
	}
	return NULL;
}
