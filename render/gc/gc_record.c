/* SPDX-License-Identifier: Apache-2.0 */
#include "render/gc/gc_record.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/text/columns.h"
#include "render/text/table.h"

#include <inttypes.h>
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
	struct text cell = { 0 };

	if (ns == GC_ABSENT)
		text_putc(&cell, '-');
	else
		units_add_time(&cell, (double)ns);
	columns_right(out, &cell, width);
	text_spaces(out, 2);
	text_release(&cell);
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
		safe_text(out, p->last_thread, strlen(p->last_thread));
	}
	record_end_line(out);
	if (l->shows_phases)
		record_put_phases(p, out);
}

/* ---- CSV ---- */

void gc_record_csv_head(struct text *out)
{
	text_puts(out, "source,pid,time,uptime_s,number,kind,operation,cause,"
		       "collector,count,collections,stopped_ns,sync_ns,gc_ns,"
		       "cpu_ns,heap_before_bytes,heap_after_bytes,"
		       "heap_committed_bytes\n");
}

static void csv_put_text(struct text *out, const char *text)
{
	struct text safe = { 0 };

	text_putc(out, ',');
	if (text)
		safe_text(&safe, text, strlen(text));
	if (safe.len)
		csv_field(out, safe.bytes, safe.len, CSV_TEXT);
	text_release(&safe);
}

static void csv_put_int(struct text *out, int64_t value)
{
	text_putc(out, ',');
	if (value != GC_ABSENT)
		text_printf(out, "%" PRId64, value);
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

void gc_record_csv(const struct gc_source *s, const struct gc_pause *p,
		   struct text *out)
{
	char time[64];

	record_utc(p->end_ns, time, sizeof(time));
	if (s->label.len)
		csv_field(out, s->label.bytes, s->label.len, CSV_TEXT);
	csv_put_int(out, s->pid ? s->pid : GC_ABSENT);
	csv_put_text(out, time);
	text_putc(out, ',');
	if (p->uptime_ns != GC_ABSENT)
		text_printf(out, "%.6f",
			    (double)p->uptime_ns / (double)CLOCK_NS_PER_S);
	csv_put_int(out, p->number);
	csv_put_text(out, gc_kind_name(p->kind));
	csv_put_text(out, p->operation);
	csv_put_text(out, p->cause);
	csv_put_text(out, p->collector);
	csv_put_int(out, p->count);
	csv_put_int(out, p->collections ? (int64_t)p->collections : GC_ABSENT);
	csv_put_int(out, p->stopped_ns);
	csv_put_int(out, p->sync_ns);
	csv_put_int(out, p->gc_ns);
	csv_put_int(out, p->cpu_ns);
	csv_put_int(out, p->before);
	csv_put_int(out, p->after);
	csv_put_int(out, p->committed);
	text_putc(out, '\n');
}

/* ---- JSON ---- */

static void json_put_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	if (text && *text)
		json_text(j, text);
	else
		json_null(j);
}

static void json_put_int(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	if (value == GC_ABSENT)
		json_null(j);
	else
		json_int(j, value);
}

static void json_put_phases(struct json *j, const struct gc_pause *p)
{
	json_add_array(j, "phases");
	for (size_t i = 0; i < p->phase_count; i++) {
		const struct gc_phase *phase = &p->phases[i];

		json_open_object(j);
		json_put_text(j, "name", phase->name);
		json_put_int(j, "level", phase->level);
		json_put_int(j, "start_ns", phase->start_ns);
		json_put_int(j, "ns", phase->ns);
		json_add_bool(j, "concurrent", phase->is_concurrent);
		json_close_object(j);
	}
	json_close_array(j);
}

static void json_put_values(struct json *j, const struct gc_pause *p)
{
	const struct {
		const char *key;
		int64_t value;
	} values[] = {
		{ "stopped_ns", p->stopped_ns },
		{ "sync_ns", p->sync_ns },
		{ "gc_ns", p->gc_ns },
		{ "cpu_ns", p->cpu_ns },
		{ "heap_before_bytes", p->before },
		{ "heap_after_bytes", p->after },
		{ "heap_committed_bytes", p->committed },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		json_put_int(j, values[i].key, values[i].value);
}

void gc_record_json(const struct gc_source *s, const struct gc_pause *p,
		    struct text *out)
{
	struct json j = json_into(out);
	char time[64];

	record_utc(p->end_ns, time, sizeof(time));
	json_open_object(&j);
	json_put_text(&j, "schema", "sjkc.gc/1");
	json_put_text(&j, "source", s->label.bytes);
	json_put_int(&j, "pid", s->pid ? s->pid : GC_ABSENT);
	container_pod_json(&s->pod, &j);
	json_put_text(&j, "time", time);
	json_put_int(&j, "uptime_ns", p->uptime_ns);
	json_put_int(&j, "number", p->number);
	json_put_text(&j, "kind", gc_kind_name(p->kind));
	json_put_text(&j, "operation", p->operation);
	json_put_text(&j, "cause", p->cause);
	json_put_text(&j, "collector", p->collector);
	json_put_int(&j, "count", p->count);
	json_put_int(&j, "collections",
		     p->collections ? (int64_t)p->collections : GC_ABSENT);
	json_put_values(&j, p);
	json_put_text(&j, "last_thread", p->last_thread);
	json_put_phases(&j, p);
	json_close_object(&j);
	text_putc(out, '\n');
}
