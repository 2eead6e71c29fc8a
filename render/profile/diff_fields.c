/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the changes between two recordings as JSON or CSV. */
#include "render/profile/diff.h"

#include "core/base/json.h"
#include "render/text/fields.h"

#include <math.h>
#include <stdio.h>

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
	double seconds = diff_seconds(d, side);

	json_add_object(j, side_keys[side]);
	json_add_text(j, "source", s->name);
	json_add_text(j, "event", d->views[side]->name);
	json_add_uint(j, "samples", d->views[side]->samples);
	json_add_text(j, "unit", unit_names[d->units[side]]);
	json_add_uint(j, "total", d->whole.sums[side]);
	json_add_double(j, "duration_s", seconds > 0 ? seconds : NAN);
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

/* JSON has all digits. */
static void fields_value(struct fields *f, const char *key, double value,
			 int digits)
{
	char number[32];

	if (f->json) {
		json_add_double(f->json, key, value);
		return;
	}
	snprintf(number, sizeof(number), "%.*g", digits, value);
	fields_number(f, key, isnan(value) ? "" : number);
}

static void fields_put_change(struct fields *f, const struct diff_row *r)
{
	fields_uint(f, "before", r->sums[0], true);
	fields_uint(f, "after", r->sums[1], true);
	if (f->json) {
		json_add_uint(f->json, "samples_before", r->samples[0]);
		json_add_uint(f->json, "samples_after", r->samples[1]);
	}
	fields_value(f, "value_before", r->values[0], 9);
	fields_value(f, "value_after", r->values[1], 9);
	fields_value(f, "change", r->values[1] - r->values[0], 9);
	fields_value(f, "probability", r->probability, 3);
	fields_text(f, "verdict", row_verdict(r));
	fields_end(f);
}

static void fields_put_row(struct fields *f, const struct diff *d,
			   enum diff_part_kind kind, const struct diff_row *r)
{
	struct text name = { 0 };

	text_puts(&name, "");
	diff_add_name(&name, d, kind, r);
	if (f->csv) {
		fields_text(f, "event", d->views[0]->name);
		fields_text(f, "table", diff_part_names[kind]);
	}
	fields_string(f, "name", name.bytes, name.len);
	if (f->csv) {
		fields_text(f, "unit", unit_names[d->units[0]]);
		fields_text(f, "normalized_by", diff_base_names[d->base]);
	}
	fields_put_change(f, r);
	text_release(&name);
}

static void fields_put_part(struct fields *f, const struct diff *d,
			    enum diff_part_kind kind)
{
	for (size_t i = 0; i < d->parts[kind].count; i++) {
		if (f->json)
			json_open_object(f->json);
		fields_put_row(f, d, kind, &d->parts[kind].rows[i]);
	}
}

static void json_put_diff(struct json *j, const struct diff *d)
{
	struct fields f = { .json = j };
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
	fields_put_change(&f, &d->whole);
	for (size_t i = 0; i < DIFF_PARTS; i++) {
		json_add_array(j, diff_part_names[i]);
		fields_put_part(&f, d, (enum diff_part_kind)i);
		json_close_array(j);
	}
	json_close_object(j);
}

void diff_json(struct text *out, const struct diff *diffs, size_t count)
{
	struct json j = json_document(out, "sjkc.diff/1");

	json_add_array(&j, "changes");
	for (size_t i = 0; i < count; i++)
		json_put_diff(&j, &diffs[i]);
	json_close_array(&j);
	json_end_document(&j);
}

void diff_csv(struct text *out, const struct diff *diffs, size_t count)
{
	struct fields f = { .csv = out };

	text_puts(out, "event,table,name,unit,normalized_by,before,after,"
		       "value_before,value_after,change,probability,verdict\n");
	for (size_t i = 0; i < count; i++) {
		for (size_t kind = 0; kind < DIFF_PARTS; kind++)
			fields_put_part(&f, &diffs[i],
					(enum diff_part_kind)kind);
	}
}
