/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of MBeans, as text, JSON and CSV. */
#include "cmd/jmx/mx.h"

#include "cmd/jmx/mx_csv.h"
#include "cmd/jmx/mx_fields.h"
#include "core/base/safe_text.h"
#include "jmx_http/jmx_read.h"

#include <string.h>
#include <unistd.h>

#define INDENT 4

/* One writer for each format; NULL members have nothing to do. */
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
	struct text text; /* not yet written */
	struct json json;
	struct mx_csv csv;
	size_t beans; /* begun */
};

static void begin_text(struct get *g, const char *object)
{
	if (g->mx->opt->quiet)
		return;
	if (g->beans > 1)
		text_putc(&g->text, '\n');
	safe_text(&g->text, object, strlen(object));
	text_putc(&g->text, '\n');
}

/* As SJK: what takes several lines stands below its name. */
static void put_text(struct get *g, const char *object,
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
		safe_text(&g->text, c->key, strlen(c->key));
		text_puts(&g->text, lines ? "\n        " : " ");
	}
	text_add(&g->text, printed.bytes, printed.len);
	while (g->text.len && g->text.bytes[g->text.len - 1] == ' ')
		g->text.len--;
	text_putc(&g->text, '\n');
	text_release(&printed);
}

static void failed_text(struct get *g, const char *why)
{
	text_printf(&g->text, "%*s", g->mx->opt->quiet ? 0 : INDENT, "");
	safe_text(&g->text, why, strlen(why));
	text_putc(&g->text, '\n');
}

static void begin_json(struct get *g, const char *object)
{
	if (g->mx->opt->json_array && g->beans > 1)
		text_putc(&g->text, '\n');
	else if (!g->mx->opt->json_array)
		g->json = json_into(&g->text);
	json_open_object(&g->json);
	if (g->mx->opt->add_name) {
		json_key(&g->json, "MBean");
		json_text(&g->json, object);
	}
}

static void put_json(struct get *g, const char *object,
		     const struct mx_column *c, const struct value *v)
{
	(void)object;
	json_foreign_key(&g->json, c->key);
	value_json(&g->json, v);
}

static void failed_json(struct get *g, const char *why)
{
	json_key(&g->json, "$error");
	json_text(&g->json, why);
}

static void end_json(struct get *g)
{
	json_close_object(&g->json);
	if (!g->mx->opt->json_array)
		text_putc(&g->text, '\n');
}

static void put_csv(struct get *g, const char *object,
		    const struct mx_column *c, const struct value *v)
{
	mx_csv_add(&g->csv, object, c->key, v);
}

static const struct get_format as_text = {
	.begin = begin_text,
	.put = put_text,
	.failed = failed_text,
};
static const struct get_format as_json = {
	.begin = begin_json,
	.put = put_json,
	.failed = failed_json,
	.end = end_json,
};
static const struct get_format as_csv = {
	.put = put_csv,
};

static const char *const *choose(void *self, const char *object,
				 const struct jmx_info *info, struct arena *a,
				 size_t *count, const void **note,
				 struct error *err)
{
	struct get *g = self;
	struct mx_columns *columns = arena_alloc(a, sizeof(*columns));
	const char **names;

	(void)object;
	(void)err;
	*columns = mx_fields_of(&g->fields, info, a);
	*note = columns;
	/* An attribute of which several parts are wanted is asked for once. */
	names = arena_alloc(a, columns->count * sizeof(*names));
	*count = 0;
	for (size_t i = 0; i < columns->count; i++) {
		const char *name = columns->at[i].attribute;

		if (i == 0 || strcmp(names[*count - 1], name) != 0)
			names[(*count)++] = name;
	}
	return names;
}

/* The attribute, or its part; an error when there is no such part. */
static const struct value *find_value(const struct jmx_bean *bean,
				      const struct mx_column *c,
				      struct value *none)
{
	static const char why[] = "it has no such part";
	static const char lost[] = "it did not come";
	const struct value *v = value_member(bean->values, c->attribute);

	if (v && c->path && v->kind != VALUE_ERROR) {
		v = value_path(v, c->path);
		none->text = (struct value_text){ why, sizeof(why) - 1 };
	} else if (!v) {
		none->text = (struct value_text){ lost, sizeof(lost) - 1 };
	}
	return v ? v : none;
}

static void put_columns(struct get *g, const struct jmx_bean *bean)
{
	const struct mx_columns *columns = bean->note;
	struct value none = { .kind = VALUE_ERROR, .type = "" };

	for (size_t i = 0; columns && i < columns->count; i++) {
		const struct mx_column *c = &columns->at[i];
		const struct value *v = find_value(bean, c, &none);

		g->format->put(g, bean->name, c, v);
		g->mx->had++;
		/* Of those that were not named, some always fail. */
		if (v->kind == VALUE_ERROR && c->was_named)
			mx_failed(g->mx, ERROR_REFUSED, "%s: %s: %s",
				  bean->name, c->key, value_text_of(v));
	}
}

static int take(void *self, const struct jmx_bean *bean, struct error *err)
{
	struct get *g = self;
	const struct mx_columns *columns = bean->note;

	/* With -all, MBeans that have none of the attributes are others. */
	if (!bean->failure && g->fields.count && columns->count == 0)
		return 0;
	g->beans++;
	if (g->format->begin)
		g->format->begin(g, bean->name);
	if (bean->failure) {
		g->mx->had++;
		if (g->format->failed)
			g->format->failed(g, bean->failure);
		/* What the JVM calls a name may be none: not our misuse. */
		mx_failed(g->mx,
			  bean->kind == ERROR_MISUSE ? ERROR_REFUSED
						     : bean->kind,
			  "%s: %s", bean->name, bean->failure);
	} else {
		put_columns(g, bean);
	}
	if (g->format->end)
		g->format->end(g);
	return mx_flush(g->mx, &g->text, err);
}

static void end_all(struct get *g)
{
	const struct mx_options *o = g->mx->opt;

	if (o->json_array) {
		text_putc(&g->text, '\n');
		json_close_array(&g->json);
		text_putc(&g->text, '\n');
	}
	if (o->csv)
		mx_csv_write(&g->csv, &o->columns, o->add_name,
			     isatty(STDOUT_FILENO) == 1, &g->text);
}

int mx_get(struct mx *m, struct error *err)
{
	const struct mx_options *o = m->opt;
	struct get g = {
		.mx = m,
		.format = o->csv                     ? &as_csv
			  : o->json || o->json_array ? &as_json
						     : &as_text,
	};
	const struct jmx_reader reader = { choose, take, &g };
	struct error unused;
	int ret = mx_fields_init(&g.fields, &o->fields, err);

	if (ret)
		goto out;
	g.json = json_into(&g.text);
	if (o->json_array) {
		json_open_array(&g.json);
		text_putc(&g.text, '\n');
	}
	ret = jmx_read(m->jmx, m->names, m->count, &reader, err);
	if (ret && g.beans) {
		mx_failed(m, ERROR_PARTIAL, "%s", err->text);
		err->kind = ERROR_PARTIAL;
	}
	if (ret == 0)
		ret = mx_fields_check(&g.fields, o->bean, err);
	/* What there is is worth having, and JSON that ends. */
	if (ret == 0 || g.beans) {
		end_all(&g);
		if (mx_flush(m, &g.text, ret ? &unused : err))
			ret = -1;
	}
out:
	mx_fields_release(&g.fields);
	mx_csv_release(&g.csv);
	text_release(&g.text);
	return ret;
}
