/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the event types of a profile as text and JSON. */
#include "render/text/listing.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/profile/event_table.h"
#include "core/profile/event_view.h"
#include "render/profile/sort.h"
#include "render/text/table.h"

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

enum {
	COLUMN_NAME,
	COLUMN_FAMILY,
	COLUMN_SAMPLES,
	COLUMN_WITHOUT_STACK,
	COLUMN_WEIGHT,
	COLUMNS
};

static const struct {
	const char *head;
	bool right; /* numbers */
} columns[COLUMNS] = {
	[COLUMN_NAME] = { "event", false },
	[COLUMN_FAMILY] = { "family", false },
	[COLUMN_SAMPLES] = { "samples", true },
	[COLUMN_WITHOUT_STACK] = { "without stack", true },
	[COLUMN_WEIGHT] = { "weight", true },
};

/* Appends the value of a column, or its head if e is NULL. */
static void listing_put_column(struct text *out, const struct profile *p,
			       const char *family, const struct event *e,
			       size_t column)
{
	const char *name;

	if (!e) {
		text_puts(out, columns[column].head);
		return;
	}
	switch (column) {
	case COLUMN_NAME:
		name = profile_text(p, e->name);
		safe_text(out, name, strlen(name));
		break;
	case COLUMN_FAMILY:
		text_puts(out, family ? family : "");
		break;
	case COLUMN_SAMPLES:
		text_printf(out, "%" PRIu64, e->samples);
		break;
	case COLUMN_WITHOUT_STACK:
		text_printf(out, "%" PRIu64, e->without_stack);
		break;
	default:
		/* JFR's settings and statistics have no duration. */
		if (!e->weight && e->unit == UNIT_NS)
			text_puts(out, "-");
		else
			text_printf(out, "%" PRIu64 " %s", e->weight,
				    unit_names[e->unit]);
	}
}

/* Appends a line of COLUMNS texts, padded to the widths. */
static void listing_put_line(struct text *out, const struct text *texts,
			     const size_t *widths)
{
	size_t len;

	for (size_t i = 0; i < COLUMNS; i++) {
		size_t blanks = widths[i] -
				text_width(texts[i].bytes, texts[i].len);

		if (i)
			text_spaces(out, 2);
		if (columns[i].right)
			text_spaces(out, blanks);
		text_add(out, texts[i].bytes ? texts[i].bytes : "",
			 texts[i].len);
		if (!columns[i].right)
			text_spaces(out, blanks);
	}
	for (len = out->len; len && out->bytes[len - 1] == ' '; len--)
		;
	out->len = len;
	text_putc(out, '\n');
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
	size_t lines = p->event_count + 1;
	struct text *texts = xcalloc(lines * COLUMNS, sizeof(*texts));
	struct row *order = listing_by_samples(p);
	size_t widths[COLUMNS] = { 0 };
	struct text table = { 0 };
	const char **families = families_of(p);

	for (size_t i = 0; i < lines * COLUMNS; i++) {
		size_t line = i / COLUMNS, column = i % COLUMNS;
		uint32_t event = line ? order[line - 1].item : 0;

		listing_put_column(&texts[i], p, line ? families[event] : NULL,
				   line ? &p->events[event] : NULL, column);
		if (text_width(texts[i].bytes, texts[i].len) > widths[column])
			widths[column] = text_width(texts[i].bytes,
						    texts[i].len);
	}
	for (size_t line = 0; line < lines; line++)
		listing_put_line(&table, texts + line * COLUMNS, widths);
	listing_put_tables(&table, p);
	output_write(out, table.bytes, table.len);
	for (size_t i = 0; i < lines * COLUMNS; i++)
		text_release(&texts[i]);
	text_release(&table);
	free(texts);
	free(order);
	free(families);
}

void listing_events_json(struct output *out, const struct profile *p)
{
	struct row *order = listing_by_samples(p);
	struct text text = { 0 };
	struct json j = json_into(&text);

	json_open_object(&j);
	json_add_text(&j, "schema", "sjkc.events/1");
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
	json_close_object(&j);
	text_putc(&text, '\n');
	output_write(out, text.bytes, text.len);
	text_release(&text);
	free(order);
}
