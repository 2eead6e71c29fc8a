/* SPDX-License-Identifier: Apache-2.0 */
/* mx --get: prints attributes of MBeans as text, JSON and CSV. */
#include "cmd/jmx/mx.h"

#include "cmd/jmx/jmx_target.h"
#include "cmd/jmx/mx_fields.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/safe_text.h"
#include "jmx_http/jmx_read.h"
#include "render/text/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Attributes as one table of CSV.
 *
 * A composite is one row. A table or an array of composites has one row for
 * each element. Any other value is one cell of the column Value. The columns
 * are the union of the columns of all rows.
 */

/* A zeroed struct is an empty table. */
struct mx_csv {
	struct intern columns; /* names; id - 1 is the column's number */
	struct mx_csv_row *rows;
	size_t count, cap;
};

#define COLUMNS_MAX 4096 /* further columns are dropped */

/* The first columns of every table, named as in SJK. */
static const char *const heads[] = { "MBean", "Attribute" };

enum { HEADS = sizeof(heads) / sizeof(*heads) };

struct mx_csv_row {
	struct text *cells; /* by column; missing cells are empty */
	size_t count;
};

/* Returns the number of a column, which it adds if necessary. */
static size_t csv_column_of(struct mx_csv *c, const char *name)
{
	/* With the NUL: intern_id() accepts no empty name. */
	return intern_id(&c->columns, name, strlen(name) + 1) - 1;
}

static struct mx_csv_row *csv_add_row(struct mx_csv *c)
{
	array_reserve(c->rows, c->cap, c->count + 1);
	c->rows[c->count] = (struct mx_csv_row){ 0 };
	return &c->rows[c->count++];
}

static struct text *csv_cell(struct mx_csv_row *row, size_t column)
{
	size_t cap = row->count;

	if (column >= row->count) {
		array_reserve(row->cells, cap, column + 1);
		while (row->count <= column)
			row->cells[row->count++] = (struct text){ 0 };
	}
	return &row->cells[column];
}

static struct mx_csv_row *csv_begin_row(struct mx_csv *c, const char *object,
					const char *key)
{
	struct mx_csv_row *row;

	for (int i = 0; i < HEADS; i++)
		csv_column_of(c, heads[i]);
	row = csv_add_row(c);
	text_puts(csv_cell(row, 0), object);
	text_puts(csv_cell(row, 1), key);
	return row;
}

static void csv_put_cell(struct mx_csv *c, struct mx_csv_row *row,
			 const char *name, const struct value *v)
{
	size_t column = csv_column_of(c, name);

	if (column < COLUMNS_MAX && !csv_cell(row, column)->len)
		value_cell(csv_cell(row, column), v);
}

static bool csv_has_members(const struct value *v)
{
	return v->kind == VALUE_COMPOSITE || v->kind == VALUE_OBJECT;
}

/* Adds one row: the members of the table's index first, then the others. */
static void csv_add_members(struct mx_csv *c, const char *object,
			    const char *key, const struct value *v,
			    const struct value *table)
{
	struct mx_csv_row *row = csv_begin_row(c, object, key);

	for (size_t i = 0; table && i < table->table.index_count; i++) {
		const char *name = table->table.index[i];
		const struct value *member = value_member(v, name);

		if (member)
			csv_put_cell(c, row, name, member);
	}
	for (size_t i = 0; i < v->members.count; i++) {
		const char *name = v->members.at[i].name;

		/* csv_put_cell() skips cells that the index filled. */
		csv_put_cell(c, row, name, v->members.at[i].value);
	}
}

/* Elements may be null, as for threads that ended; they have no row. */
static bool csv_is_table(const struct value *v)
{
	static const char
		composites[] = "[Ljavax.management.openmbean.CompositeData;";
	bool has_composite = false;

	if (v->kind != VALUE_ARRAY)
		return v->kind == VALUE_TABULAR;
	for (size_t i = 0; i < v->list.count; i++) {
		if (v->list.at[i]->kind == VALUE_COMPOSITE)
			has_composite = true;
		else if (v->list.at[i]->kind != VALUE_NULL)
			return false;
	}
	return has_composite || strcmp(v->type, composites) == 0;
}

static void csv_add(struct mx_csv *c, const char *object, const char *key,
		    const struct value *v)
{
	bool tabular = v->kind == VALUE_TABULAR;
	const struct value *const *rows;
	size_t count;

	if (csv_is_table(v)) {
		rows = tabular ? v->table.rows : v->list.at;
		count = tabular ? v->table.row_count : v->list.count;
		for (size_t i = 0; i < count; i++) {
			if (csv_has_members(rows[i]))
				csv_add_members(c, object, key, rows[i],
						tabular ? v : NULL);
		}
	} else if (csv_has_members(v)) {
		csv_add_members(c, object, key, v, NULL);
	} else {
		csv_put_cell(c, csv_begin_row(c, object, key), "Value", v);
	}
}

/* Printed columns: their heads and their numbers in a row. */
struct shown {
	struct table_column *columns;
	size_t *from;
	size_t count, cap;
};

static void csv_show(struct shown *s, const char *name, size_t from)
{
	size_t cap = s->cap;

	array_reserve(s->columns, cap, s->count + 1);
	array_reserve(s->from, s->cap, s->count + 1);
	s->columns[s->count].head = name;
	s->columns[s->count].right = false;
	s->from[s->count++] = from;
}

/* Each value of --col-list may hold several names: "a,b". */
static void csv_show_wanted(struct shown *s, const struct mx_csv *c,
			    const struct option_list *wanted, struct arena *a)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const char *at = wanted->values[i];

		while (*at) {
			size_t len = strcspn(at, ",");
			const char *name = arena_copy(a, at, len);
			uint32_t id = intern_find(&c->columns, name, len + 1);

			if (len) /* an unknown column is empty, as in SJK */
				csv_show(s, name, id ? id - 1 : SIZE_MAX);
			at += len + (at[len] == ',');
		}
	}
}

static void csv_fill(const struct mx_csv *c, const struct shown *s,
		     bool to_terminal, struct table *table)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct mx_csv_row *row = &c->rows[i];

		for (size_t k = 0; k < s->count; k++) {
			struct text *to = table_cell(table);
			size_t from = s->from[k];

			/* An empty cell may have no bytes pointer. */
			if (from < row->count && row->cells[from].len)
				(to_terminal ? safe_text : text_add)(
					to, row->cells[from].bytes,
					row->cells[from].len);
		}
	}
}

/* Column names are foreign text. */
static void csv_make_safe(struct shown *s, struct arena *a)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *head = s->columns[i].head;
		struct text safe = { 0 };

		text_puts(&safe, "");
		safe_text_puts(&safe, head);
		s->columns[i].head = arena_copy(a, safe.bytes, safe.len);
		text_release(&safe);
	}
}

static void csv_write(const struct mx_csv *c, const struct option_list *wanted,
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
	csv_show_wanted(&s, c, wanted, &names);
	for (size_t i = add_name ? 0 : HEADS; !wanted->count && i < count; i++)
		csv_show(&s, intern_text(&c->columns, (uint32_t)i + 1), i);
	if (to_terminal)
		csv_make_safe(&s, &names);
	table.columns = s.columns;
	table.column_count = s.count;
	if (s.count) {
		csv_fill(c, &s, to_terminal, &table);
		table_csv(&table, out);
	}
	table_release(&table);
	arena_release(&names);
	free(s.columns);
	free(s.from);
}

static void csv_release(struct mx_csv *c)
{
	for (size_t i = 0; i < c->count; i++) {
		for (size_t k = 0; k < c->rows[i].count; k++)
			text_release(&c->rows[i].cells[k]);
		free(c->rows[i].cells);
	}
	free(c->rows);
	intern_release(&c->columns);
}

/* Attributes as text, JSON or CSV */

#define INDENT 4

/* The functions of one output format; NULL: nothing to do. */
struct get;

struct get_format {
	void (*begin)(struct get *g, const char *object);
	void (*put)(struct get *g, const char *object,
		    const struct mx_column *c, const struct value *v);
	void (*failed)(struct get *g, const char *why);
	void (*end)(struct get *g);
};

struct get {
	struct mx *mx;
	const struct get_format *format;
	struct mx_fields fields;
	struct text text; /* not written yet */
	struct json json;
	struct mx_csv csv;
	size_t beans;  /* number of MBeans so far */
	size_t failed; /* of these, without attributes or a description */
};

static void get_begin_text(struct get *g, const char *object)
{
	if (g->mx->opt->quiet)
		return;
	if (g->beans > 1)
		text_putc(&g->text, '\n');
	safe_text_puts(&g->text, object);
	text_putc(&g->text, '\n');
}

/* Like SJK, prints a value of several lines below its name. */
static void get_put_text(struct get *g, const char *object,
			 const struct mx_column *c, const struct value *v)
{
	bool quiet = g->mx->opt->quiet;
	unsigned indent = quiet ? 0 : 2 * INDENT;
	struct text printed = { 0 };
	bool lines;

	(void)object;
	text_puts(&printed, "");
	value_print(&printed, v, indent, g->mx->opt->width);
	lines = memchr(printed.bytes, '\n', printed.len);
	if (!quiet) {
		text_printf(&g->text, "%*s", INDENT, "");
		safe_text_puts(&g->text, c->key);
		text_puts(&g->text, lines ? "\n        " : " ");
	}
	text_add(&g->text, printed.bytes, printed.len);
	while (g->text.len && g->text.bytes[g->text.len - 1] == ' ')
		g->text.len--;
	text_putc(&g->text, '\n');
	text_release(&printed);
}

static void get_failed_text(struct get *g, const char *why)
{
	text_printf(&g->text, "%*s", g->mx->opt->quiet ? 0 : INDENT, "");
	safe_text_puts(&g->text, why);
	text_putc(&g->text, '\n');
}

static void get_begin_json(struct get *g, const char *object)
{
	if (g->mx->opt->json_array && g->beans > 1)
		text_putc(&g->text, '\n');
	else if (!g->mx->opt->json_array)
		g->json = json_into(&g->text);
	json_open_object(&g->json);
	if (g->mx->opt->add_name) {
		json_add_text(&g->json, "MBean", object);
	}
}

static void get_put_json(struct get *g, const char *object,
			 const struct mx_column *c, const struct value *v)
{
	(void)object;
	json_foreign_key(&g->json, c->key);
	value_json(&g->json, v);
}

static void get_failed_json(struct get *g, const char *why)
{
	json_add_text(&g->json, "$error", why);
}

static void get_end_json(struct get *g)
{
	json_close_object(&g->json);
	if (!g->mx->opt->json_array)
		text_putc(&g->text, '\n');
}

static void get_put_csv(struct get *g, const char *object,
			const struct mx_column *c, const struct value *v)
{
	csv_add(&g->csv, object, c->key, v);
}

static const struct get_format get_as_text = {
	.begin = get_begin_text,
	.put = get_put_text,
	.failed = get_failed_text,
};
static const struct get_format get_as_json = {
	.begin = get_begin_json,
	.put = get_put_json,
	.failed = get_failed_json,
	.end = get_end_json,
};
static const struct get_format get_as_csv = {
	.put = get_put_csv,
};

static const char *const *get_choose(void *self, const char *object,
				     const struct jmx_info *info,
				     struct arena *a, size_t *count,
				     const void **note, struct error *err)
{
	struct get *g = self;
	struct mx_columns *columns = arena_alloc(a, sizeof(*columns));
	const char **names;

	(void)object;
	(void)err;
	*columns = mx_fields_of(&g->fields, info, a);
	*note = columns;
	/* Request an attribute once even if several parts are printed. */
	names = arena_alloc(a, columns->count * sizeof(*names));
	*count = 0;
	for (size_t i = 0; i < columns->count; i++) {
		const char *name = columns->at[i].attribute;

		if (i == 0 || strcmp(names[*count - 1], name) != 0)
			names[(*count)++] = name;
	}
	return names;
}

/* Without a description, exact names are attributes up to the first dot. */
static const char *const *get_choose_unseen(void *self, struct arena *a,
					    size_t *count, const void **note)
{
	struct get *g = self;
	struct mx_columns *columns = arena_alloc(a, sizeof(*columns));
	struct jmx_info info = { .class = "", .description = "" };
	struct jmx_feature *features = arena_alloc(
		a, (g->fields.count + 1) * sizeof(*features));

	for (size_t i = 0; i < g->fields.count; i++) {
		const char *name = g->fields.at[i].text;

		if (g->fields.at[i].pattern)
			return NULL;
		features[info.attribute_count++] = (struct jmx_feature){
			.name = arena_copy(a, name, strcspn(name, ".")),
			.type = "",
			.description = "",
			.readable = true,
		};
	}
	info.attributes = features;
	return info.attribute_count ? get_choose(g, NULL, &info, a, count, note,
						 error_unused())
				    : NULL;
}

/* Returns the attribute or its part; sets and returns none without one. */
static const struct value *get_find_value(const struct jmx_bean *bean,
					  const struct mx_column *c,
					  struct value *none)
{
	static const char why[] = "no such part";
	static const char lost[] = "the JVM returned no value";
	const struct value *v = value_member(bean->values, c->attribute);

	if (v && c->path && v->kind != VALUE_ERROR) {
		v = value_path(v, c->path);
		none->text = (struct value_text){ why, sizeof(why) - 1 };
	} else if (!v) {
		none->text = (struct value_text){ lost, sizeof(lost) - 1 };
	}
	return v ? v : none;
}

static void get_report_failure(struct get *g, const struct jmx_bean *bean,
			       const struct mx_column *c, const struct value *v)
{
	const struct value *whole = value_member(bean->values, c->attribute);
	struct text hint = { 0 };

	text_puts(&hint, "");
	if (whole && c->path && whole->kind != VALUE_ERROR)
		mx_part_hint(whole, c->path, &hint);
	mx_failed(g->mx,
		  jmx_value_error_kind(v) == ERROR_PERMISSION ? ERROR_PERMISSION
							      : ERROR_REFUSED,
		  "%s: %s: %s%s", bean->name, c->key, value_text_of(v),
		  hint.bytes);
	text_release(&hint);
}

static void get_put_columns(struct get *g, const struct jmx_bean *bean)
{
	const struct mx_columns *columns = bean->note;
	struct value none = { .kind = VALUE_ERROR, .type = "" };

	for (size_t i = 0; columns && i < columns->count; i++) {
		const struct mx_column *c = &columns->at[i];
		const struct value *v = get_find_value(bean, c, &none);

		g->format->put(g, bean->name, c, v);
		g->mx->had++;
		/* Some attributes always fail; report those that -f named. */
		if (v->kind == VALUE_ERROR && (c->was_named || bean->was_lost))
			get_report_failure(g, bean, c, v);
	}
}

static int get_take_bean(void *self, const struct jmx_bean *bean,
			 struct error *err)
{
	struct get *g = self;
	const struct mx_columns *columns = bean->note;

	/* With -all, skip MBeans that have none of the attributes. */
	if (!bean->failure && g->fields.count && columns->count == 0)
		return 0;
	g->beans++;
	if (g->format->begin)
		g->format->begin(g, bean->name);
	if (bean->failure) {
		g->failed++;
		g->mx->had++;
		if (g->format->failed)
			g->format->failed(g, bean->failure);
		/* A JVM may return an invalid name: no misuse of sjkc. */
		mx_failed(g->mx,
			  bean->kind == ERROR_MISUSE ? ERROR_REFUSED
						     : bean->kind,
			  "%s: %s", bean->name, bean->failure);
	} else {
		get_put_columns(g, bean);
	}
	if (g->format->end)
		g->format->end(g);
	return mx_flush(g->mx, &g->text, err);
}

static void get_finish(struct get *g)
{
	const struct mx_options *o = g->mx->opt;

	if (o->json_array) {
		text_putc(&g->text, '\n');
		json_close_array(&g->json);
		text_putc(&g->text, '\n');
	}
	if (o->csv)
		csv_write(&g->csv, &o->columns, o->add_name,
			  isatty(STDOUT_FILENO) == 1, &g->text);
}

/* Reads the MBeans of a value of -b. */
static int get_read_group(struct get *g, const struct mx_group *of,
			  struct error *err)
{
	const struct jmx_reader reader = { get_choose, get_take_bean, g,
					   get_choose_unseen };
	int ret;

	mx_fields_release(&g->fields);
	ret = mx_fields_init(&g->fields, &of->fields, err);
	if (ret == 0)
		ret = jmx_read(g->mx->jmx, of->names, of->count, &reader, err);
	if (ret && g->beans) {
		mx_failed(g->mx, ERROR_PARTIAL, "%s", err->text);
		err->kind = ERROR_PARTIAL;
	}
	/* The attribute may be in an MBean that cannot be read. */
	if (ret == 0 && !g->failed &&
	    (ret = mx_fields_check(&g->fields, of->bean, err)) &&
	    err->kind == ERROR_NO_TARGET &&
	    jmx_client_check_limits(error_unused()))
		fail(err, ERROR_PARTIAL,
		     "%s: the truncated list of attributes lacks one of -f",
		     of->bean);
	return ret;
}

int mx_get(struct mx *m, struct error *err)
{
	const struct mx_options *o = m->opt;
	struct get g = {
		.mx = m,
		.format = o->csv                     ? &get_as_csv
			  : o->json || o->json_array ? &get_as_json
						     : &get_as_text,
	};
	int ret = 0;

	g.json = json_into(&g.text);
	if (o->json_array) {
		json_open_array(&g.json);
		text_putc(&g.text, '\n');
	}
	for (size_t i = 0; ret == 0 && i < m->group_count; i++)
		ret = get_read_group(&g, &m->groups[i], err);
	/* After a failure, print the values so far as valid JSON. */
	if (ret == 0 || g.beans) {
		get_finish(&g);
		if (mx_flush(m, &g.text, ret ? error_unused() : err))
			ret = -1;
	}
	mx_fields_release(&g.fields);
	csv_release(&g.csv);
	text_release(&g.text);
	return ret;
}
