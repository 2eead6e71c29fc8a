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

	json_key(j, side_keys[side]);
	json_open_object(j);
	json_key(j, "source");
	json_text(j, s->name);
	json_key(j, "event");
	json_text(j, d->views[side]->name);
	json_key(j, "samples");
	json_uint(j, d->views[side]->samples);
	json_key(j, "unit");
	json_text(j, unit_names[d->units[side]]);
	json_key(j, "total");
	json_uint(j, d->whole.sums[side]);
	json_key(j, "duration_s");
	if (diff_seconds(d, side) > 0)
		json_double(j, diff_seconds(d, side));
	else
		json_null(j);
	json_key(j, "lost");
	json_open_array(j);
	for (size_t i = 0; i < s->side.remark_count; i++) {
		const struct remark *r = &s->side.remarks[i];

		if (!r->is_loss)
			continue;
		json_open_object(j);
		json_key(j, "what");
		json_text(j, r->what);
		json_key(j, "count");
		json_uint(j, r->count);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static void json_put_change(struct json *j, const struct diff_row *r)
{
	for (size_t i = 0; i < 2; i++) {
		json_key(j, side_keys[i]);
		json_uint(j, r->sums[i]);
	}
	json_key(j, "samples_before");
	json_uint(j, r->samples[0]);
	json_key(j, "samples_after");
	json_uint(j, r->samples[1]);
	json_key(j, "value_before");
	json_double(j, r->values[0]);
	json_key(j, "value_after");
	json_double(j, r->values[1]);
	json_key(j, "change");
	json_double(j, r->values[1] - r->values[0]);
	json_key(j, "probability");
	json_double(j, r->probability);
	json_key(j, "verdict");
	json_text(j, row_verdict(r));
}

static void json_put_part(struct json *j, const struct diff *d,
			  enum diff_part_kind kind)
{
	struct text name = { 0 };

	json_key(j, diff_part_names[kind]);
	json_open_array(j);
	for (size_t i = 0; i < d->parts[kind].count; i++) {
		const struct diff_row *r = &d->parts[kind].rows[i];

		text_clear(&name);
		text_puts(&name, "");
		diff_add_name(&name, d, kind, r);
		json_open_object(j);
		json_key(j, "name");
		json_string(j, name.bytes, name.len);
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
	json_key(j, "normalized_by");
	json_text(j, diff_base_names[d->base]);
	if (d->base == DIFF_BY_EVENT) {
		json_key(j, "normalized_by_event");
		json_text(j, d->options->event);
	}
	json_key(j, "reason");
	json_text_or_null(j, d->reason);
	json_key(j, "significance");
	diff_add_method(&method, d);
	json_string(j, method.bytes, method.len);
	text_release(&method);
	json_key(j, "total_change");
	json_open_object(j);
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
	json_key(&j, "schema");
	json_text(&j, "sjkc.diff/1");
	json_key(&j, "changes");
	json_open_array(&j);
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
