/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a value as JSON; a dialect writes the types that JSON lacks. */
#include "jmx_http/value/value.h"

/* Nesting at which values are truncated; json supports 64 levels. */
#define JSON_DEPTH_MAX 60

static void value_json_real(struct json *j, const struct value *v)
{
	struct text t = { 0 };

	value_add_real(&t, v);
	json_number(j, t.bytes);
	text_release(&t);
}

static void value_json_date(struct json *j, int64_t ms)
{
	struct text t = { 0 };

	value_add_date(&t, ms);
	json_string(j, t.bytes, t.len);
	text_release(&t);
}

static void value_json_list(struct json *j, const struct value_dialect *d,
			    const struct value *const *at, size_t count)
{
	json_open_array(j);
	for (size_t i = 0; i < count; i++)
		value_json_as(j, d, at[i]);
	json_close_array(j);
}

static void value_json_members(struct json *j, const struct value_dialect *d,
			       const struct value *v)
{
	for (size_t i = 0; i < v->members.count; i++) {
		json_foreign_key(j, v->members.at[i].name);
		value_json_as(j, d, v->members.at[i].value);
	}
}

/* Each nested value opens a level of j, so JSON_DEPTH_MAX ends the recursion.
 */
void value_json_as(struct json *j, const struct value_dialect *d,
		   const struct value *v)
{
	static const struct value deep = {
		.kind = VALUE_CUT,
		.type = "",
		.text = { "too deep", sizeof("too deep") - 1 },
	};

	if (j->depth >= JSON_DEPTH_MAX)
		v = &deep;
	switch (v->kind) {
	case VALUE_NULL:
		json_null(j);
		break;
	case VALUE_BOOLEAN:
		json_bool(j, v->integer);
		break;
	case VALUE_INTEGER:
		json_int(j, v->integer);
		break;
	case VALUE_REAL:
		value_json_real(j, v);
		break;
	case VALUE_STRING:
	case VALUE_ENUM:
		json_string(j, v->text.at, v->text.len);
		break;
	case VALUE_DATE:
		value_json_date(j, v->integer);
		break;
	case VALUE_ARRAY:
		value_json_list(j, d, v->list.at, v->list.count);
		break;
	case VALUE_COMPOSITE:
		json_open_object(j);
		value_json_members(j, d, v);
		json_close_object(j);
		break;
	case VALUE_NUMBER:
		d->number(j, d, v);
		break;
	case VALUE_NAME:
		d->name(j, d, v);
		break;
	case VALUE_TABULAR:
		d->table(j, d, v);
		break;
	case VALUE_MAP:
		d->map(j, d, v);
		break;
	case VALUE_OBJECT:
		d->object(j, d, v);
		break;
	case VALUE_ERROR:
		d->error(j, d, v);
		break;
	case VALUE_CUT:
		d->cut(j, d, v);
		break;
	}
}

/* The dialect of mx and mxdump */

static void mx_table(struct json *j, const struct value_dialect *d,
		     const struct value *v)
{
	value_json_list(j, d, v->table.rows, v->table.row_count);
}

static bool mx_has_text_keys(const struct value *map)
{
	for (size_t i = 0; i < map->map.count; i++) {
		enum value_kind kind = map->map.at[i].key->kind;

		if (kind != VALUE_STRING && kind != VALUE_NAME &&
		    kind != VALUE_ENUM)
			return false;
	}
	return true;
}

static void mx_pair(struct json *j, const struct value_dialect *d,
		    const struct value_pair *pair)
{
	json_open_object(j);
	json_key(j, "key");
	value_json_as(j, d, pair->key);
	json_key(j, "value");
	value_json_as(j, d, pair->value);
	json_close_object(j);
}

static void mx_map(struct json *j, const struct value_dialect *d,
		   const struct value *v)
{
	bool is_object = mx_has_text_keys(v);

	(is_object ? json_open_object : json_open_array)(j);
	for (size_t i = 0; i < v->map.count; i++) {
		const struct value_pair *pair = &v->map.at[i];

		if (is_object) {
			json_foreign_key(j, pair->key->text.at);
			value_json_as(j, d, pair->value);
		} else {
			mx_pair(j, d, pair);
		}
	}
	(is_object ? json_close_object : json_close_array)(j);
}

static void mx_object(struct json *j, const struct value_dialect *d,
		      const struct value *v)
{
	json_open_object(j);
	json_add_text(j, "@class", v->type);
	value_json_members(j, d, v);
	json_close_object(j);
}

static void mx_name(struct json *j, const struct value_dialect *d,
		    const struct value *v)
{
	(void)d;
	json_string(j, v->text.at, v->text.len);
}

static void mx_number(struct json *j, const struct value_dialect *d,
		      const struct value *v)
{
	(void)d;
	json_number(j, v->text.at);
}

static void mx_marked_text(struct json *j, const char *key,
			   const struct value *v)
{
	json_open_object(j);
	json_add_text(j, key, v->text.at);
	json_close_object(j);
}

static void mx_error(struct json *j, const struct value_dialect *d,
		     const struct value *v)
{
	(void)d;
	mx_marked_text(j, "$error", v);
}

static void mx_cut(struct json *j, const struct value_dialect *d,
		   const struct value *v)
{
	(void)d;
	mx_marked_text(j, "$cut", v);
}

const struct value_dialect value_dialect_mx = {
	.table = mx_table,
	.map = mx_map,
	.object = mx_object,
	.name = mx_name,
	.number = mx_number,
	.error = mx_error,
	.cut = mx_cut,
};

void value_json(struct json *j, const struct value *v)
{
	value_json_as(j, &value_dialect_mx, v);
}
