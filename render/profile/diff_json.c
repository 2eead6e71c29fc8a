/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the changes between two recordings as JSON or CSV. */
#include "render/profile/diff.h"

#include "core/base/json.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const side_keys[] = { "before", "after" };

static const char *row_verdict(const struct diff_row *r)
{
	if (r->is_significant)
		return "significant";
	return isnan(r->probability) ? "too few samples" : "within noise";
}

static void json_put_side(struct json *j, const struct diff *d, size_t side)
{
	const struct diff_source *s = &d->pair->sources[side];

	json_add_object(j, side_keys[side]);
	json_add_text(j, "source", s->name);
	json_add_text(j, "event", d->views[side]->name);
	json_add_uint(j, "samples", d->views[side]->samples);
	json_add_text(j, "unit", unit_names[d->units[side]]);
	json_add_uint(j, "total", d->whole.sums[side]);
	json_key(j, "duration_s");
	if (diff_seconds(d, side) > 0)
		json_double(j, diff_seconds(d, side));
	else
		json_null(j);
	json_add_array(j, "lost");
	for (size_t i = 0; i < s->side.remark_count; i++) {
		const struct remark *r = &s->side.remarks[i];

		if (!r->is_loss)
			continue;
		json_open_object(j);
		json_add_text(j, "what", r->what);
		json_add_uint(j, "count", r->count);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static void json_put_change(struct json *j, const struct diff_row *r)
{
	for (size_t i = 0; i < 2; i++) {
		json_add_uint(j, side_keys[i], r->sums[i]);
	}
	json_add_uint(j, "samples_before", r->samples[0]);
	json_add_uint(j, "samples_after", r->samples[1]);
	json_add_double(j, "value_before", r->values[0]);
	json_add_double(j, "value_after", r->values[1]);
	json_add_double(j, "change", r->values[1] - r->values[0]);
	json_add_double(j, "probability", r->probability);
	json_add_text(j, "verdict", row_verdict(r));
}

static void json_put_part(struct json *j, const struct diff *d,
			  enum diff_part_kind kind)
{
	struct text name = { 0 };

	json_add_array(j, diff_part_names[kind]);
	for (size_t i = 0; i < d->parts[kind].count; i++) {
		const struct diff_row *r = &d->parts[kind].rows[i];

		text_clear(&name);
		text_puts(&name, "");
		diff_add_name(&name, d, kind, r);
		json_open_object(j);
		json_add_string(j, "name", name.bytes, name.len);
		json_put_change(j, r);
		json_close_object(j);
	}
	json_close_array(j);
	text_release(&name);
}

static void json_put_diff(struct json *j, const struct diff *d)
{
	struct text method = { 0 };

	json_open_object(j);
	json_put_side(j, d, 0);
	json_put_side(j, d, 1);
	json_add_text(j, "normalized_by", diff_base_names[d->base]);
	if (d->base == DIFF_BY_EVENT) {
		json_add_text(j, "normalized_by_event", d->options->event);
	}
	json_add_text(j, "reason", d->reason);
	json_key(j, "significance");
	diff_add_method(&method, d);
	json_string(j, method.bytes, method.len);
	text_release(&method);
	json_add_object(j, "total_change");
	json_put_change(j, &d->whole);
	json_close_object(j);
	for (size_t i = 0; i < DIFF_PARTS; i++)
		json_put_part(j, d, (enum diff_part_kind)i);
	json_close_object(j);
}

void diff_json(struct text *out, const struct diff *diffs, size_t count)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "schema", "sjkc.diff/1");
	json_add_array(&j, "changes");
	for (size_t i = 0; i < count; i++)
		json_put_diff(&j, &diffs[i]);
	json_close_array(&j);
	json_close_object(&j);
	text_putc(out, '\n');
}

static const struct table_column columns[] = {
	{ "event", false }, { "table", false },         { "name", false },
	{ "unit", false },  { "normalized_by", false }, { "before", true },
	{ "after", true },  { "value_before", true },   { "value_after", true },
	{ "change", true }, { "probability", true },    { "verdict", false },
};

static void csv_put_row(struct table *t, const struct diff *d,
			enum diff_part_kind kind, const struct diff_row *r)
{
	struct text *cell;

	table_add(t, d->views[0]->name);
	table_add(t, diff_part_names[kind]);
	cell = table_cell(t);
	text_puts(cell, "");
	diff_add_name(cell, d, kind, r);
	table_add(t, unit_names[d->units[0]]);
	table_add(t, diff_base_names[d->base]);
	for (size_t i = 0; i < 2; i++)
		text_printf(table_cell(t), "%" PRIu64, r->sums[i]);
	for (size_t i = 0; i < 2; i++)
		text_printf(table_cell(t), "%.9g", r->values[i]);
	text_printf(table_cell(t), "%.9g", r->values[1] - r->values[0]);
	cell = table_cell(t);
	if (!isnan(r->probability))
		text_printf(cell, "%.3g", r->probability);
	table_add(t, row_verdict(r));
}

void diff_csv(struct text *out, const struct diff *diffs, size_t count)
{
	struct table t = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(*columns),
	};

	for (size_t i = 0; i < count; i++) {
		const struct diff *d = &diffs[i];

		for (size_t k = 0; k < DIFF_PARTS; k++) {
			for (size_t n = 0; n < d->parts[k].count; n++)
				csv_put_row(&t, d, (enum diff_part_kind)k,
					    &d->parts[k].rows[n]);
		}
	}
	table_csv(&t, out);
	table_release(&t);
}
