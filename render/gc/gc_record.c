/* SPDX-License-Identifier: Apache-2.0 */
#include "render/gc/gc_report.h"

#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/text/columns.h"
#include "render/text/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Widths of the columns of text; longer values move the rest of the line. */
enum {
	WIDTH_LABEL = 16,
	WIDTH_TIME = 12,
	WIDTH_KIND = 12,
	WIDTH_CAUSE = 30,
	WIDTH_COLLECTOR = 10,
	WIDTH_DURATION = 9,
	WIDTH_SYNC = 12,
};

/* ---- text ---- */

/* Appends a text that fills a width and two spaces. */
static void record_put_left(struct text *out, const char *text, size_t len,
			    size_t width)
{
	size_t start = out->len, used;

	safe_text(out, text, len);
	used = text_width(out->bytes + start, out->len - start);
	text_spaces(out, (used < width ? width - used : 0) + 2);
}

static void record_put_string(struct text *out, const char *text, size_t width)
{
	if (!text || !*text)
		text = "-";
	record_put_left(out, text, strlen(text), width);
}

static void record_put_ns(struct text *out, int64_t ns, size_t width)
{
	size_t start = out->len;

	if (ns == GC_ABSENT)
		text_putc(out, '-');
	else
		units_add_time(out, (double)ns);
	columns_right(out, start, width);
	text_spaces(out, 2);
}

/* The local time, or for logs without dates the time since the start. */
static void record_put_time(struct text *out, const struct gc_pause *p)
{
	time_t seconds = (time_t)(p->end_ns / CLOCK_NS_PER_S);
	char text[32] = "-";
	struct tm tm;

	if (p->end_ns != GC_ABSENT && localtime_r(&seconds, &tm))
		snprintf(text, sizeof(text), "%02d:%02d:%02d.%03d", tm.tm_hour,
			 tm.tm_min, tm.tm_sec,
			 (int)(p->end_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
	else if (p->uptime_ns != GC_ABSENT)
		snprintf(text, sizeof(text), "%.3fs",
			 (double)p->uptime_ns / (double)CLOCK_NS_PER_S);
	record_put_string(out, text, WIDTH_TIME);
}

static void record_put_kind(struct text *out, const struct gc_pause *p)
{
	char text[32];

	if (p->count > 1)
		snprintf(text, sizeof(text), "%u pauses", p->count);
	else
		snprintf(text, sizeof(text), "%s", gc_kind_name(p->kind));
	record_put_string(out, text, WIDTH_KIND);
}

static void record_put_size(struct text *out, const char *before, int64_t bytes)
{
	text_puts(out, before);
	if (bytes == GC_ABSENT)
		text_putc(out, '-');
	else
		units_add_bytes(out, (double)bytes);
}

/* "48.0 MB -> 12.1 MB of 64.0 MB" */
static void record_put_heap(struct text *out, const struct gc_layout *l,
			    const struct gc_pause *p)
{
	if (p->before == GC_ABSENT && p->after == GC_ABSENT) {
		text_putc(out, '-');
		return;
	}
	if (l->columns & GC_HAS_BEFORE)
		record_put_size(out, "", p->before);
	record_put_size(out, l->columns & GC_HAS_BEFORE ? " -> " : "",
			p->after);
	if (p->committed != GC_ABSENT)
		record_put_size(out, " of ", p->committed);
}

static void record_end_line(struct text *out)
{
	while (out->len && out->bytes[out->len - 1] == ' ')
		out->len--;
	text_putc(out, '\n');
}

void gc_record_text_head(const struct gc_layout *l, struct text *out)
{
	if (l->has_label)
		text_printf(out, "%-*s  ", WIDTH_LABEL, "jvm");
	text_printf(out, "%-*s  %-*s  ", WIDTH_TIME, "time", WIDTH_KIND,
		    "kind");
	if (l->columns & (GC_HAS_CAUSE | GC_HAS_OPERATION))
		text_printf(out, "%-*s  ", WIDTH_CAUSE, "cause");
	text_printf(out, "%-*s  ", WIDTH_COLLECTOR, "collector");
	if (l->columns & GC_HAS_STOPPED)
		text_printf(out, "%*s  ", WIDTH_DURATION, "stopped");
	if (l->columns & GC_HAS_SYNC)
		text_printf(out, "%*s  ", WIDTH_SYNC, "to safepoint");
	if (l->columns & GC_HAS_GC)
		text_printf(out, "%*s  ", WIDTH_DURATION, "GC time");
	if (l->columns & (GC_HAS_BEFORE | GC_HAS_AFTER))
		text_puts(out, "heap");
	record_end_line(out);
}

static void record_put_phases(const struct gc_pause *p, struct text *out)
{
	for (size_t i = 0; i < p->phase_count; i++) {
		const struct gc_phase *phase = &p->phases[i];

		text_spaces(out, 4 + 2 * (size_t)phase->level);
		record_put_string(out, phase->name,
				  44 - 2 * (size_t)(phase->level < 16
							    ? phase->level
							    : 16));
		record_put_ns(out, phase->ns, WIDTH_DURATION);
		if (phase->is_concurrent)
			text_puts(out, "concurrent");
		record_end_line(out);
	}
}

void gc_record_text(const struct gc_layout *l, const struct gc_source *s,
		    const struct gc_pause *p, struct text *out)
{
	if (l->has_label)
		record_put_left(out, s->label.bytes, s->label.len, WIDTH_LABEL);
	record_put_time(out, p);
	record_put_kind(out, p);
	if (l->columns & (GC_HAS_CAUSE | GC_HAS_OPERATION))
		record_put_string(out,
				  p->kind == GC_OTHER || !p->cause
					  ? p->operation
					  : p->cause,
				  WIDTH_CAUSE);
	record_put_string(out, p->collector, WIDTH_COLLECTOR);
	if (l->columns & GC_HAS_STOPPED)
		record_put_ns(out, p->stopped_ns, WIDTH_DURATION);
	if (l->columns & GC_HAS_SYNC)
		record_put_ns(out, p->sync_ns, WIDTH_SYNC);
	if (l->columns & GC_HAS_GC)
		record_put_ns(out, p->gc_ns, WIDTH_DURATION);
	if (l->columns & (GC_HAS_BEFORE | GC_HAS_AFTER))
		record_put_heap(out, l, p);
	if (p->last_thread) {
		text_puts(out, "  last: ");
		safe_text_puts(out, p->last_thread);
	}
	record_end_line(out);
	if (l->shows_phases)
		record_put_phases(p, out);
}

/* ---- CSV and JSON ---- */

void gc_record_csv_head(struct text *out)
{
	text_puts(out, "source,pid,time,uptime_s,number,kind,operation,cause,"
		       "collector,count,collections,stopped_ns,sync_ns,gc_ns,"
		       "cpu_ns,heap_before_bytes,heap_after_bytes,"
		       "heap_committed_bytes\n");
}

/* ISO 8601 in UTC with microseconds. */
static void record_utc(int64_t ns, char *text, size_t size)
{
	time_t seconds = (time_t)(ns / CLOCK_NS_PER_S);
	struct tm tm;

	text[0] = '\0';
	if (ns != GC_ABSENT && gmtime_r(&seconds, &tm))
		snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
			 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
			 tm.tm_hour, tm.tm_min, tm.tm_sec,
			 (int)(ns % CLOCK_NS_PER_S / 1000));
}

static void record_text(struct fields *f, const char *key, const char *text)
{
	fields_text(f, key, text && *text ? text : NULL);
}

static void record_int(struct fields *f, const char *key, int64_t value)
{
	fields_int(f, key, value, value != GC_ABSENT);
}

/* In seconds, as JSON has it in nanoseconds. */
static void record_uptime(struct fields *f, int64_t ns)
{
	if (f->json)
		record_int(f, "uptime_ns", ns);
	else
		fields_double(f, "uptime_s",
			      ns == GC_ABSENT
				      ? NAN
				      : (double)ns / (double)CLOCK_NS_PER_S,
			      6);
}

/* Writes the columns of CSV. */
static void record_put(struct fields *f, const struct gc_source *s,
		       const struct gc_pause *p)
{
	char time[64];

	record_utc(p->end_ns, time, sizeof(time));
	record_text(f, "source", s->label.bytes);
	fields_id(f, "pid", s->pid);
	if (f->json)
		container_pod_json(&s->pod, f->json);
	record_text(f, "time", time);
	record_uptime(f, p->uptime_ns);
	record_int(f, "number", p->number);
	record_text(f, "kind", gc_kind_name(p->kind));
	record_text(f, "operation", p->operation);
	record_text(f, "cause", p->cause);
	record_text(f, "collector", p->collector);
	record_int(f, "count", p->count);
	fields_id(f, "collections", (int64_t)p->collections);
	record_int(f, "stopped_ns", p->stopped_ns);
	record_int(f, "sync_ns", p->sync_ns);
	record_int(f, "gc_ns", p->gc_ns);
	record_int(f, "cpu_ns", p->cpu_ns);
	record_int(f, "heap_before_bytes", p->before);
	record_int(f, "heap_after_bytes", p->after);
	record_int(f, "heap_committed_bytes", p->committed);
}

void gc_record_csv(const struct gc_source *s, const struct gc_pause *p,
		   struct text *out)
{
	struct fields f = { .csv = out };

	record_put(&f, s, p);
	fields_end(&f);
}

static void record_put_phase(struct fields *f, const struct gc_phase *phase)
{
	json_open_object(f->json);
	record_text(f, "name", phase->name);
	record_int(f, "level", phase->level);
	record_int(f, "start_ns", phase->start_ns);
	record_int(f, "ns", phase->ns);
	fields_bool(f, "concurrent", phase->is_concurrent);
	fields_end(f);
}

void gc_record_json(const struct gc_source *s, const struct gc_pause *p,
		    struct text *out)
{
	struct json j = json_document(out, "sjkc.gc/1");
	struct fields f = { .json = &j };

	record_put(&f, s, p);
	record_text(&f, "last_thread", p->last_thread);
	json_add_array(&j, "phases");
	for (size_t i = 0; i < p->phase_count; i++)
		record_put_phase(&f, &p->phases[i]);
	json_close_array(&j);
	fields_end(&f);
	text_putc(out, '\n');
}
