/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes reports as CSV, a part of them, and as a JSON document of schema
 * sjkc.prof/1. A row has the same values in both.
 */
#include "render/profile/report.h"

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/profile/bias.h"
#include "core/threads/idle_stack.h"
#include "render/profile/call_tree.h"
#include "render/profile/thread_roots.h"
#include "render/text/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the rows of a part. */
struct writer {
	const struct report *r;
	enum report_part part;
	struct fields f;
};

/* Writes a value in the unit of the report, and as a percentage. */
static void writer_amount(struct writer *w, const char *what, uint64_t value)
{
	char key[48], percent[32];

	snprintf(key, sizeof(key), "%s_%s", what, unit_names[w->r->unit]);
	fields_uint(&w->f, key, value, true);
	snprintf(key, sizeof(key), "%s_percent", what);
	snprintf(percent, sizeof(percent), "%.3f", report_percent(w->r, value));
	fields_number(&w->f, key, percent);
}

static void writer_frame(struct writer *w, const char *key, uint32_t label)
{
	const struct label_name *name;

	if (label == NO_LABEL) {
		fields_text(&w->f, key, NULL);
		return;
	}
	name = report_frame_name(w->r, label);
	fields_string(&w->f, key, name->text, name->len);
}

/* Writes a text, or that it is unknown if it is empty. */
static void writer_text(struct writer *w, const char *key,
			const struct text *text)
{
	fields_text(&w->f, key, text->len ? text->bytes : NULL);
}

/* Writes the name of a thread under a key, and its ids. Thread 0 is unknown. */
static void writer_thread(struct writer *w, const char *key, uint32_t thread)
{
	static const struct thread unknown = { 0 };
	const struct profile *p = w->r->profile;
	const struct thread *t = thread ? &p->threads[thread] : &unknown;

	fields_text(&w->f, key, t->name ? profile_text(p, t->name) : NULL);
	fields_id(&w->f, "java_id", t->java_id);
	fields_id(&w->f, "os_id", t->os_id);
}

static void writer_put_frame(struct writer *w, size_t i)
{
	const struct frame_sum *f = &w->r->frames[i];

	writer_frame(w, "frame", f->label);
	writer_amount(w, "self", f->self);
	writer_amount(w, "total", f->total);
}

static void writer_put_histogram(struct writer *w, size_t i)
{
	const struct frame_sum *f = &w->r->frames[i];

	writer_frame(w, "frame", f->label);
	writer_amount(w, "term", f->self);
	writer_amount(w, "occur", f->total);
	writer_amount(w, "freq", f->frequency);
}

static void writer_put_application(struct writer *w, size_t i)
{
	writer_frame(w, "frame", w->r->application[i].label);
	writer_amount(w, "total", w->r->application[i].total);
}

static void writer_put_wait(struct writer *w, size_t i)
{
	const struct wait_sum *sum = &w->r->waits[i];

	writer_frame(w, "frame", sum->label);
	if (sum->callee == WAIT_MONITOR)
		fields_text(&w->f, "call", "[monitor]");
	else if (sum->callee == WAIT_CPU)
		fields_text(&w->f, "call", "[cpu]");
	else
		writer_frame(w, "call", sum->callee);
	writer_amount(w, "total", sum->total);
}

/* Writes the thread that owned a monitor, or its method. */
static void writer_owner(struct writer *w, uint32_t owner)
{
	const struct profile *p = w->r->profile;
	struct text name = { 0 };

	if (w->part == REPORT_OWNERS) {
		writer_thread(w, "owner", owner);
	} else if (w->part == REPORT_OWNER_METHODS) {
		if (owner)
			frame_name(&name, p, &p->frames[owner],
				   &w->r->options->style);
		writer_text(w, "method", &name);
	}
	text_release(&name);
}

/* Writes a class, or in CSV "[14 more]" classes. */
static void writer_class(struct writer *w, const struct class_sum *sum,
			 size_t more)
{
	struct text name = { 0 };

	if (more && w->f.csv)
		text_printf(&name, "[%zu more]", more);
	else
		class_sum_name(&name, w->r->profile, sum,
			       &w->r->options->style);
	writer_text(w, w->part == REPORT_CLASSES ? "class" : "monitor", &name);
	if (more && w->f.json)
		json_add_uint(w->f.json, "more", more);
	text_release(&name);
}

/* The row after the last adds up those that are not shown. */
static void writer_put_class(struct writer *w, size_t i)
{
	const struct report_classes *c = report_classes(w->r, w->part);
	size_t rows = report_rows(w->r, w->part);
	const struct class_sum sum = i < rows ? c->sums[i]
					      : class_sums_rest(c->sums, rows,
								c->count);

	/* The order of the keys in JSON. */
	if (w->f.json)
		writer_owner(w, sum.owner);
	writer_class(w, &sum, i < rows ? 0 : c->count - rows);
	if (w->f.csv)
		writer_owner(w, sum.owner);
	writer_amount(w, "total", sum.total);
	fields_uint(&w->f, "samples", sum.samples, true);
}

static void writer_put_thread(struct writer *w, size_t i)
{
	const struct thread_sum *sum = &w->r->threads[i];

	writer_thread(w, "thread", sum->thread);
	if (w->f.json)
		json_add_bool(w->f.json, "is_virtual",
			      w->r->profile->threads[sum->thread].is_virtual);
	writer_amount(w, "total", sum->total);
	writer_frame(w, "hottest_frame", sum->leaf);
	if (w->f.json)
		writer_amount(w, "hottest_self", sum->leaf_self);
	else
		fields_uint(&w->f, "hottest_self", sum->leaf_self, true);
}

static void writer_pool(struct writer *w, uint32_t thread)
{
	struct text name = { 0 };

	text_puts(&name, "");
	thread_roots_pool(&name, w->r->profile, thread);
	fields_text(&w->f, "pool", name.bytes);
	text_release(&name);
}

/* CSV has the name of each kind in one column, and the ids of no thread. */
static void writer_call_name(struct writer *w, const struct call_row *row)
{
	const struct profile *p = w->r->profile;

	if (row->kind == CALL_FRAME)
		writer_frame(w, "frame", row->id);
	else if (row->kind == CALL_THREAD && w->f.json)
		writer_thread(w, "thread", row->id);
	else if (row->kind == CALL_THREAD)
		fields_text(&w->f, "thread",
			    profile_text(p, p->threads[row->id].name));
	else if (row->kind == CALL_POOL)
		writer_pool(w, row->id);
	else
		fields_uint(&w->f, "callees", row->id, true);
}

static void writer_put_call(struct writer *w, size_t i)
{
	const struct call_row *row = &w->r->calls.rows[i];

	fields_text(&w->f, "kind", call_kind_names[row->kind]);
	fields_uint(&w->f, "depth", row->depth, true);
	writer_call_name(w, row);
	if (row->kind == CALL_POOL)
		fields_uint(&w->f, "threads", row->members, true);
	else if (row->kind == CALL_FRAME || w->f.csv)
		fields_uint(&w->f, "deep", row->deep, true);
	writer_amount(w, "self", row->self);
	writer_amount(w, "total", row->total);
}

static void writer_put_category(struct writer *w, size_t i)
{
	const struct report_options *o = w->r->options;

	fields_text(&w->f, "category",
		    i < o->category_count ? o->categories[i]
		    : w->f.csv            ? "[other]"
					  : NULL);
	writer_amount(w, "total", w->r->categories[i].total);
	fields_uint(&w->f, "samples", w->r->categories[i].samples, true);
}

/* Writes the start of a bucket; bucket 0 is unknown. */
static void writer_time(struct writer *w, const char *key, uint16_t bucket)
{
	const struct profile *p = w->r->profile;
	int64_t ns = (p->bucket_first + bucket - 1) * p->bucket_ns;
	struct text time = { 0 };

	if (w->f.csv) {
		fields_id(&w->f, key, bucket ? ns : 0);
		return;
	}
	if (bucket)
		units_add_utc(&time, ns);
	writer_text(w, key, &time);
	text_release(&time);
}

static void json_put_time(struct json *j, const char *key, int64_t ns)
{
	struct text time = { 0 };

	units_add_utc(&time, ns);
	json_add_text(j, key, time.bytes);
	text_release(&time);
}

static void json_put_states(struct json *j, const uint64_t *states)
{
	json_add_object(j, "states");
	for (size_t i = STATE_NONE + 1; i < THREAD_STATES; i++) {
		if (states[i])
			json_add_uint(j, thread_state_names[i], states[i]);
	}
	json_close_object(j);
}

static void writer_put_info(struct writer *w, size_t i)
{
	const struct thread_info *info = &w->r->infos[i];

	writer_thread(w, "thread", info->thread);
	writer_amount(w, "total", info->total);
	fields_uint(&w->f, "samples", info->samples, true);
	fields_uint(&w->f, "native", info->native, true);
	if (w->f.json)
		json_put_states(w->f.json, info->states);
	for (size_t k = STATE_NONE + 1; w->f.csv && k < THREAD_STATES; k++)
		fields_uint(&w->f, thread_state_names[k], info->states[k],
			    true);
	writer_time(w, "first", info->first);
	writer_time(w, "last", info->last);
}

/* JSON has an object for each row. */
static void writer_put_timeline(struct writer *w, size_t row)
{
	const struct timeline *t = &w->r->timeline;
	struct json *j = w->f.json;

	writer_thread(w, "thread", row ? t->threads[row] : 0);
	json_add_bool(j, "is_all", !row);
	json_put_time(j, "from", t->from_ns);
	json_add_uint(j, "bucket_ns", (uint64_t)t->bucket_ns);
	json_add_array(j, "totals");
	for (size_t i = 0; i < t->bucket_count; i++)
		json_uint(j, t->values[row * t->bucket_count + i]);
	json_close_array(j);
}

/* The columns of CSV after the event and the unit, and the rows of a part. */
static const struct {
	const char *columns;
	void (*put)(struct writer *w, size_t row);
} parts[REPORT_PARTS] = {
	[REPORT_WAITS] = { "frame,call,total,total_percent", writer_put_wait },
	[REPORT_FRAMES] = { "frame,self,self_percent,total,total_percent",
			    writer_put_frame },
	[REPORT_APPLICATION] = { "frame,total,total_percent",
				 writer_put_application },
	[REPORT_CLASSES] = { "class,total,total_percent,samples",
			     writer_put_class },
	[REPORT_OWNERS] = { "monitor,owner,java_id,os_id,total,total_percent,"
			    "samples",
			    writer_put_class },
	[REPORT_OWNER_METHODS] = { "monitor,method,total,total_percent,samples",
				   writer_put_class },
	[REPORT_THREADS] = { "thread,java_id,os_id,total,total_percent,"
			     "hottest_frame,hottest_self",
			     writer_put_thread },
	[REPORT_CALLS] = { "kind,depth,name,deep,self,self_percent,total,"
			   "total_percent",
			   writer_put_call },
	[REPORT_HISTOGRAM] = { "frame,term,term_percent,occur,occur_percent,"
			       "freq,freq_percent",
			       writer_put_histogram },
	[REPORT_CATEGORIES] = { "category,total,total_percent,samples",
				writer_put_category },
	[REPORT_THREAD_INFO] = { "thread,java_id,os_id,total,total_percent,"
				 "samples,native,new,runnable,blocked,waiting,"
				 "timed_waiting,terminated,first_ns,last_ns",
				 writer_put_info },
	[REPORT_TIMELINE] = { "thread,java_id,os_id,from_ns,span_ns,total",
			      writer_put_timeline },
};

static void writer_begin_row(struct writer *w)
{
	if (w->f.json) {
		json_open_object(w->f.json);
		return;
	}
	fields_text(&w->f, "event", w->r->view->name);
	fields_text(&w->f, "unit", unit_names[w->r->unit]);
}

/* CSV has a line for each bucket that is not empty. */
static void writer_put_buckets(struct writer *w)
{
	const struct timeline *t = &w->r->timeline;

	for (size_t i = 0; i < t->row_count * t->bucket_count; i++) {
		size_t row = i / t->bucket_count;
		int64_t bucket = (int64_t)(i % t->bucket_count);

		if (!t->values[i])
			continue;
		writer_begin_row(w);
		if (row) {
			writer_thread(w, "thread", t->threads[row]);
		} else {
			fields_text(&w->f, "thread", "[all threads]");
			fields_id(&w->f, "java_id", 0);
			fields_id(&w->f, "os_id", 0);
		}
		fields_id(&w->f, "from_ns", t->from_ns + bucket * t->bucket_ns);
		fields_id(&w->f, "span_ns", t->bucket_ns);
		fields_uint(&w->f, "total", t->values[i], true);
		fields_end(&w->f);
	}
}

static void writer_put_rows(struct writer *w)
{
	const struct report_classes *c = report_classes(w->r, w->part);
	size_t rows = report_rows(w->r, w->part);

	if (c && rows < c->count)
		rows++;
	if (w->part == REPORT_TIMELINE && !w->r->timeline.bucket_count)
		rows = 0;
	for (size_t i = 0; i < rows; i++) {
		writer_begin_row(w);
		parts[w->part].put(w, i);
		fields_end(&w->f);
	}
}

void report_csv(struct text *out, const struct report *reports, size_t count)
{
	unsigned chosen = count ? reports[0].options->parts : 0;
	enum report_part part = chosen ? (unsigned)__builtin_ctz(chosen)
				       : REPORT_FRAMES;

	text_printf(out, "event,unit,%s\n", parts[part].columns);
	for (size_t i = 0; i < count; i++) {
		struct writer w = { &reports[i], part, { .csv = out } };

		if (part == REPORT_TIMELINE)
			writer_put_buckets(&w);
		else
			writer_put_rows(&w);
	}
}

static void report_json_put_times(struct json *j, const struct report *r)
{
	int64_t from, to;

	if (!report_times(r, &from, &to))
		return;
	json_put_time(j, "from", from);
	json_put_time(j, "to", to);
	json_add_uint(j, "span_ns", (uint64_t)to - (uint64_t)from);
}

/* Writes the text that `add` appends, or null if it is empty. */
static void
report_json_put_text(struct json *j, const struct report *r, const char *key,
		     void (*add)(struct text *out, const struct profile *p,
				 const struct event_view *view))
{
	struct text words = { 0 };

	add(&words, r->profile, r->view);
	json_add_text(j, key, words.len ? words.bytes : NULL);
	text_release(&words);
}

static void report_json_put_types(struct json *j, const struct report *r)
{
	const struct profile *p = r->profile;

	json_add_array(j, "event_types");
	for (size_t i = 0; i < r->view->event_count; i++)
		json_text(j,
			  profile_text(p, p->events[r->view->events[i]].name));
	json_close_array(j);
}

static void writer_put_head(struct writer *w)
{
	const struct report *r = w->r;
	struct json *j = w->f.json;

	json_add_text(j, "event", r->view->name);
	report_json_put_types(j, r);
	json_add_uint(j, "samples", r->view->samples);
	report_json_put_text(j, r, "rate", rate_add);
	report_json_put_text(j, r, "bias", bias_add);
	report_json_put_times(j, r);
	json_add_text(j, "unit", unit_names[r->unit]);
	writer_amount(w, "total", r->whole);
	writer_amount(w, "without_stack", r->without_stack);
	if (view_has_waits(r->view))
		writer_amount(w, "idle",
			      r->weights ? r->idle.weight : r->idle.samples);
	json_add_text(j, "by", frame_group_names[r->options->group]);
	json_add_bool(j, "is_reversed", r->options->style.reverse);
	json_put_states(j, r->states);
}

static void report_json_put_report(struct json *j, const struct report *r)
{
	struct writer w = { .r = r, .f = { .json = j } };

	json_open_object(j);
	writer_put_head(&w);
	for (w.part = 0; w.part < REPORT_PARTS; w.part++) {
		if (!(r->options->parts & 1U << w.part))
			continue;
		json_add_array(j, w.part == REPORT_THREAD_INFO ? "thread_info"
				  : w.part == REPORT_OWNER_METHODS
					  ? "owner_methods"
					  : report_part_names[w.part]);
		writer_put_rows(&w);
		json_close_array(j);
	}
	json_close_object(j);
}

static void report_json_put_remarks(struct json *j, const struct profile *p,
				    const char *key, bool losses)
{
	json_add_array(j, key);
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];

		if (r->is_loss != losses)
			continue;
		json_open_object(j);
		json_add_text(j, "what", r->what);
		json_add_uint(j, "count", r->count);
		if (r->of) {
			json_add_uint(j, "of", r->of);
		}
		json_add_text(j, "first", r->first);
		json_close_object(j);
	}
	json_close_array(j);
}

/* All that could be reported. */
static void report_json_put_events(struct json *j, const struct profile *p)
{
	struct event_view *views;
	size_t count = event_views(p, &views);

	json_add_array(j, "events");
	for (size_t i = 0; i < count; i++) {
		json_open_object(j);
		json_add_text(j, "event", views[i].name);
		json_add_uint(j, "samples", views[i].samples);
		json_close_object(j);
	}
	json_close_array(j);
	free(views);
}

void report_json(struct text *out, const struct report *reports, size_t count)
{
	struct json j = json_document(out, "sjkc.prof/1");

	json_add_text(&j, "source", count ? reports[0].options->source : "");
	if (count) {
		report_json_put_events(&j, reports[0].profile);
		report_json_put_remarks(&j, reports[0].profile, "lost", true);
		report_json_put_remarks(&j, reports[0].profile, "notes", false);
	}
	json_add_array(&j, "reports");
	for (size_t i = 0; i < count; i++)
		report_json_put_report(&j, &reports[i]);
	json_close_array(&j);
	json_end_document(&j);
}
