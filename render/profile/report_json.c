/* SPDX-License-Identifier: Apache-2.0 */
/* Writes reports as a JSON document of schema sjkc.prof/1. */
#include "render/profile/report.h"

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/profile/bias.h"
#include "core/threads/idle_stack.h"
#include "render/profile/call_tree.h"
#include "render/profile/thread_roots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "self_ns": 12, "self_percent": 3.4. */
static void report_json_put_amount(struct json *j, const struct report *r,
				   const char *what, uint64_t part)
{
	char key[32], percent[32];

	snprintf(key, sizeof(key), "%s_%s", what, unit_names[r->unit]);
	json_add_uint(j, key, part);
	snprintf(key, sizeof(key), "%s_percent", what);
	json_key(j, key);
	snprintf(percent, sizeof(percent), "%.3f", report_percent(r, part));
	json_number(j, percent);
}

static void report_json_put_frame(struct json *j, const struct report *r,
				  const char *key, uint32_t label)
{
	const struct label_name *name;

	json_key(j, key);
	if (label == NO_LABEL) {
		json_null(j);
		return;
	}
	name = report_frame_name(r, label);
	json_string(j, name->text, name->len);
}

static void report_json_put_frames(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_FRAMES); i++) {
		json_open_object(j);
		report_json_put_frame(j, r, "frame", r->frames[i].label);
		report_json_put_amount(j, r, "self", r->frames[i].self);
		report_json_put_amount(j, r, "total", r->frames[i].total);
		json_close_object(j);
	}
}

static void report_json_put_application(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_APPLICATION); i++) {
		json_open_object(j);
		report_json_put_frame(j, r, "frame", r->application[i].label);
		report_json_put_amount(j, r, "total", r->application[i].total);
		json_close_object(j);
	}
}

static void report_json_put_waits(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_WAITS); i++) {
		const struct wait_sum *w = &r->waits[i];

		json_open_object(j);
		report_json_put_frame(j, r, "frame", w->label);
		if (w->callee == WAIT_MONITOR || w->callee == WAIT_CPU) {
			json_add_text(j, "call",
				      w->callee == WAIT_CPU ? "[cpu]"
							    : "[monitor]");
		} else {
			report_json_put_frame(j, r, "call", w->callee);
		}
		report_json_put_amount(j, r, "total", w->total);
		json_close_object(j);
	}
}

static void report_json_put_histogram(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_HISTOGRAM); i++) {
		json_open_object(j);
		report_json_put_frame(j, r, "frame", r->frames[i].label);
		report_json_put_amount(j, r, "term", r->frames[i].self);
		report_json_put_amount(j, r, "occur", r->frames[i].total);
		report_json_put_amount(j, r, "freq", r->frames[i].frequency);
		json_close_object(j);
	}
}

/* Writes the name of a thread under a key, and its ids; null if unknown. */
static void report_json_put_thread_name(struct json *j, const struct report *r,
					const char *key, const struct thread *t)
{
	json_add_text(j, key,
		      t->name ? profile_text(r->profile, t->name) : NULL);
	json_add_id(j, "java_id", t->java_id);
	json_add_id(j, "os_id", t->os_id);
}

/* Writes a class and its sums; or, if more is not 0, those of `more` classes.
 */
static void report_json_put_class(struct json *j, const struct report *r,
				  const char *key, const struct class_sum *sum,
				  size_t more)
{
	struct text name = { 0 };

	class_sum_name(&name, r->profile, sum, &r->options->style);
	json_add_text(j, key, name.len ? name.bytes : NULL);
	if (more) {
		json_add_uint(j, "more", more);
	}
	report_json_put_amount(j, r, "total", sum->total);
	json_add_uint(j, "samples", sum->samples);
	text_release(&name);
}

static void report_json_put_classes(struct json *j, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_CLASSES);
	struct class_sum rest = class_sums_rest(r->classes, rows,
						r->class_count);

	for (size_t i = 0; i < rows; i++) {
		json_open_object(j);
		report_json_put_class(j, r, "class", &r->classes[i], 0);
		json_close_object(j);
	}
	if (rows == r->class_count)
		return;
	json_open_object(j);
	report_json_put_class(j, r, "class", &rest, r->class_count - rows);
	json_close_object(j);
}

static void report_json_put_owner_method(struct json *j, const struct report *r,
					 const struct class_sum *sum,
					 size_t more)
{
	struct text name = { 0 };

	if (sum->owner)
		frame_name(&name, r->profile, &r->profile->frames[sum->owner],
			   &r->options->style);
	json_open_object(j);
	json_add_text(j, "method", sum->owner ? name.bytes : NULL);
	report_json_put_class(j, r, "monitor", sum, more);
	json_close_object(j);
	text_release(&name);
}

static void report_json_put_owner_methods(struct json *j,
					  const struct report *r)
{
	size_t rows = report_rows(r, REPORT_OWNER_METHODS);
	size_t count = r->owner_method_count;
	struct class_sum rest = class_sums_rest(r->owner_methods, rows, count);

	for (size_t i = 0; i < rows; i++)
		report_json_put_owner_method(j, r, &r->owner_methods[i], 0);
	if (rows < count)
		report_json_put_owner_method(j, r, &rest, count - rows);
}

static void report_json_put_owner(struct json *j, const struct report *r,
				  uint32_t owner)
{
	static const struct thread unknown = { 0 };

	report_json_put_thread_name(
		j, r, "owner", owner ? &r->profile->threads[owner] : &unknown);
}

static void report_json_put_owners(struct json *j, const struct report *r)
{
	size_t rows = report_rows(r, REPORT_OWNERS);
	struct class_sum rest = class_sums_rest(r->owners, rows,
						r->owner_count);

	for (size_t i = 0; i < rows; i++) {
		json_open_object(j);
		report_json_put_owner(j, r, r->owners[i].owner);
		report_json_put_class(j, r, "monitor", &r->owners[i], 0);
		json_close_object(j);
	}
	if (rows == r->owner_count)
		return;
	json_open_object(j);
	report_json_put_owner(j, r, 0);
	report_json_put_class(j, r, "monitor", &rest, r->owner_count - rows);
	json_close_object(j);
}

static void report_json_put_threads(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_THREADS); i++) {
		const struct thread_sum *sum = &r->threads[i];

		json_open_object(j);
		report_json_put_thread_name(j, r, "thread",
					    &r->profile->threads[sum->thread]);
		json_add_bool(j, "is_virtual",
			      r->profile->threads[sum->thread].is_virtual);
		report_json_put_amount(j, r, "total", sum->total);
		report_json_put_frame(j, r, "hottest_frame", sum->leaf);
		report_json_put_amount(j, r, "hottest_self", sum->leaf_self);
		json_close_object(j);
	}
}

static void report_json_put_pool(struct json *j, const struct report *r,
				 const struct call_row *row)
{
	struct text name = { 0 };

	thread_roots_pool(&name, r->profile, row->id);
	json_add_text(j, "pool", name.len ? name.bytes : "");
	json_add_uint(j, "threads", row->members);
	text_release(&name);
}

static void report_json_put_calls(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < r->calls.count; i++) {
		const struct call_row *row = &r->calls.rows[i];

		json_open_object(j);
		json_add_text(j, "kind", call_kind_names[row->kind]);
		json_add_uint(j, "depth", row->depth);
		if (row->kind == CALL_FRAME) {
			report_json_put_frame(j, r, "frame", row->id);
			json_add_uint(j, "deep", row->deep);
		} else if (row->kind == CALL_THREAD) {
			report_json_put_thread_name(
				j, r, "thread", &r->profile->threads[row->id]);
		} else if (row->kind == CALL_POOL) {
			report_json_put_pool(j, r, row);
		} else {
			json_add_uint(j, "callees", row->id);
		}
		report_json_put_amount(j, r, "self", row->self);
		report_json_put_amount(j, r, "total", row->total);
		json_close_object(j);
	}
}

static void report_json_put_time(struct json *j, const char *key, int64_t ns)
{
	struct text time = { 0 };

	units_add_utc(&time, ns);
	json_add_text(j, key, time.bytes);
	text_release(&time);
}

static void report_json_put_categories(struct json *j, const struct report *r)
{
	size_t count = r->options->category_count;

	for (size_t i = 0; i <= count; i++) {
		json_open_object(j);
		json_add_text(j, "category",
			      i < count ? r->options->categories[i] : NULL);
		report_json_put_amount(j, r, "total", r->categories[i].total);
		json_add_uint(j, "samples", r->categories[i].samples);
		json_close_object(j);
	}
}

/* Writes the start of a bucket, or null if there is none. */
static void report_json_put_bucket(struct json *j, const struct report *r,
				   const char *key, uint16_t bucket)
{
	const struct profile *p = r->profile;
	struct text time = { 0 };

	if (bucket)
		units_add_utc(&time,
			      (p->bucket_first + bucket - 1) * p->bucket_ns);
	json_add_text(j, key, time.bytes);
	text_release(&time);
}

static void report_json_put_infos(struct json *j, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_THREAD_INFO); i++) {
		const struct thread_info *info = &r->infos[i];

		json_open_object(j);
		report_json_put_thread_name(j, r, "thread",
					    &r->profile->threads[info->thread]);
		report_json_put_amount(j, r, "total", info->total);
		json_add_uint(j, "samples", info->samples);
		json_add_uint(j, "native", info->native);
		json_add_object(j, "states");
		for (size_t k = STATE_NONE + 1; k < THREAD_STATES; k++) {
			if (!info->states[k])
				continue;
			json_add_uint(j, thread_state_names[k],
				      info->states[k]);
		}
		json_close_object(j);
		report_json_put_bucket(j, r, "first", info->first);
		report_json_put_bucket(j, r, "last", info->last);
		json_close_object(j);
	}
}

static void report_json_put_timeline(struct json *j, const struct report *r)
{
	static const struct thread all = { 0 };
	const struct timeline *t = &r->timeline;

	for (size_t row = 0; t->bucket_count && row < t->row_count; row++) {
		json_open_object(j);
		report_json_put_thread_name(
			j, r, "thread",
			row ? &r->profile->threads[t->threads[row]] : &all);
		json_add_bool(j, "is_all", !row);
		report_json_put_time(j, "from", t->from_ns);
		json_add_uint(j, "bucket_ns", (uint64_t)t->bucket_ns);
		json_add_array(j, "totals");
		for (size_t i = 0; i < t->bucket_count; i++)
			json_uint(j, t->values[row * t->bucket_count + i]);
		json_close_array(j);
		json_close_object(j);
	}
}

static void report_json_put_times(struct json *j, const struct report *r)
{
	int64_t from, to;

	if (!report_times(r, &from, &to))
		return;
	report_json_put_time(j, "from", from);
	report_json_put_time(j, "to", to);
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

static void report_json_put_states(struct json *j, const struct report *r)
{
	json_add_object(j, "states");
	for (size_t i = STATE_NONE + 1; i < THREAD_STATES; i++) {
		if (!r->states[i])
			continue;
		json_add_uint(j, thread_state_names[i], r->states[i]);
	}
	json_close_object(j);
}

static void report_json_put_head(struct json *j, const struct report *r)
{
	json_add_text(j, "event", r->view->name);
	report_json_put_types(j, r);
	json_add_uint(j, "samples", r->view->samples);
	report_json_put_text(j, r, "rate", rate_add);
	report_json_put_text(j, r, "bias", bias_add);
	report_json_put_times(j, r);
	json_add_text(j, "unit", unit_names[r->unit]);
	report_json_put_amount(j, r, "total", r->whole);
	report_json_put_amount(j, r, "without_stack", r->without_stack);
	if (view_has_waits(r->view))
		report_json_put_amount(j, r, "idle",
				       r->weights ? r->idle.weight
						  : r->idle.samples);
	json_add_text(j, "by", frame_group_names[r->options->group]);
	json_add_bool(j, "is_reversed", r->options->style.reverse);
	report_json_put_states(j, r);
}

static void (*const put_part[REPORT_PARTS])(struct json *j,
					    const struct report *r) = {
	[REPORT_WAITS] = report_json_put_waits,
	[REPORT_FRAMES] = report_json_put_frames,
	[REPORT_APPLICATION] = report_json_put_application,
	[REPORT_CLASSES] = report_json_put_classes,
	[REPORT_OWNERS] = report_json_put_owners,
	[REPORT_OWNER_METHODS] = report_json_put_owner_methods,
	[REPORT_THREADS] = report_json_put_threads,
	[REPORT_CALLS] = report_json_put_calls,
	[REPORT_HISTOGRAM] = report_json_put_histogram,
	[REPORT_CATEGORIES] = report_json_put_categories,
	[REPORT_THREAD_INFO] = report_json_put_infos,
	[REPORT_TIMELINE] = report_json_put_timeline,
};

static void report_json_put_report(struct json *j, const struct report *r)
{
	json_open_object(j);
	report_json_put_head(j, r);
	for (size_t part = 0; part < REPORT_PARTS; part++) {
		if (!(r->options->parts & 1U << part))
			continue;
		json_add_array(j, part == REPORT_THREAD_INFO ? "thread_info"
				  : part == REPORT_OWNER_METHODS
					  ? "owner_methods"
					  : report_part_names[part]);
		put_part[part](j, r);
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
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "schema", "sjkc.prof/1");
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
	json_close_object(&j);
	text_putc(out, '\n');
}
