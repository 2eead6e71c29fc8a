/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/probe_report.h"

#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/profile/frame_name.h"
#include "render/text/fields.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 40, CLASSES = 3 /* maximum number of exception classes */ };

static const struct {
	const char *title, *key;
	double part;
} quantiles[] = {
	{ "~p50", "p50_estimated_ns", 0.50 },
	{ "~p95", "p95_estimated_ns", 0.95 },
	{ "~p99", "p99_estimated_ns", 0.99 },
};

enum { QUANTILES = sizeof(quantiles) / sizeof(*quantiles) };

static uint64_t row_calls(const struct probe_report *r,
			  const struct probe_row *row)
{
	const struct probe_counts *c = &row->counts;

	return r->detail == PROBE_COUNTED || c->entered > c->calls ? c->entered
								   : c->calls;
}

static double row_rate(const struct probe_report *r,
		       const struct probe_row *row)
{
	return r->duration_ns > 0 ? (double)row_calls(r, row) * 1e9 /
					    (double)r->duration_ns
				  : 0;
}

static uint64_t row_average(const struct probe_row *row)
{
	return row->counts.calls && !row->average_ns
		       ? row->counts.sum_ns / row->counts.calls
		       : row->average_ns;
}

/* Time spent in the method; or the calls, when they are not timed. */
static uint64_t row_rank(const struct probe_row *row)
{
	return row->counts.sum_ns ? row->counts.sum_ns : row->counts.entered;
}

static int row_compare(const void *a, const void *b)
{
	const struct probe_row *x = a, *y = b;
	uint64_t of_x = row_rank(x), of_y = row_rank(y);
	int order = (of_x < of_y) - (of_x > of_y);

	if (!order)
		order = strcmp(x->class_name, y->class_name);
	return order ? order : strcmp(x->method, y->method);
}

static uint64_t bucket_from(size_t bucket)
{
	return bucket ? UINT64_C(1) << (bucket - 1) : 0;
}

/* Limits the longest call of an interval to the highest bucket with calls. */
static void row_bound_max(struct probe_row *row)
{
	struct probe_counts *c = &row->counts;

	for (size_t i = PROBE_BUCKETS - 1; i > 0; i--) {
		if (!c->buckets[i - 1])
			continue;
		if (bucket_from(i) - 1 < c->max_ns)
			c->max_ns = bucket_from(i) - 1;
		break;
	}
	row->max_is_bound = true;
}

void probe_row_subtract(struct probe_row *row, const struct probe_counts *last)
{
	struct probe_counts *c = &row->counts;

	c->calls -= last->calls;
	c->entered -= last->entered;
	c->thrown -= last->thrown;
	c->sum_ns -= last->sum_ns;
	c->skipped -= last->skipped;
	c->exception_count = 0;
	for (size_t i = 0; i < PROBE_BUCKETS; i++)
		c->buckets[i] -= last->buckets[i];
	if (c->max_ns == last->max_ns)
		row_bound_max(row);
}

void probe_report_sort(struct probe_report *r)
{
	if (r->count)
		qsort(r->rows, r->count, sizeof(*r->rows), row_compare);
}

void probe_row_name(const struct probe_row *row, struct text *out)
{
	safe_text_puts(out, row->class_name);
	text_putc(out, '.');
	safe_text_puts(out, row->method);
	if (row->parameters)
		safe_text_puts(out, row->parameters);
	else if (row->descriptor)
		frame_parameters(out, row->descriptor, strlen(row->descriptor),
				 true);
}

/* ---- text ---- */

/* Appends "1,234" or "12.3" to a cell. */
static void cell_add_rate(struct text *out, double rate)
{
	if (rate >= 100)
		units_add_count(out, (uint64_t)(rate + 0.5));
	else
		text_printf(out, "%.3g", rate);
}

static void cell_add_time(struct table *t, uint64_t ns, bool is_known)
{
	struct text *cell = table_cell(t);

	if (is_known)
		units_add_time(cell, (double)ns);
	else
		text_putc(cell, '-');
}

static void table_add_times(struct table *t, const struct probe_report *r,
			    const struct probe_row *row)
{
	const struct probe_counts *c = &row->counts;

	cell_add_time(t, row_average(row), c->calls);
	if (r->detail == PROBE_AVERAGED) {
		cell_add_time(t, row->min_ns, c->calls);
	} else {
		for (size_t i = 0; i < QUANTILES; i++)
			cell_add_time(
				t, probe_counts_quantile(c, quantiles[i].part),
				c->calls);
	}
	if (row->max_is_bound && c->calls) {
		struct text *cell = table_cell(t);

		text_puts(cell, "\u2264");
		units_add_time(cell, (double)c->max_ns);
	} else {
		cell_add_time(t, c->max_ns, c->calls);
	}
}

static void table_add_row(struct table *t, const struct probe_report *r,
			  const struct probe_row *row)
{
	struct text name = { 0 };

	probe_row_name(row, &name);
	table_add(t, name.bytes);
	text_release(&name);
	units_add_count(table_cell(t), row_calls(r, row));
	cell_add_rate(table_cell(t), row_rate(r, row));
	if (r->detail == PROBE_TIMED)
		units_add_count(table_cell(t), row->counts.thrown);
	if (r->detail != PROBE_COUNTED)
		table_add_times(t, r, row);
}

/* The heads of the columns by detail. */
/* clang-format off */
static const struct table_column counted[] = {
	{ "method", false }, { "calls", true }, { "calls/s", true },
};
static const struct table_column averaged[] = {
	{ "method", false }, { "calls", true }, { "calls/s", true },
	{ "average", true }, { "min", true }, { "max", true },
};
static const struct table_column timed[] = {
	{ "method", false }, { "calls", true }, { "calls/s", true },
	{ "errors", true }, { "average", true }, { "~p50", true },
	{ "~p95", true }, { "~p99", true }, { "max", true },
};
static const struct {
	const struct table_column *columns;
	size_t count;
} tables[] = {
	[PROBE_COUNTED] = { counted, sizeof(counted) / sizeof(*counted) },
	[PROBE_AVERAGED] = { averaged, sizeof(averaged) / sizeof(*averaged) },
	[PROBE_TIMED] = { timed, sizeof(timed) / sizeof(*timed) },
};
/* clang-format on */

/* Appends "  3 java.io.IOException, 1 java.lang.IllegalStateException". */
static void text_add_exceptions(struct text *out, const struct probe_row *row)
{
	const struct probe_counts *c = &row->counts;
	size_t shown = 0;

	if (!c->exception_count)
		return;
	probe_row_name(row, out);
	text_puts(out, " threw");
	for (size_t i = 0; i < c->exception_count && shown < CLASSES; i++) {
		const char *name = c->exceptions[i].class_name;

		text_puts(out, shown++ ? ", " : " ");
		units_add_count(out, c->exceptions[i].count);
		text_putc(out, ' ');
		safe_text_puts(out, name ? name : "others");
	}
	if (shown < c->exception_count)
		text_printf(out, ", and %zu other class%s",
			    c->exception_count - shown,
			    c->exception_count - shown == 1 ? "" : "es");
	text_putc(out, '\n');
}

/* Appends a bar for each bucket between the first and the last with calls. */
static void text_add_histogram(struct text *out, const struct probe_row *row)
{
	const struct probe_counts *c = &row->counts;
	size_t first = PROBE_BUCKETS, last = 0;
	uint64_t most = 1;

	for (size_t i = 0; i < PROBE_BUCKETS; i++) {
		if (!c->buckets[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > c->buckets[i] ? most : c->buckets[i];
	}
	if (first == PROBE_BUCKETS)
		return;
	text_putc(out, '\n');
	probe_row_name(row, out);
	text_putc(out, '\n');
	for (size_t i = first; i <= last; i++) {
		struct text from = { 0 }, count = { 0 };
		int bar = (int)((double)c->buckets[i] * BAR / (double)most);

		units_add_time(&from, (double)bucket_from(i));
		units_add_count(&count, c->buckets[i]);
		text_printf(out, "  from %7s %12s ", from.bytes, count.bytes);
		for (int j = 0; j < bar || (j == 0 && c->buckets[i]); j++)
			text_putc(out, '#');
		while (out->bytes[out->len - 1] == ' ')
			out->len--;
		text_putc(out, '\n');
		text_release(&from);
		text_release(&count);
	}
}

void probe_report_text(const struct probe_report *r, struct text *out)
{
	size_t rows = r->top && r->top < r->count ? r->top : r->count;
	struct table t = {
		.columns = tables[r->detail].columns,
		.column_count = tables[r->detail].count,
	};

	for (size_t i = 0; i < rows; i++)
		table_add_row(&t, r, &r->rows[i]);
	table_text(&t, r->width, out);
	if (rows < r->count)
		text_printf(out, "and %zu other method%s (-n 0 lists all)\n",
			    r->count - rows, units_plural(r->count - rows));
	for (size_t i = 0; i < rows && r->detail == PROBE_TIMED; i++)
		text_add_exceptions(out, &r->rows[i]);
	for (size_t i = 0; i < rows && r->has_histogram; i++)
		text_add_histogram(out, &r->rows[i]);
	table_release(&t);
}

/* ---- CSV and JSON ---- */

static void json_add_buckets(struct json *j, const struct probe_counts *c)
{
	json_add_array(j, "buckets");
	for (size_t i = 0; i < PROBE_BUCKETS; i++) {
		if (!c->buckets[i])
			continue;
		json_open_object(j);
		json_add_uint(j, "from_ns", bucket_from(i));
		if (i + 1 < PROBE_BUCKETS)
			json_add_uint(j, "below_ns", bucket_from(i + 1));
		else
			json_add_null(j, "below_ns");
		json_add_uint(j, "calls", c->buckets[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

static void json_add_exceptions(struct json *j, const struct probe_counts *c)
{
	json_add_array(j, "exceptions");
	for (size_t i = 0; i < c->exception_count; i++) {
		json_open_object(j);
		json_add_text(j, "class", c->exceptions[i].class_name);
		json_add_uint(j, "count", c->exceptions[i].count);
		json_close_object(j);
	}
	json_close_array(j);
}

/* Writes "(long, String)"; JSON has it only without a descriptor. */
static void fields_parameters(struct fields *f, const struct probe_row *row)
{
	struct text parameters = { 0 };

	if (f->csv && !row->parameters && row->descriptor)
		frame_parameters(&parameters, row->descriptor,
				 strlen(row->descriptor), false);
	if (f->csv || row->parameters)
		fields_text(f, "parameters",
			    row->parameters ? row->parameters
					    : parameters.bytes);
	text_release(&parameters);
}

static void fields_put_row(struct fields *f, const struct probe_report *r,
			   const struct probe_row *row)
{
	const struct probe_counts *c = &row->counts;
	bool has_times = r->detail != PROBE_COUNTED && c->calls;
	bool is_timed = r->detail == PROBE_TIMED;

	fields_text(f, "class", row->class_name);
	fields_text(f, "method", row->method);
	if (f->json)
		json_add_text(f->json, "descriptor", row->descriptor);
	fields_parameters(f, row);
	if (f->json)
		json_add_text(f->json, "loader", row->loader);
	fields_uint(f, "calls", row_calls(r, row), true);
	fields_double(f, "calls_per_s", row_rate(r, row), 3);
	fields_uint(f, "errors", c->thrown, is_timed);
	fields_uint(f, "average_ns", row_average(row), has_times);
	fields_uint(f, "min_ns", row->min_ns,
		    has_times && r->detail == PROBE_AVERAGED);
	for (size_t i = 0; i < QUANTILES; i++)
		fields_uint(f, quantiles[i].key,
			    probe_counts_quantile(c, quantiles[i].part),
			    has_times && is_timed);
	fields_uint(f, "max_ns", c->max_ns, has_times && !row->max_is_bound);
	if (f->json && is_timed) {
		json_add_exceptions(f->json, c);
		json_add_buckets(f->json, c);
	}
	fields_end(f);
}

void probe_report_csv(const struct probe_report *r, struct text *out)
{
	struct fields f = { .csv = out };

	text_puts(out, "class,method,parameters,calls,calls_per_s,errors,"
		       "average_ns,min_ns,p50_estimated_ns,p95_estimated_ns,"
		       "p99_estimated_ns,max_ns\n");
	for (size_t i = 0; i < r->count; i++)
		fields_put_row(&f, r, &r->rows[i]);
}

struct json probe_report_json(const struct probe_report *r, struct text *out)
{
	struct json j = json_document(out, "sjkc.probe/1");
	struct fields f = { .json = &j };

	json_add_text(&j, "type", r->is_final ? "totals" : "interval");
	json_add_int(&j, "pid", r->pid);
	container_pod_json(r->pod, &j);
	json_add_double(&j, "time", (double)r->time_ns / 1e9);
	json_add_double(&j, "duration_s", (double)r->duration_ns / 1e9);
	json_add_text(&j, "source", r->source);
	json_add_array(&j, "methods");
	for (size_t i = 0; i < r->count; i++) {
		json_open_object(&j);
		fields_put_row(&f, r, &r->rows[i]);
	}
	json_close_array(&j);
	return j;
}
