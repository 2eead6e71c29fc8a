/* SPDX-License-Identifier: Apache-2.0 */
#include "render/gc/gc_report.h"

#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/text/columns.h"
#include "render/text/table.h"

#include <inttypes.h>

/* A thread that is this late to stop deserves a search for it. */
#define LONG_SYNC_NS (10 * CLOCK_NS_PER_MS)

static const struct table_column summary_columns[] = {
	{ "kind", false },   { "collector", false }, { "cause", false },
	{ "count", true },   { "stopped", true },    { "share", true },
	{ "p50", true },     { "p95", true },        { "p99", true },
	{ "longest", true }, { "GC time", true },
};

enum { SUMMARY_COLUMNS = sizeof(summary_columns) / sizeof(*summary_columns) };

static void summary_add_ns(struct table *t, int64_t ns)
{
	struct text *cell = table_cell(t);

	if (ns == GC_ABSENT)
		text_putc(cell, '-');
	else
		units_add_time(cell, (double)ns);
}

static void summary_add_share(struct text *out, int64_t ns, int64_t wall_ns)
{
	if (wall_ns > 0)
		text_printf(out, "%.2f%%", 100 * (double)ns / (double)wall_ns);
	else
		text_putc(out, '-');
}

/*
 * A cycle and a stall stop nothing, and some sources have no stopped times:
 * percentiles are then of the collector's time.
 */
static void summary_add_durations(const struct gc_summary *s, struct table *t,
				  struct gc_group *g)
{
	bool has_stopped = s->columns & GC_HAS_STOPPED &&
			   gc_kind_stops(g->kind);
	struct gc_durations *d = has_stopped ? &g->stopped : &g->gc;
	bool known = d->count > 0;

	units_add_count(table_cell(t),
			gc_kind_stops(g->kind) ? g->stops : g->gc.count);
	summary_add_ns(t, known && has_stopped ? d->sum_ns : GC_ABSENT);
	if (known && has_stopped)
		summary_add_share(table_cell(t), d->sum_ns, s->wall_ns);
	else
		table_add(t, "-");
	summary_add_ns(t, gc_durations_percentile(d, 50));
	summary_add_ns(t, gc_durations_percentile(d, 95));
	summary_add_ns(t, gc_durations_percentile(d, 99));
	summary_add_ns(t, known ? d->longest_ns : GC_ABSENT);
	summary_add_ns(t, g->gc.count ? g->gc.sum_ns : GC_ABSENT);
}

static void summary_add_group(const struct gc_summary *s, struct table *t,
			      struct gc_group *g)
{
	table_add(t, gc_kind_name(g->kind));
	table_add(t, g->collector[0] ? g->collector : "-");
	table_add(t, g->reason[0] ? g->reason : "-");
	summary_add_durations(s, t, g);
}

static void summary_add_total(const struct gc_summary *s, struct table *t)
{
	struct gc_group *g = &s->totals->collections;

	table_add(t, "all collections");
	table_add(t, "");
	table_add(t, "");
	summary_add_durations(s, t, g);
}

static void summary_add_table(const struct gc_summary *s, struct text *out)
{
	struct table t = { .columns = summary_columns,
			   .column_count = SUMMARY_COLUMNS };
	size_t collections = 0;

	gc_totals_sort(s->totals);
	for (size_t i = 0; i < s->totals->count; i++) {
		struct gc_group *g = &s->totals->groups[i];

		if (g->kind == GC_OTHER && !s->shows_safepoints)
			continue;
		collections += g->kind != GC_OTHER && gc_kind_stops(g->kind);
		summary_add_group(s, &t, g);
	}
	if (collections > 1)
		summary_add_total(s, &t);
	if (t.count)
		table_text(&t, 0, out);
	table_release(&t);
}

/* Shares of time refer to this time. */
static void summary_add_wall(const struct gc_summary *s, struct text *out)
{
	if (s->wall_ns <= 0)
		return;
	text_puts(out, s->jvms ? "time observed: "
			       : "time from the first to the last record: ");
	units_add_time(out, (double)s->wall_ns);
	if (s->jvms > 1)
		text_printf(out, ", the sum of %zu JVMs", s->jvms);
	text_putc(out, '\n');
}

/* Sums up the time to safepoint of collections and other safepoints. */
static void summary_add_sync(const struct gc_summary *s, struct text *out)
{
	struct gc_group *groups[] = { &s->totals->collections,
				      &s->totals->safepoints };
	static const char *const names[] = { "collections",
					     "other safepoints" };

	for (size_t i = 0; i < 2; i++) {
		struct gc_durations *d = &groups[i]->sync;

		if (!d->count)
			continue;
		text_printf(out, "time to safepoint, %s: ", names[i]);
		units_add_time(out, (double)d->sum_ns);
		text_puts(out, ", p50 ");
		units_add_time(out, (double)gc_durations_percentile(d, 50));
		text_puts(out, ", p99 ");
		units_add_time(out, (double)gc_durations_percentile(d, 99));
		text_puts(out, ", longest ");
		units_add_time(out, (double)d->longest_ns);
		text_putc(out, '\n');
	}
	if (s->totals->longest_sync[0] && s->totals->longest_sync_ns > 0) {
		text_puts(out, "the longest time to safepoint was for: ");
		safe_text_puts(out, s->totals->longest_sync);
		if (s->totals->longest_sync_ns >= LONG_SYNC_NS && s->jvms &&
		    !s->shows_safepoints)
			text_puts(out, " (--safepoints names the thread that "
				       "was the last to stop)");
		text_putc(out, '\n');
	}
}

static void summary_add_safepoints(const struct gc_summary *s, struct text *out)
{
	const struct gc_group *g = &s->totals->safepoints;

	if (!g->stops || s->shows_safepoints)
		return;
	text_puts(out, "other safepoints: ");
	units_add_count(out, g->stops);
	text_puts(out, ", stopped ");
	units_add_time(out, (double)g->stopped.sum_ns);
	text_puts(out, ", longest ");
	units_add_time(out, (double)g->stopped.longest_ns);
	text_puts(out, " (list them with --safepoints)\n");
}

static void summary_add_cpu(const struct gc_summary *s, struct text *out)
{
	if (s->cpu_ns == GC_ABSENT)
		return;
	text_puts(out, "CPU time of GC threads: ");
	units_add_time(out, (double)s->cpu_ns);
	if (s->wall_ns > 0) {
		text_puts(out, ", ");
		summary_add_share(out, s->cpu_ns, s->wall_ns);
		text_puts(out, " of a core");
	}
	text_putc(out, '\n');
}

void gc_summary_text(const struct gc_summary *s, struct text *out)
{
	summary_add_table(s, out);
	summary_add_wall(s, out);
	if (!(s->columns & GC_HAS_STOPPED) && s->totals->collections.stops)
		text_puts(out, "stopped times are unknown: p50 to longest are "
			       "of the collector's time\n");
	if (s->totals->collections.together) {
		units_add_count(out, s->totals->collections.together);
		text_puts(out, " pauses were too close to be separated; each "
			       "counts as an equal part of their sum\n");
	}
	summary_add_sync(s, out);
	summary_add_safepoints(s, out);
	summary_add_cpu(s, out);
}

enum { BAR_WIDTH = 50 };

/* "2 ms … 4 ms" for bucket i, which starts at 2^(i-1) microseconds. */
static void histogram_add_range(size_t i, struct text *out)
{
	size_t start = out->len;

	if (i)
		units_add_time(out, 1000.0 * (double)(UINT64_C(1) << (i - 1)));
	else
		text_puts(out, "0");
	columns_right(out, start, 8);
	text_puts(out, " to ");
	start = out->len;
	units_add_time(out, 1000.0 * (double)(UINT64_C(1) << i));
	columns_right(out, start, 8);
}

void gc_summary_histogram(struct gc_totals *t, struct text *out)
{
	uint64_t counts[GC_POWERS], most = 0;
	size_t first = GC_POWERS, last = 0;

	gc_durations_powers(&t->collections.stopped, counts);
	for (size_t i = 0; i < GC_POWERS; i++) {
		if (!counts[i])
			continue;
		if (first == GC_POWERS)
			first = i;
		last = i;
		most = counts[i] > most ? counts[i] : most;
	}
	if (!most)
		return;
	text_puts(out, "stopped times of collections:\n");
	for (size_t i = first; i <= last; i++) {
		histogram_add_range(i, out);
		text_printf(out, " %8" PRIu64 " ", counts[i]);
		for (uint64_t n = 0; n < counts[i] * BAR_WIDTH / most; n++)
			text_putc(out, '#');
		text_putc(out, '\n');
	}
}
