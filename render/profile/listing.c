/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the event types of a profile as text and JSON. */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/profile/event_table.h"
#include "core/profile/event_view.h"
#include "render/text/table.h"
#include "render/tree/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns a row per event, sorted by samples; the caller frees the array. */
static struct row *listing_by_samples(const struct profile *p)
{
	struct row *rows = xmalloc(p->event_count * sizeof(*rows));

	for (uint32_t i = 0; i < p->event_count; i++)
		rows[i] = (struct row){
			.minor = UINT64_MAX - p->events[i].samples, .item = i
		};
	row_sort(rows, p->event_count);
	return rows;
}

/* Returns the family of each event, or NULL; the caller frees the array. */
static const char **families_of(const struct profile *p)
{
	const char **families = xcalloc(p->event_count, sizeof(*families));
	struct event_view *views;
	size_t view_count = event_views(p, &views);

	for (size_t i = 0; i < view_count; i++) {
		const struct event_view *v = &views[i];

		for (size_t j = 0; j < v->event_count; j++) {
			uint32_t event = v->events[j];
			uint32_t name = p->events[event].name;

			if (strcmp(v->name, profile_text(p, name)) != 0)
				families[event] = v->name;
		}
	}
	free(views);
	return families;
}

/* Appends the sum of an event; JFR's settings and statistics have no duration.
 */
static void listing_add_weight(struct text *out, const struct event *e)
{
	if (!e->weight && e->unit == UNIT_NS)
		text_puts(out, "-");
	else
		text_printf(out, "%" PRIu64 " %s", e->weight,
			    unit_names[e->unit]);
}

static int listing_by_count(const void *a, const void *b)
{
	const struct event_table *const *left = a, *const *right = b;

	if ((*left)->count != (*right)->count)
		return (*left)->count > (*right)->count ? -1 : 1;
	return strcmp((*left)->name, (*right)->name);
}

/* Returns the tables with events, sorted by count; the caller frees the array.
 */
static const struct event_table **tables_of(const struct profile *p,
					    size_t *count)
{
	const struct event_table **tables = xcalloc(p->table_count,
						    sizeof(*tables));

	*count = 0;
	for (size_t i = 0; i < p->table_count; i++) {
		if (p->tables[i]->count)
			tables[(*count)++] = p->tables[i];
	}
	if (*count)
		qsort(tables, *count, sizeof(*tables), listing_by_count);
	return tables;
}

/* Lists events without stack traces; `prof -e` prints their tables. */
static void listing_put_tables(struct text *out, const struct profile *p)
{
	static const struct table_column heads[] = {
		{ "event without stack traces", false },
		{ "events", true },
	};
	struct table table = { .columns = heads, .column_count = 2 };
	size_t count;
	const struct event_table **tables = tables_of(p, &count);

	for (size_t i = 0; i < count; i++) {
		table_add(&table, tables[i]->name);
		text_printf(table_cell(&table), "%" PRIu64, tables[i]->count);
	}
	if (count) {
		text_putc(out, '\n');
		table_text(&table, 0, out);
	}
	table_release(&table);
	free(tables);
}

static void listing_put_tables_json(struct json *j, const struct profile *p)
{
	size_t count;
	const struct event_table **tables = tables_of(p, &count);

	json_add_array(j, "tables");
	for (size_t i = 0; i < count; i++) {
		json_open_object(j);
		json_add_text(j, "name", tables[i]->name);
		json_add_uint(j, "events", tables[i]->count);
		json_close_object(j);
	}
	json_close_array(j);
	free(tables);
}

void listing_events(struct output *out, const struct profile *p)
{
	static const struct table_column columns[] = {
		{ "event", false },  { "family", false },
		{ "samples", true }, { "without stack", true },
		{ "weight", true },
	};
	struct table table = { .columns = columns, .column_count = 5 };
	struct row *order = listing_by_samples(p);
	const char **families = families_of(p);
	struct text text = { 0 };

	for (size_t i = 0; i < p->event_count; i++) {
		const struct event *e = &p->events[order[i].item];
		const char *family = families[order[i].item];

		table_add(&table, profile_text(p, e->name));
		table_add(&table, family ? family : "");
		text_printf(table_cell(&table), "%" PRIu64, e->samples);
		text_printf(table_cell(&table), "%" PRIu64, e->without_stack);
		listing_add_weight(table_cell(&table), e);
	}
	table_text(&table, 0, &text);
	listing_put_tables(&text, p);
	output_write(out, text.bytes, text.len);
	text_release(&text);
	table_release(&table);
	free(order);
	free(families);
}

void listing_events_json(struct output *out, const struct profile *p)
{
	struct row *order = listing_by_samples(p);
	struct text text = { 0 };
	struct json j = json_document(&text, "sjkc.events/1");

	json_add_array(&j, "events");
	for (size_t i = 0; i < p->event_count; i++) {
		const struct event *e = &p->events[order[i].item];

		json_open_object(&j);
		json_add_text(&j, "name", profile_text(p, e->name));
		json_add_uint(&j, "samples", e->samples);
		json_add_uint(&j, "without_stack", e->without_stack);
		json_add_uint(&j, "weight", e->weight);
		json_add_text(&j, "unit", unit_names[e->unit]);
		json_close_object(&j);
	}
	json_close_array(&j);
	listing_put_tables_json(&j, p);
	json_end_document(&j);
	output_write(out, text.bytes, text.len);
	text_release(&text);
	free(order);
}
