/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one part of a report as CSV. */
#include "render/profile/report.h"

#include "render/profile/call_tree.h"
#include "render/profile/thread_roots.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <string.h>

/* Every table starts with the event and the unit of its values. */
static const struct table_column frame_columns[] = {
	{ "event", false },        { "unit", false },        { "frame", false },
	{ "self", true },          { "self_percent", true }, { "total", true },
	{ "total_percent", true },
};
static const struct table_column application_columns[] = {
	{ "event", false }, { "unit", false },         { "frame", false },
	{ "total", true },  { "total_percent", true },
};
static const struct table_column wait_columns[] = {
	{ "event", false }, { "unit", false }, { "frame", false },
	{ "call", false },  { "total", true }, { "total_percent", true },
};
static const struct table_column histogram_columns[] = {
	{ "event", false },        { "unit", false },
	{ "frame", false },        { "term", true },
	{ "term_percent", true },  { "occur", true },
	{ "occur_percent", true }, { "freq", true },
	{ "freq_percent", true },
};
static const struct table_column class_columns[] = {
	{ "event", false }, { "unit", false },         { "class", false },
	{ "total", true },  { "total_percent", true }, { "samples", true },
};
static const struct table_column owner_columns[] = {
	{ "event", false }, { "unit", false },         { "monitor", false },
	{ "owner", false }, { "java_id", true },       { "os_id", true },
	{ "total", true },  { "total_percent", true }, { "samples", true },
};
static const struct table_column method_columns[] = {
	{ "event", false },  { "unit", false }, { "monitor", false },
	{ "method", false }, { "total", true }, { "total_percent", true },
	{ "samples", true },
};
static const struct table_column thread_columns[] = {
	{ "event", false },        { "unit", false },
	{ "thread", false },       { "java_id", true },
	{ "os_id", true },         { "total", true },
	{ "total_percent", true }, { "hottest_frame", false },
	{ "hottest_self", true },
};
static const struct table_column call_columns[] = {
	{ "event", false },        { "unit", false },        { "kind", false },
	{ "depth", true },         { "name", false },        { "deep", true },
	{ "self", true },          { "self_percent", true }, { "total", true },
	{ "total_percent", true },
};

static const struct table_column category_columns[] = {
	{ "event", false }, { "unit", false },         { "category", false },
	{ "total", true },  { "total_percent", true }, { "samples", true },
};
static const struct table_column info_columns[] = {
	{ "event", false },        { "unit", false },
	{ "thread", false },       { "java_id", true },
	{ "os_id", true },         { "total", true },
	{ "total_percent", true }, { "samples", true },
	{ "native", true },        { "new", true },
	{ "runnable", true },      { "blocked", true },
	{ "waiting", true },       { "timed_waiting", true },
	{ "terminated", true },    { "first_ns", true },
	{ "last_ns", true },
};
static const struct table_column timeline_columns[] = {
	{ "event", false },  { "unit", false }, { "thread", false },
	{ "java_id", true }, { "os_id", true }, { "from_ns", true },
	{ "span_ns", true }, { "total", true },
};

static void csv_add_number(struct table *t, uint64_t number)
{
	text_printf(table_cell(t), "%" PRIu64, number);
}

static void csv_add_amount(struct table *t, const struct report *r,
			   uint64_t part)
{
	csv_add_number(t, part);
	text_printf(table_cell(t), "%.3f", report_percent(r, part));
}

static void csv_begin_row(struct table *t, const struct report *r)
{
	table_add(t, r->view->name);
	table_add(t, unit_names[r->unit]);
}

static void csv_add_frame_name(struct table *t, const struct report *r,
			       uint32_t label)
{
	struct text *cell = table_cell(t);
	const struct label_name *name;

	if (label == NO_LABEL)
		return;
	name = report_frame_name(r, label);
	text_add(cell, name->text, name->len);
}

static void csv_add_thread_name(struct table *t, const struct report *r,
				uint32_t thread)
{
	table_add(t,
		  profile_text(r->profile, r->profile->threads[thread].name));
}

static void csv_add_id(struct table *t, int64_t id)
{
	struct text *cell = table_cell(t);

	if (id)
		text_printf(cell, "%" PRId64, id);
}

static void csv_add_frames(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_FRAMES); i++) {
		const struct frame_sum *f = &r->frames[i];

		csv_begin_row(t, r);
		csv_add_frame_name(t, r, f->label);
		csv_add_amount(t, r, f->self);
		csv_add_amount(t, r, f->total);
	}
}

static void csv_add_application(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_APPLICATION); i++) {
		csv_begin_row(t, r);
		csv_add_frame_name(t, r, r->application[i].label);
		csv_add_amount(t, r, r->application[i].total);
	}
}

static void csv_add_waits(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_WAITS); i++) {
		const struct wait_sum *w = &r->waits[i];

		csv_begin_row(t, r);
		csv_add_frame_name(t, r, w->label);
		if (w->callee == WAIT_MONITOR || w->callee == WAIT_CPU)
			table_add(t, w->callee == WAIT_CPU ? "[cpu]"
							   : "[monitor]");
		else
			csv_add_frame_name(t, r, w->callee);
		csv_add_amount(t, r, w->total);
	}
}

static void csv_add_histogram(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_HISTOGRAM); i++) {
		const struct frame_sum *f = &r->frames[i];

		csv_begin_row(t, r);
		csv_add_frame_name(t, r, f->label);
		csv_add_amount(t, r, f->self);
		csv_add_amount(t, r, f->total);
		csv_add_amount(t, r, f->frequency);
	}
}

/* Adds a class; if more is not 0, the sum of `more` classes, "[14 more]". */
static void csv_add_class(struct table *t, const struct report *r,
			  const struct class_sum *sum, size_t more,
			  enum report_part part)
{
	const struct profile *p = r->profile;
	const struct thread *owner;
	struct text *cell;

	csv_begin_row(t, r);
	cell = table_cell(t);
	if (more)
		text_printf(cell, "[%zu more]", more);
	else
		class_sum_name(cell, r->profile, sum, &r->options->style);
	if (part == REPORT_OWNERS) {
		/* Thread 0 has no name. */
		static const struct thread unknown = { 0 };

		owner = sum->owner ? &p->threads[sum->owner] : &unknown;
		table_add(t, profile_text(p, owner->name));
		csv_add_id(t, owner->java_id);
		csv_add_id(t, owner->os_id);
	} else if (part == REPORT_OWNER_METHODS) {
		cell = table_cell(t);
		if (sum->owner)
			frame_name(cell, p, &p->frames[sum->owner],
				   &r->options->style);
	}
	csv_add_amount(t, r, sum->total);
	csv_add_number(t, sum->samples);
}

static void csv_add_class_rows(struct table *t, const struct report *r,
			       enum report_part part)
{
	const struct class_sum *sums = part == REPORT_CLASSES ? r->classes
				       : part == REPORT_OWNERS
					       ? r->owners
					       : r->owner_methods;
	size_t count = part == REPORT_CLASSES  ? r->class_count
		       : part == REPORT_OWNERS ? r->owner_count
					       : r->owner_method_count;
	size_t rows = report_rows(r, part);
	struct class_sum rest = class_sums_rest(sums, rows, count);

	for (size_t i = 0; i < rows; i++)
		csv_add_class(t, r, &sums[i], 0, part);
	if (rows < count)
		csv_add_class(t, r, &rest, count - rows, part);
}

static void csv_add_classes(struct table *t, const struct report *r)
{
	csv_add_class_rows(t, r, REPORT_CLASSES);
}

static void csv_add_owners(struct table *t, const struct report *r)
{
	csv_add_class_rows(t, r, REPORT_OWNERS);
}

static void csv_add_owner_methods(struct table *t, const struct report *r)
{
	csv_add_class_rows(t, r, REPORT_OWNER_METHODS);
}

static void csv_add_threads(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_THREADS); i++) {
		const struct thread_sum *sum = &r->threads[i];
		const struct thread *thread = &r->profile->threads[sum->thread];

		csv_begin_row(t, r);
		csv_add_thread_name(t, r, sum->thread);
		csv_add_id(t, thread->java_id);
		csv_add_id(t, thread->os_id);
		csv_add_amount(t, r, sum->total);
		csv_add_frame_name(t, r, sum->leaf);
		csv_add_number(t, sum->leaf_self);
	}
}

static void csv_add_pool_name(struct table *t, const struct report *r,
			      uint32_t thread)
{
	struct text name = { 0 };

	thread_roots_pool(&name, r->profile, thread);
	table_add(t, name.len ? name.bytes : "");
	text_release(&name);
}

static void csv_add_calls(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < r->calls.count; i++) {
		const struct call_row *row = &r->calls.rows[i];

		csv_begin_row(t, r);
		table_add(t, call_kind_names[row->kind]);
		csv_add_number(t, row->depth);
		if (row->kind == CALL_FRAME)
			csv_add_frame_name(t, r, row->id);
		else if (row->kind == CALL_THREAD)
			csv_add_thread_name(t, r, row->id);
		else if (row->kind == CALL_POOL)
			csv_add_pool_name(t, r, row->id);
		else
			csv_add_number(t, row->id);
		csv_add_number(t, row->kind == CALL_POOL ? row->members
							 : row->deep);
		csv_add_amount(t, r, row->self);
		csv_add_amount(t, r, row->total);
	}
}

static void csv_add_categories(struct table *t, const struct report *r)
{
	size_t count = r->options->category_count;

	for (size_t i = 0; i <= count; i++) {
		csv_begin_row(t, r);
		table_add(t, i < count ? r->options->categories[i] : "[other]");
		csv_add_amount(t, r, r->categories[i].total);
		csv_add_number(t, r->categories[i].samples);
	}
}

static void csv_add_thread(struct table *t, const struct report *r,
			   uint32_t thread)
{
	csv_add_thread_name(t, r, thread);
	csv_add_id(t, r->profile->threads[thread].java_id);
	csv_add_id(t, r->profile->threads[thread].os_id);
}

/* Adds the start of a bucket, or nothing if there is none. */
static void csv_add_time(struct table *t, const struct report *r,
			 uint16_t bucket)
{
	const struct profile *p = r->profile;

	csv_add_id(t,
		   bucket ? (p->bucket_first + bucket - 1) * p->bucket_ns : 0);
}

static void csv_add_infos(struct table *t, const struct report *r)
{
	for (size_t i = 0; i < report_rows(r, REPORT_THREAD_INFO); i++) {
		const struct thread_info *info = &r->infos[i];

		csv_begin_row(t, r);
		csv_add_thread(t, r, info->thread);
		csv_add_amount(t, r, info->total);
		csv_add_number(t, info->samples);
		csv_add_number(t, info->native);
		for (size_t k = STATE_NONE + 1; k < THREAD_STATES; k++)
			csv_add_number(t, info->states[k]);
		csv_add_time(t, r, info->first);
		csv_add_time(t, r, info->last);
	}
}

/* Adds the buckets that are not empty. */
static void csv_add_timeline(struct table *t, const struct report *r)
{
	const struct timeline *line = &r->timeline;

	for (size_t i = 0; i < line->row_count * line->bucket_count; i++) {
		size_t row = i / line->bucket_count;
		int64_t bucket = (int64_t)(i % line->bucket_count);

		if (!line->values[i])
			continue;
		csv_begin_row(t, r);
		if (row) {
			csv_add_thread(t, r, line->threads[row]);
		} else {
			table_add(t, "[all threads]");
			csv_add_id(t, 0);
			csv_add_id(t, 0);
		}
		csv_add_id(t, line->from_ns + bucket * line->bucket_ns);
		csv_add_id(t, line->bucket_ns);
		csv_add_number(t, line->values[i]);
	}
}

static const struct {
	const struct table_column *columns;
	size_t column_count;
	void (*add)(struct table *t, const struct report *r);
} tables[REPORT_PARTS] = {
	[REPORT_WAITS] = { wait_columns, 6, csv_add_waits },
	[REPORT_FRAMES] = { frame_columns, 7, csv_add_frames },
	[REPORT_APPLICATION] = { application_columns, 5, csv_add_application },
	[REPORT_CLASSES] = { class_columns, 6, csv_add_classes },
	[REPORT_OWNERS] = { owner_columns, 9, csv_add_owners },
	[REPORT_OWNER_METHODS] = { method_columns, 7, csv_add_owner_methods },
	[REPORT_THREADS] = { thread_columns, 9, csv_add_threads },
	[REPORT_CALLS] = { call_columns, 10, csv_add_calls },
	[REPORT_HISTOGRAM] = { histogram_columns, 9, csv_add_histogram },
	[REPORT_CATEGORIES] = { category_columns, 6, csv_add_categories },
	[REPORT_THREAD_INFO] = { info_columns, 17, csv_add_infos },
	[REPORT_TIMELINE] = { timeline_columns, 8, csv_add_timeline },
};

void report_csv(struct text *out, const struct report *reports, size_t count)
{
	unsigned parts = count ? reports[0].options->parts : 0;
	size_t part = parts ? (size_t)__builtin_ctz(parts) : REPORT_FRAMES;
	struct table t = {
		.columns = tables[part].columns,
		.column_count = tables[part].column_count,
	};

	for (size_t i = 0; i < count; i++)
		tables[part].add(&t, &reports[i]);
	table_csv(&t, out);
	table_release(&t);
}
