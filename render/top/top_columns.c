/* SPDX-License-Identifier: Apache-2.0 */
#include "render/top/top_columns.h"

#include "core/base/units.h"
#include "render/top/figures.h"
#include "render/top/top_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef enum screen_style format_fn(const struct top_column *c,
				    const struct thread_row *row,
				    struct text *out);

static format_fn tid, java_id, kind, state, share, allocation, rate, switches,
	used, name;

/* clang-format off */
static const struct top_column columns[] = {
	{ "TID", "TID", "thread id of the kernel", .width = 7,
	  .since = 40, .format = tid },
	{ "JTID", "ID", "thread id of Java", .width = 6, .since = 100,
	  .format = java_id },
	{ "KIND", "KIND", "thread kind: Java, VM, GC, JIT or native",
	  .width = 6, .since = 140, .is_text = true, .format = kind },
	{ "STATE", "STATE", "thread state; ~: from the last thread dump",
	  .width = 11, .since = 60, .is_text = true, .format = state },
	{ "CPU%", "CPU", "CPU time; 100 is one core", .width = 6,
	  .since = 8, .counter = THREAD_CPU, .format = share },
	{ "USR%", "USER", "CPU time in user mode", .width = 6, .since = 70,
	  .counter = THREAD_USER, .format = share },
	{ "SYS%", "SYS", "CPU time in the kernel", .width = 6, .since = 70,
	  .counter = THREAD_SYS, .format = share },
	{ "ALLOC/s", "ALLOC", "bytes allocated per second; ~: estimated",
	  .width = 8, .since = 50, .counter = THREAD_ALLOC,
	  .format = allocation },
	{ "RUNQ%", "RUNQ", "time spent waiting for a CPU (run queue)", .width = 6,
	  .since = 90, .counter = THREAD_RUNQ, .format = share },
	{ "CSW/s", "CSW", "context switches per second", .width = 6,
	  .since = 120, .when_present = true, .counter = THREAD_VOLUNTARY,
	  .format = switches },
	{ "WAIT/s", "WAITS", "waits per second", .width = 7,
	  .since = 100, .when_present = true, .counter = THREAD_WAITS,
	  .format = rate },
	{ "WAIT%", "WAIT", "share of time spent waiting", .width = 6, .since = 80,
	  .when_present = true, .counter = THREAD_WAIT_TIME, .format = share },
	{ "BLK/s", "BLOCKS", "blocks on contended monitors per second",
	  .width = 6, .since = 100, .when_present = true,
	  .counter = THREAD_BLOCKS, .format = rate },
	{ "BLK%", "BLOCK", "share of time blocked on monitors", .width = 6,
	  .since = 80, .when_present = true, .counter = THREAD_BLOCK_TIME,
	  .format = share },
	{ "TIME", NULL, "CPU time since the thread started", .width = 7, .since = 120,
	  .counter = THREAD_CPU, .format = used },
	{ "NAME", "NAME", "thread name and mounted virtual thread",
	  .is_text = true, .format = name },
};
/* clang-format on */

#define COLUMNS (sizeof(columns) / sizeof(*columns))

_Static_assert(COLUMNS < TOP_COLUMNS_MAX, "more columns than a screen takes");

static enum screen_style number(struct text *out, int64_t id)
{
	if (id > 0)
		text_printf(out, "%" PRId64, id);
	else
		text_putc(out, '-');
	return id > 0 ? STYLE_PLAIN : STYLE_DIM;
}

static enum screen_style tid(const struct top_column *c,
			     const struct thread_row *row, struct text *out)
{
	(void)c;
	return number(out, row->thread->tid);
}

static enum screen_style java_id(const struct top_column *c,
				 const struct thread_row *row, struct text *out)
{
	(void)c;
	return number(out, row->thread->java_id);
}

static enum screen_style kind(const struct top_column *c,
			      const struct thread_row *row, struct text *out)
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

/* As short as a column of ten; the names of Java that are longer are cut. */
static const struct {
	const char *name;
	enum screen_style style;
} states[] = {
	[RUN_UNKNOWN] = { "-", STYLE_DIM },
	[RUN_NEW] = { "NEW", STYLE_PLAIN },
	[RUN_RUNNABLE] = { "RUNNABLE", STYLE_USER },
	[RUN_BLOCKED] = { "BLOCKED", STYLE_HOT },
	[RUN_WAITING] = { "WAITING", STYLE_DIM },
	[RUN_TIMED_WAITING] = { "TIMED_WAIT", STYLE_DIM },
	[RUN_TERMINATED] = { "TERMINATED", STYLE_DIM },
	[RUN_ON_CPU] = { "running", STYLE_USER },
	[RUN_SLEEPING] = { "sleeping", STYLE_DIM },
	[RUN_DISK] = { "disk", STYLE_WARM },
	[RUN_STOPPED] = { "stopped", STYLE_HOT },
};

static enum screen_style state(const struct top_column *c,
			       const struct thread_row *row, struct text *out)
{
	const struct thread_sample *t = row->thread;

	(void)c;
	if (t->state_is_old)
		text_putc(out, '~');
	text_puts(out, states[t->state].name);
	return states[t->state].style;
}

/* Nothing at all steps back; half a core and more comes forward. */
static enum screen_style share(const struct top_column *c,
			       const struct thread_row *row, struct text *out)
{
	double value = row->rates[c->counter];

	figures_percent(out, value);
	if (isnan(value) || value < 0.00005)
		return STYLE_DIM;
	return value >= 0.9   ? STYLE_HOT
	       : value >= 0.5 ? STYLE_WARM
			      : STYLE_PLAIN;
}

static enum screen_style allocation(const struct top_column *c,
				    const struct thread_row *row,
				    struct text *out)
{
	double value = row->rates[c->counter];

	if (row->thread->alloc_is_coarse && !isnan(value))
		text_putc(out, '~');
	units_add_bytes(out, value);
	return value >= 1 ? STYLE_PLAIN : STYLE_DIM;
}

static enum screen_style per_second(double value, struct text *out)
{
	figures_rate(out, value);
	return value >= 0.05 ? STYLE_PLAIN : STYLE_DIM;
}

static enum screen_style rate(const struct top_column *c,
			      const struct thread_row *row, struct text *out)
{
	return per_second(row->rates[c->counter], out);
}

static enum screen_style switches(const struct top_column *c,
				  const struct thread_row *row,
				  struct text *out)
{
	(void)c;
	return per_second(top_row_switches(row), out);
}

static enum screen_style used(const struct top_column *c,
			      const struct thread_row *row, struct text *out)
{
	(void)c;
	figures_time(out, row->thread->counters[THREAD_CPU]);
	return STYLE_PLAIN;
}

static enum screen_style name(const struct top_column *c,
			      const struct thread_row *row, struct text *out)
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

static bool is_present(const struct top_column *c,
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
		    !is_present(c, rows, count))
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
