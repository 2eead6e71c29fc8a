/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mx_csv.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "render/text/table.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 4096 /* of all; others are left out */

/* The first columns of every table; SJK calls them so. */
static const char *const heads[] = { "MBean", "Attribute" };

enum { HEADS = sizeof(heads) / sizeof(*heads) };

struct mx_csv_row {
	struct text *cells; /* by column; those missing are empty */
	size_t count;
};

/* The number of a column, which is new or not. */
static size_t column_of(struct mx_csv *c, const char *name)
{
	/* The NUL too, so that no name is empty. */
	return intern_id(&c->columns, name, strlen(name) + 1) - 1;
}

static struct mx_csv_row *add_row(struct mx_csv *c)
{
	array_reserve(c->rows, c->cap, c->count + 1);
	c->rows[c->count] = (struct mx_csv_row){ 0 };
	return &c->rows[c->count++];
}

static struct text *cell(struct mx_csv_row *row, size_t column)
{
	size_t cap = row->count;

	if (column >= row->count) {
		array_reserve(row->cells, cap, column + 1);
		while (row->count <= column)
			row->cells[row->count++] = (struct text){ 0 };
	}
	return &row->cells[column];
}

static struct mx_csv_row *begin_row(struct mx_csv *c, const char *object,
				    const char *key)
{
	struct mx_csv_row *row;

	for (int i = 0; i < HEADS; i++)
		column_of(c, heads[i]);
	row = add_row(c);
	text_puts(cell(row, 0), object);
	text_puts(cell(row, 1), key);
	return row;
}

static void put_cell(struct mx_csv *c, struct mx_csv_row *row, const char *name,
		     const struct value *v)
{
	size_t column = column_of(c, name);

	if (column < COLUMNS_MAX && !cell(row, column)->len)
		value_cell(cell(row, column), v);
}

static bool has_members(const struct value *v)
{
	return v->kind == VALUE_COMPOSITE || v->kind == VALUE_OBJECT;
}

/* One row of the members; first those of the index, when there is one. */
static void add_members(struct mx_csv *c, const char *object, const char *key,
			const struct value *v, const struct value *table)
{
	struct mx_csv_row *row = begin_row(c, object, key);

	for (size_t i = 0; table && i < table->table.index_count; i++) {
		const char *name = table->table.index[i];
		const struct value *member = value_member(v, name);

		if (member)
			put_cell(c, row, name, member);
	}
	for (size_t i = 0; i < v->members.count; i++) {
		const char *name = v->members.at[i].name;

		/* Only the first of the name, which is the index's. */
		put_cell(c, row, name, v->members.at[i].value);
	}
}

/* Some may be null, as those of threads that ended; of none there is no row. */
static bool is_table(const struct value *v)
{
	static const char
		composites[] = "[Ljavax.management.openmbean.CompositeData;";
	bool some = false;

	if (v->kind != VALUE_ARRAY)
		return v->kind == VALUE_TABULAR;
	for (size_t i = 0; i < v->list.count; i++) {
		if (v->list.at[i]->kind == VALUE_COMPOSITE)
			some = true;
		else if (v->list.at[i]->kind != VALUE_NULL)
			return false;
	}
	return some || strcmp(v->type, composites) == 0;
}

void mx_csv_add(struct mx_csv *c, const char *object, const char *key,
		const struct value *v)
{
	bool tabular = v->kind == VALUE_TABULAR;
	const struct value *const *rows;
	size_t count;

	if (is_table(v)) {
		rows = tabular ? v->table.rows : v->list.at;
		count = tabular ? v->table.row_count : v->list.count;
		for (size_t i = 0; i < count; i++) {
			if (has_members(rows[i]))
				add_members(c, object, key, rows[i],
					    tabular ? v : NULL);
		}
	} else if (has_members(v)) {
		add_members(c, object, key, v, NULL);
	} else {
		put_cell(c, begin_row(c, object, key), "Value", v);
	}
}

/* Columns that are shown: their names, and where in a row they are. */
struct shown {
	struct table_column *columns;
	size_t *from;
	size_t count, cap;
};

static void show(struct shown *s, const char *name, size_t from)
{
	size_t cap = s->cap;

	array_reserve(s->columns, cap, s->count + 1);
	array_reserve(s->from, s->cap, s->count + 1);
	s->columns[s->count].head = name;
	s->columns[s->count].right = false;
	s->from[s->count++] = from;
}

/* "a,b c": several names in each of the option's values. */
static void show_wanted(struct shown *s, const struct mx_csv *c,
			const struct option_list *wanted, struct arena *a)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const char *at = wanted->values[i];

		while (*at) {
			size_t len = strcspn(at, ",");
			const char *name = arena_copy(a, at, len);
			uint32_t id = intern_find(&c->columns, name, len + 1);

			if (len) /* what nothing has is empty, as SJK has it */
				show(s, name, id ? id - 1 : SIZE_MAX);
			at += len + (at[len] == ',');
		}
	}
}

static void put_text(struct text *to, const char *bytes, size_t len,
		     bool to_terminal)
{
	if (len) /* else there may be no bytes at all */
		(to_terminal ? safe_text : text_add)(to, bytes, len);
}

static void fill(const struct mx_csv *c, const struct shown *s,
		 bool to_terminal, struct table *table)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct mx_csv_row *row = &c->rows[i];

		for (size_t k = 0; k < s->count; k++) {
			struct text *to = table_cell(table);
			size_t from = s->from[k];

			if (from < row->count)
				put_text(to, row->cells[from].bytes,
					 row->cells[from].len, to_terminal);
		}
	}
}

/* A name of a column is foreign, too. */
static void make_safe(struct shown *s, struct arena *a)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *head = s->columns[i].head;
		struct text safe = { 0 };

		text_puts(&safe, "");
		safe_text(&safe, head, strlen(head));
		s->columns[i].head = arena_copy(a, safe.bytes, safe.len);
		text_release(&safe);
	}
}

void mx_csv_write(const struct mx_csv *c, const struct option_list *wanted,
		  bool add_name, bool to_terminal, struct text *out)
{
	size_t count = c->columns.count;
	struct shown s = { 0 };
	struct table table = { 0 };
	struct arena names = { 0 };

	if (c->count == 0)
		return;
	if (count > COLUMNS_MAX)
		count = COLUMNS_MAX;
	show_wanted(&s, c, wanted, &names);
	for (size_t i = add_name ? 0 : HEADS; !wanted->count && i < count; i++)
		show(&s, intern_text(&c->columns, (uint32_t)i + 1), i);
	if (to_terminal)
		make_safe(&s, &names);
	table.columns = s.columns;
	table.column_count = s.count;
	if (s.count) {
		fill(c, &s, to_terminal, &table);
		table_csv(&table, out);
	}
	table_release(&table);
	arena_release(&names);
	free(s.columns);
	free(s.from);
}

void mx_csv_release(struct mx_csv *c)
{
	for (size_t i = 0; i < c->count; i++) {
		for (size_t k = 0; k < c->rows[i].count; k++)
			text_release(&c->rows[i].cells[k]);
		free(c->rows[i].cells);
	}
	free(c->rows);
	intern_release(&c->columns);
}
