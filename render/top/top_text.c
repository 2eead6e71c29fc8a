/* SPDX-License-Identifier: Apache-2.0 */
/* Prints reports in the format of SJK's ttop. */
#include "render/top/top_report.h"

#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/top/top_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

const struct source_note *top_note(const struct top_sample *s,
				   const char *figure)
{
	for (size_t i = 0; i < s->note_count; i++) {
		if (strcmp(s->notes[i].figure, figure) == 0)
			return &s->notes[i];
	}
	return NULL;
}

/*
 * Appends a time in SJK's format, 2026-11-21T08:43:28.234+0000, in the zone of
 * TZ.
 */
static void top_text_time(struct text *out, int64_t wall_ns)
{
	time_t seconds = wall_ns / CLOCK_NS_PER_S;
	struct tm tm;
	char zone[16];

	if (!localtime_r(&seconds, &tm))
		return;
	strftime(zone, sizeof(zone), "%z", &tm);
	units_add_local_time(out, wall_ns);
	text_printf(out, ".%03d%s",
		    (int)(wall_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS), zone);
}

/*
 * Appends a size in SJK's format: 9999, 10k, 9999k, 10m, and g above; "-" for
 * NaN.
 */
static void top_text_size(struct text *out, double bytes)
{
	static const struct {
		double below, unit;
		const char *suffix;
	} sizes[] = {
		{ 10 * 0x1p10, 1, "" },
		{ 10 * 0x1p20, 0x1p10, "k" },
		{ 10 * 0x1p30, 0x1p20, "m" },
		{ INFINITY, 0x1p30, "g" },
	};
	size_t i = 0;

	if (isnan(bytes)) {
		text_putc(out, '-');
		return;
	}
	while (i < 3 && bytes >= sizes[i].below)
		i++;
	bytes /= sizes[i].unit;
	text_printf(out, "%" PRIu64 "%s",
		    bytes < 0x1p63 ? (uint64_t)bytes : UINT64_C(1) << 63,
		    sizes[i].suffix);
}

/* Appends a share as a percentage of width characters at least. */
static void top_text_put_percent(struct text *out, int width, double share)
{
	if (isnan(share))
		text_printf(out, "%*s%%", width, "-");
	else
		text_printf(out, "%*.2f%%", width, share * 100);
}

/* Appends "- (reason)" for an unavailable value. */
static void top_text_put_absent(struct text *out, const struct top_sample *s,
				const char *figure)
{
	const struct source_note *note = top_note(s, figure);
	const char *why = note && note->is_absent ? note->text : "unavailable";
	bool whole = strncmp(why, "- (", 3) == 0;

	text_puts(out, whole ? "" : "- (");
	safe_text_puts(out, why);
	text_puts(out, whole ? "\n" : ")\n");
}

/* Without Java names, the threads of the application are unknown. */
static void top_text_put_no_split(struct text *out, const struct top_sample *s)
{
	const struct source_note *names = top_note(s, "names");

	text_puts(out, "  application cpu: - (the Java threads are unknown");
	if (names && names->is_absent) {
		text_puts(out, "; names: ");
		safe_text_puts(out, names->text);
	}
	text_puts(out, ")\n  other: cpu: - (the Java threads are unknown)\n");
}

static void top_text_put_cpu(struct text *out, const struct top_rates *r)
{
	const struct process_rates *p = &r->process;

	if (isnan(p->cpu)) {
		text_puts(out, "  process cpu: ");
		top_text_put_absent(out, r->sample, "cpu");
	} else {
		text_puts(out, "  process cpu=");
		top_text_put_percent(out, 0, p->cpu);
		text_putc(out, '\n');
	}
	if (isnan(p->application)) {
		top_text_put_no_split(out, r->sample);
		return;
	}
	text_puts(out, "  application cpu=");
	top_text_put_percent(out, 0, p->application);
	text_puts(out, " (user=");
	top_text_put_percent(out, 0, p->user);
	text_puts(out, " sys=");
	top_text_put_percent(out, 0, p->sys);
	text_puts(out, ")\n  other: cpu=");
	top_text_put_percent(out, 0, p->other);
	text_putc(out, '\n');
}

/* Like SJK: counts threads that pass the filter and are not new. */
static size_t top_text_thread_count(const struct top_report *report)
{
	bool named = !isnan(report->rates->process.application);
	size_t count = 0;

	for (size_t i = 0; i < report->passing; i++) {
		const struct thread_row *row = &report->rates->rows[i];

		count += !row->is_new &&
			 (!named || row->thread->kind == THREAD_JAVA ||
			  row->thread->kind == THREAD_UNKNOWN);
	}
	return count;
}

/* SJK's line, and the number of threads that started and ended. */
static void top_text_put_count(struct text *out,
			       const struct top_report *report)
{
	const struct process_rates *p = &report->rates->process;

	text_printf(out, "  thread count: %zu", top_text_thread_count(report));
	if (p->new_threads || p->ended_threads)
		text_printf(out, " (%zu started, %zu ended)", p->new_threads,
			    p->ended_threads);
	text_putc(out, '\n');
}

static bool top_text_ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len &&
	       memcmp(text + len - end_len, end, end_len) == 0;
}

/* Shortens HotSpot's names, such as "G1 young collection pauses". */
static void top_text_put_collector(struct text *out, const char *name)
{
	size_t len = strlen(name);

	if (strstr(name, " young ")) {
		text_puts(out, "young");
	} else if (strstr(name, " full ")) {
		text_puts(out, "old");
	} else {
		if (top_text_ends_with(name, len, " pauses") ||
		    top_text_ends_with(name, len, " Pauses"))
			len -= strlen(" pauses");
		safe_text(out, name, len);
	}
}

static void top_text_put_gc(struct text *out, const struct top_rates *r)
{
	const struct process_rates *p = &r->process;
	const char *is = p->gc_at_most ? "\u2264" : "=";

	if (!p->gc_count) {
		text_puts(out, "  GC time: ");
		top_text_put_absent(out, r->sample, "gc");
		return;
	}
	text_printf(out, "  GC time%s", is);
	top_text_put_percent(out, 0, p->gc_pauses);
	for (size_t i = 0; i < p->gc_count; i++) {
		text_puts(out, i ? ", " : " (");
		top_text_put_collector(out, p->gc[i].name);
		text_puts(out, p->gc[i].at_most ? "\u2264" : "=");
		top_text_put_percent(out, 0, p->gc[i].share);
	}
	text_puts(out, ")\n");
}

static void top_text_put_pause(struct text *out, const char *what,
			       const struct longest_pause *l)
{
	text_printf(out, "%s%s%.2fms", what, l->most_ns > l->ns ? ">=" : "=",
		    (double)l->ns / 1e6);
}

/* Not in SJK: the longest pauses since ttop started. */
static void top_text_put_longest(struct text *out, const struct top_rates *r)
{
	const struct longest_pause *gc = &r->process.gc_longest;
	const struct longest_pause *any = &r->process.longest;

	if (gc->ns != COUNTER_ABSENT) {
		top_text_put_pause(out, "  longest GC pause", gc);
		if (*gc->cause) {
			text_puts(out, " (");
			safe_text_puts(out, gc->cause);
			text_putc(out, ')');
		}
	}
	if (any->ns != COUNTER_ABSENT)
		top_text_put_pause(out,
				   gc->ns == COUNTER_ABSENT
					   ? "  longest safe point"
					   : ", longest safe point",
				   any);
	if (gc->ns != COUNTER_ABSENT || any->ns != COUNTER_ABSENT)
		text_puts(out, " (since ttop started)\n");
}

static void top_text_put_machine(struct text *out, const struct top_rates *r)
{
	const struct process_sample *p = &r->sample->process;

	if (isnan(r->process.machine))
		return;
	text_puts(out, "  machine cpu=");
	top_text_put_percent(out, 0, r->process.machine);
	text_printf(out, " of %" PRId64 " CPUs", p->cpus);
	if (p->cpu_limit == CPU_LIMIT_UNKNOWN)
		text_puts(out, ", container limit unknown");
	if (p->cpu_limit >= 0) {
		bool periods = !isnan(r->process.throttled_periods);

		text_printf(out, ", container limit %.2f CPUs, throttled=",
			    (double)p->cpu_limit / 1000);
		top_text_put_percent(out, 0,
				     periods ? r->process.throttled_periods
					     : r->process.throttled);
		if (periods)
			text_puts(out, " of periods");
	}
	text_putc(out, '\n');
}

static void top_text_put_pod(struct text *out, const struct process_sample *p)
{
	if (!*p->pod)
		return;
	text_puts(out, "  pod: ");
	safe_text_puts(out, p->pod_namespace);
	text_putc(out, '/');
	safe_text_puts(out, p->pod);
	text_puts(out, ", container ");
	safe_text_puts(out, p->container);
	text_putc(out, '\n');
}

static void top_text_put_allocation(struct text *out, const struct top_rates *r)
{
	const struct process_rates *p = &r->process;

	if (isnan(p->alloc)) {
		text_puts(out, "  heap allocation rate: ");
		top_text_put_absent(out, r->sample, "allocation");
		return;
	}
	text_puts(out, "  heap allocation rate ");
	text_puts(out, p->alloc_is_coarse ? "~" : "");
	top_text_size(out, p->alloc);
	text_puts(out, "b/s\n");
}

static void top_text_put_safepoints(struct text *out, const struct top_rates *r)
{
	const struct process_rates *p = &r->process;
	const struct source_note *pending = top_note(r->sample, "pending");

	if (pending)
		text_printf(out, "  the JVM %s\n", pending->text);
	if (isnan(p->safepoints)) {
		text_puts(out, "  safe points: ");
		top_text_put_absent(out, r->sample, "safepoints");
		return;
	}
	if (isnan(p->safepoint_pause_ms)) {
		/* The pending one is a safe point that has not ended. */
		text_puts(out, pending ? "" : "  no safe points\n");
		return;
	}
	text_printf(out,
		    "  safe point rate: %.1f (events/s) "
		    "avg. safe point pause: %.2fms\n"
		    "  safe point sync time: ",
		    p->safepoints, p->safepoint_pause_ms);
	top_text_put_percent(out, 0, p->sync);
	text_puts(out, " processing time: ");
	top_text_put_percent(out, 0, p->safepoint);
	text_puts(out, " (wallclock time)\n");
}

/* Not in SJK: the sum over the threads, and memory. */
static void top_text_put_runq(struct text *out, const struct top_rates *r)
{
	if (isnan(r->process.runq))
		return;
	text_puts(out, "  runnable threads waited for a CPU=");
	top_text_put_percent(out, 0, r->process.runq);
	text_puts(out, " (sum of all threads)\n");
}

static void top_text_put_memory(struct text *out, const struct top_rates *r)
{
	const struct process_sample *p = &r->sample->process;
	const struct {
		const char *label;
		int64_t bytes;
	} parts[] = {
		{ "heap ", p->heap_used },
		{ ", committed ", p->heap_committed },
		{ ", max ", p->heap_max },
		{ ", RSS ", p->rss_bytes },
	};
	const struct source_note *heap = top_note(r->sample, "heap");
	bool any = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *label = parts[i].label;

		if (parts[i].bytes == COUNTER_ABSENT)
			continue;
		text_puts(out, any ? "" : "  memory: ");
		text_puts(out, any ? label : label + strspn(label, ", "));
		top_format_bytes(out, parts[i].bytes);
		any = true;
	}
	if (heap && !heap->is_absent)
		text_printf(out, " (heap %s)", heap->text);
	text_puts(out, any ? "\n" : "");
}

static void top_text_put_id(struct text *out, const struct thread_sample *t)
{
	if (t->java_id)
		text_printf(out, "[%06" PRId64 "]", t->java_id);
	else if (t->tid)
		text_printf(out, "[t%05d]", t->tid);
	else
		text_puts(out, "[------]");
}

static void top_text_put_events(struct text *out, const char *what,
				double per_second, double share)
{
	text_printf(out, " %s=", what);
	if (isnan(per_second))
		text_puts(out, "    -");
	else if (per_second <= 0)
		text_puts(out, "    0");
	else if (per_second < 100)
		text_printf(out, "%5.2f", per_second);
	else
		text_printf(out, "%5.0f", per_second);
	text_puts(out, "/s(");
	top_text_put_percent(out, 5, share);
	text_putc(out, ')');
}

static void top_text_put_alloc(struct text *out, const struct thread_row *row)
{
	double rate = row->rates[THREAD_ALLOC];
	struct text size = { 0 };

	if (row->thread->alloc_is_coarse && !isnan(rate))
		text_putc(&size, '~');
	top_text_size(&size, rate);
	text_printf(out, " alloc=%6sb/s", size.bytes);
	text_release(&size);
}

static void top_text_put_row(struct text *out, const struct thread_row *row,
			     bool contention)
{
	const double *rates = row->rates;

	top_text_put_id(out, row->thread);
	text_puts(out, " user=");
	top_text_put_percent(out, 5, rates[THREAD_USER]);
	text_puts(out, " sys=");
	top_text_put_percent(out, 5, rates[THREAD_SYS]);
	if (contention) {
		top_text_put_events(out, "wait", rates[THREAD_WAITS],
				    rates[THREAD_WAIT_TIME]);
		top_text_put_events(out, "block", rates[THREAD_BLOCKS],
				    rates[THREAD_BLOCK_TIME]);
	}
	top_text_put_alloc(out, row);
	text_puts(out, " - ");
	safe_text_puts(out, row->thread->name);
	text_putc(out, '\n');
}

void top_text_add(struct text *out, const struct top_report *report)
{
	const struct top_rates *r = report->rates;
	size_t shown = 0;

	top_text_time(out, r->sample->wall_ns);
	text_puts(out, " Process summary\n");
	top_text_put_cpu(out, r);
	top_text_put_count(out, report);
	top_text_put_gc(out, r);
	top_text_put_allocation(out, r);
	top_text_put_safepoints(out, r);
	top_text_put_longest(out, r);
	top_text_put_machine(out, r);
	top_text_put_pod(out, &r->sample->process);
	top_text_put_runq(out, r);
	top_text_put_memory(out, r);
	for (size_t i = 0; i < report->passing && shown < report->shown; i++) {
		if (r->rows[i].is_new)
			continue;
		top_text_put_row(out, &r->rows[i], report->contention);
		shown++;
	}
	if (report->blocked) {
		text_putc(out, '\n');
		blocked_text(report->blocked, BLOCKED_FEW, out);
	}
	text_putc(out, '\n');
}
