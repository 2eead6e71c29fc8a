/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables of events without stack traces as text, CSV and JSON. */
#include "render/profile/report.h"

#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/text/amount.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <string.h>

#define MOST_COLUMNS (EVENT_TABLE_TEXTS + 1 + 3 * EVENT_TABLE_VALUES)

/* The columns of a value; the sum of sizes in bytes is meaningless. */
enum part { PART_SUM, PART_MEAN, PART_MOST, PART_LAST, PARTS };

static const char *const part_names[PARTS] = { "sum", "mean", "max", "last" };

struct layout {
	struct table_column columns[MOST_COLUMNS];
	struct text heads[MOST_COLUMNS];
	size_t count;
	struct table table;
};

static bool table_has_part(const struct event_table *t, size_t value,
			   enum part part, bool is_csv)
{
	bool is_most = strncmp(t->values[value], "longest", 7) == 0;

	if (t->is_running_total)
		return part == PART_LAST;
	if (part == PART_LAST)
		return false;
	if (part == PART_SUM && t->units[value] == UNIT_BYTES)
		return false;
	/* Text has fewer columns for the values after the first. */
	return is_csv || part == PART_MOST || value == 0 ||
	       (!is_most &&
		(part == PART_SUM) != (t->units[value] == UNIT_BYTES));
}

static uint64_t table_part_of(const struct event_sum *s, enum part part)
{
	switch (part) {
	case PART_SUM:
		return s->sum;
	case PART_MEAN:
		return s->count ? s->sum / s->count : 0;
	case PART_MOST:
		return s->most;
	default:
		return s->last;
	}
}

static struct text *table_add_column(struct layout *l, bool right)
{
	l->columns[l->count] = (struct table_column){ NULL, right };
	return &l->heads[l->count++];
}

/* "cause", "count", "duration sum", or in CSV "duration_sum_ns". */
static void table_add_columns(struct layout *l, const struct event_table *t,
			      bool is_csv)
{
	for (size_t i = 0; i < t->text_count; i++)
		text_puts(table_add_column(l, false), t->texts[i]);
	if (!t->is_running_total)
		text_puts(table_add_column(l, true),
			  is_csv ? "count" : "events");
	for (size_t i = 0; i < t->value_count; i++) {
		for (enum part part = 0; part < PARTS; part++) {
			struct text *head;

			if (!table_has_part(t, i, part, is_csv))
				continue;
			head = table_add_column(l, true);
			text_puts(head, t->values[i]);
			if (part != PART_LAST &&
			    (is_csv ||
			     strncmp(t->values[i], "longest", 7) != 0))
				text_printf(head, "%c%s", is_csv ? '_' : ' ',
					    part_names[part]);
			if (is_csv && t->units[i] != UNIT_SAMPLES)
				text_printf(head, "_%s",
					    unit_names[t->units[i]]);
		}
	}
	for (size_t i = 0; i < l->count; i++)
		l->columns[i].head = l->heads[i].bytes;
	l->table.columns = l->columns;
	l->table.column_count = l->count;
}

static void table_add_row(struct layout *l, const struct profile *p,
			  const struct event_table *t,
			  const struct event_row *row, bool is_csv)
{
	for (size_t i = 0; i < t->text_count; i++)
		table_add(&l->table, profile_text(p, row->texts[i]));
	if (!t->is_running_total && is_csv)
		text_printf(table_cell(&l->table), "%" PRIu64, row->count);
	else if (!t->is_running_total)
		units_add_count(table_cell(&l->table), row->count);
	for (size_t i = 0; i < t->value_count; i++) {
		const struct event_sum *s = &row->values[i];

		for (enum part part = 0; part < PARTS; part++) {
			struct text *cell;

			if (!table_has_part(t, i, part, is_csv))
				continue;
			cell = table_cell(&l->table);
			if (!s->count)
				text_puts(cell, is_csv ? "" : "-");
			else if (is_csv)
				text_printf(cell, "%" PRIu64,
					    table_part_of(s, part));
			else
				amount_add(cell, t->units[i],
					   table_part_of(s, part));
		}
	}
}

static void table_columns_release(struct layout *l)
{
	table_release(&l->table);
	for (size_t i = 0; i < l->count; i++)
		text_release(&l->heads[i]);
}

void event_table_text(struct text *out, const struct profile *p,
		      const struct event_table *t,
		      const struct event_table_options *o)
{
	size_t rows = t->row_count < o->rows ? t->row_count : o->rows;
	struct layout l = { 0 };

	safe_text_puts(out, t->name);
	text_puts(out, " of ");
	safe_text_puts(out, o->source);
	text_puts(out, ": ");
	units_add_counted(out, t->count, "event");
	text_putc(out, '\n');
	for (size_t i = 0; i < p->remark_count; i++) {
		if (!p->remarks[i].is_loss)
			continue;
		text_printf(out, "lost: %s: ", p->remarks[i].what);
		remark_add_count(out, &p->remarks[i]);
		text_putc(out, '\n');
	}
	text_putc(out, '\n');
	table_add_columns(&l, t, false);
	for (size_t i = 0; i < rows; i++)
		table_add_row(&l, p, t, &t->rows[i], false);
	table_text(&l.table, o->width, out);
	if (rows < t->row_count) {
		units_add_counted(out, t->row_count - rows, "more row");
		text_puts(out, ": use -n\n");
	}
	table_columns_release(&l);
}

void event_table_csv(struct text *out, const struct profile *p,
		     const struct event_table *t,
		     const struct event_table_options *o)
{
	struct layout l = { 0 };

	(void)o;
	table_add_columns(&l, t, true);
	for (size_t i = 0; i < t->row_count; i++)
		table_add_row(&l, p, t, &t->rows[i], true);
	table_csv(&l.table, out);
	table_columns_release(&l);
}

static void table_put_value(struct json *j, const struct event_table *t,
			    size_t i, const struct event_sum *s)
{
	json_foreign_key(j, t->values[i]);
	json_open_object(j);
	json_add_text(j, "unit",
		      t->units[i] == UNIT_SAMPLES ? "count"
						  : unit_names[t->units[i]]);
	for (enum part part = 0; part < PARTS; part++) {
		if (part == PART_LAST ? !t->is_running_total
				      : t->is_running_total)
			continue;
		json_key(j, part_names[part]);
		if (s->count)
			json_uint(j, table_part_of(s, part));
		else
			json_null(j);
	}
	json_close_object(j);
}

static void table_put_row(struct json *j, const struct profile *p,
			  const struct event_table *t,
			  const struct event_row *row)
{
	json_open_object(j);
	json_add_object(j, "fields");
	for (size_t i = 0; i < t->text_count; i++) {
		json_foreign_key(j, t->texts[i]);
		json_text(j, profile_text(p, row->texts[i]));
	}
	json_close_object(j);
	json_add_uint(j, "count", row->count);
	json_add_object(j, "values");
	for (size_t i = 0; i < t->value_count; i++)
		table_put_value(j, t, i, &row->values[i]);
	json_close_object(j);
	json_close_object(j);
}

void event_table_json(struct text *out, const struct profile *p,
		      const struct event_table *t,
		      const struct event_table_options *o)
{
	struct json j = json_document(out, "sjkc.table/1");

	json_add_text(&j, "source", o->source);
	json_add_text(&j, "event", t->name);
	json_add_uint(&j, "events", t->count);
	json_add_array(&j, "rows");
	for (size_t i = 0; i < t->row_count; i++)
		table_put_row(&j, p, t, &t->rows[i]);
	json_close_array(&j);
	json_end_document(&j);
}
