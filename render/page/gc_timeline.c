/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/gc_timeline.h"

#include "core/base/json.h"
#include "core/base/version.h"
#include "core/base/zip.h"
#include "render/page/flame_summary.h"
#include "render/page/template.h"

#include <inttypes.h>
#include <string.h>

/* The template, linked into the binary; build/gc_page.html. */
extern const char gc_page_start[], gc_page_end[];

enum {
	COLUMN_END, /* ns since start_ns */
	COLUMN_KIND,
	COLUMN_CAUSE, /* ids of names; 0 = unknown */
	COLUMN_OPERATION,
	COLUMN_COLLECTOR,
	COLUMN_STOPPED, /* ns; -1 = unknown, as all that follow */
	COLUMN_SYNC,
	COLUMN_GC,
	COLUMN_BEFORE, /* bytes */
	COLUMN_AFTER,
	COLUMN_COMMITTED,
	COLUMN_COUNT,
};

static const char *const column_names[GC_TIMELINE_COLUMNS] = {
	[COLUMN_END] = "end",
	[COLUMN_KIND] = "kind",
	[COLUMN_CAUSE] = "cause",
	[COLUMN_OPERATION] = "operation",
	[COLUMN_COLLECTOR] = "collector",
	[COLUMN_STOPPED] = "stopped",
	[COLUMN_SYNC] = "sync",
	[COLUMN_GC] = "gc",
	[COLUMN_BEFORE] = "before",
	[COLUMN_AFTER] = "after",
	[COLUMN_COMMITTED] = "committed",
	[COLUMN_COUNT] = "count",
};

static void timeline_put(struct gc_timeline *t, size_t column, int64_t value)
{
	text_printf(&t->columns[column], "%s%" PRId64, t->count ? "," : "",
		    value);
}

static void timeline_put_name(struct gc_timeline *t, size_t column,
			      const char *name)
{
	timeline_put(t, column,
		     name ? intern_id(&t->names, name, strlen(name)) : 0);
}

/* The time of a record on the page's clock, or -1. */
static int64_t timeline_time(struct gc_timeline *t, const struct gc_pause *p)
{
	int64_t at = p->end_ns != GC_ABSENT ? p->end_ns : p->uptime_ns;
	int64_t since;

	if (!t->count) {
		t->is_epoch = p->end_ns != GC_ABSENT;
		t->start_ns = at;
	}
	if (at == GC_ABSENT || t->is_epoch != (p->end_ns != GC_ABSENT) ||
	    __builtin_sub_overflow(at, t->start_ns, &since))
		return GC_ABSENT;
	return since;
}

void gc_timeline_add(struct gc_timeline *t, const struct gc_pause *p)
{
	if (t->count == GC_TIMELINE_RECORDS) {
		t->omitted++;
		return;
	}
	timeline_put(t, COLUMN_END, timeline_time(t, p));
	timeline_put(t, COLUMN_KIND, p->kind);
	timeline_put_name(t, COLUMN_CAUSE, p->cause);
	timeline_put_name(t, COLUMN_OPERATION, p->operation);
	timeline_put_name(t, COLUMN_COLLECTOR, p->collector);
	timeline_put(t, COLUMN_STOPPED, p->stopped_ns);
	timeline_put(t, COLUMN_SYNC, p->sync_ns);
	timeline_put(t, COLUMN_GC, p->gc_ns);
	timeline_put(t, COLUMN_BEFORE, p->before);
	timeline_put(t, COLUMN_AFTER, p->after);
	timeline_put(t, COLUMN_COMMITTED, p->committed);
	timeline_put(t, COLUMN_COUNT, p->count);
	t->count++;
}

static void timeline_put_names(struct json *j, const struct gc_timeline *t)
{
	json_add_array(j, "names");
	json_text(j, "");
	for (uint32_t i = 1; i <= t->names.count; i++)
		json_string(j, intern_text(&t->names, i),
			    intern_len(&t->names, i));
	json_close_array(j);
}

/*
 * The observed period in ms since the first record, or since its own begin
 * if there is no record; null for logs and records without a date.
 */
static void timeline_put_observed(struct json *j, const struct gc_timeline *t)
{
	int64_t start_ns = t->count ? t->start_ns : t->from_ns;

	json_key(j, "observed");
	if (!t->from_ns || (t->count && !t->is_epoch)) {
		json_null(j);
		return;
	}
	json_open_array(j);
	json_double(j, (double)(t->from_ns - start_ns) / 1e6);
	json_double(j, (double)(t->to_ns - start_ns) / 1e6);
	json_close_array(j);
}

/* The whole document. Columns are JSON numbers already. */
static void timeline_put_document(struct text *out, const struct gc_timeline *t,
				  const char *title, const char *description,
				  unsigned columns)
{
	struct json j = json_document(out, "sjkc.gc-page/1");

	json_add_text(&j, "title", title);
	json_add_text(&j, "description", description);
	json_add_text(&j, "generator", "sjkc " SJKC_VERSION);
	json_key(&j, "start_ms");
	if (t->is_epoch)
		json_double(&j, (double)t->start_ns / 1e6);
	else if (!t->count && t->from_ns)
		json_double(&j, (double)t->from_ns / 1e6);
	else
		json_null(&j);
	timeline_put_observed(&j, t);
	json_add_double(
		&j, "uptime_ms",
		t->is_epoch || t->start_ns < 0 ? 0 : (double)t->start_ns / 1e6);
	json_add_bool(&j, "has_stopped", columns & GC_HAS_STOPPED);
	json_add_uint(&j, "omitted", t->omitted);
	json_add_array(&j, "kinds");
	for (int kind = 0; kind < GC_KINDS; kind++)
		json_text(&j, gc_kind_name((enum gc_kind)kind));
	json_close_array(&j);
	timeline_put_names(&j, t);
	json_close_object(&j);
	/* The columns are the last members. */
	out->len--;
	for (size_t i = 0; i < GC_TIMELINE_COLUMNS; i++)
		text_printf(out, ",\"%s\":[%s]", column_names[i],
			    t->columns[i].len ? t->columns[i].bytes : "");
	text_putc(out, '}');
}

void gc_timeline_write(const struct gc_timeline *t, const char *title,
		       const char *description, unsigned columns,
		       const struct text *summary, struct output *out)
{
	struct page_texts texts = { 0 };
	struct text document = { 0 };

	flame_html(&texts.title, title, strlen(title));
	text_puts(&texts.summary, "<h1>");
	flame_html(&texts.summary, title, strlen(title));
	text_puts(&texts.summary, "</h1>\n<pre>");
	for (size_t from = 0; from < summary->len;) {
		const char *at = summary->bytes + from;
		const char *end = memchr(at, '\n', summary->len - from);
		size_t len = end ? (size_t)(end - at) : summary->len - from;

		flame_html(&texts.summary, at, len);
		text_putc(&texts.summary, '\n');
		from += len + 1;
	}
	text_puts(&texts.summary, "</pre>");
	timeline_put_document(&document, t, title, description, columns);
	deflate_raw(&texts.data, document.bytes, document.len);
	page_write(out, gc_page_start, gc_page_end, &texts);
	text_release(&document);
	page_texts_release(&texts);
}

void gc_timeline_release(struct gc_timeline *t)
{
	for (size_t i = 0; i < GC_TIMELINE_COLUMNS; i++)
		text_release(&t->columns[i]);
	intern_release(&t->names);
	*t = (struct gc_timeline){ 0 };
}
