/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/value/value.h"

#include "jmx_http/value/value_text.h"

#include <math.h>
#include <string.h>

/* Levels of JSON that a value may fill, of the 64 that there are. */
#define JSON_DEPTH_MAX 60

const struct value value_null = { .kind = VALUE_NULL, .type = "" };

struct value *value_new(struct arena *a, enum value_kind kind, const char *type)
{
	struct value *v = arena_alloc(a, sizeof(*v));

	memset(v, 0, sizeof(*v));
	v->kind = kind;
	v->type = *type ? arena_copy(a, type, strlen(type)) : "";
	return v;
}

struct value *value_integer(struct arena *a, const char *type, int64_t integer)
{
	struct value *v = value_new(a, VALUE_INTEGER, type);

	v->integer = integer;
	return v;
}

struct value *value_text(struct arena *a, enum value_kind kind,
			 const char *type, const char *text, size_t len)
{
	struct value *v = value_new(a, kind, type);

	v->text.at = arena_copy(a, text, len);
	v->text.len = len;
	return v;
}

struct value *value_string(struct arena *a, const char *text)
{
	return value_text(a, VALUE_STRING, "java.lang.String", text,
			  strlen(text));
}

const struct value *value_member(const struct value *v, const char *name)
{
	if (!v || (v->kind != VALUE_COMPOSITE && v->kind != VALUE_OBJECT))
		return NULL;
	for (size_t i = 0; i < v->members.count; i++)
		if (!strcmp(v->members.at[i].name, name))
			return v->members.at[i].value;
	return NULL;
}

int64_t value_integer_of(const struct value *v, int64_t otherwise)
{
	if (!v || (v->kind != VALUE_INTEGER && v->kind != VALUE_BOOLEAN))
		return otherwise;
	return v->integer;
}

bool value_has_text(const struct value *v)
{
	switch (v->kind) {
	case VALUE_NUMBER:
	case VALUE_STRING:
	case VALUE_NAME:
	case VALUE_ENUM:
	case VALUE_ERROR:
	case VALUE_CUT:
		return true;
	default:
		return false;
	}
}

const char *value_text_of(const struct value *v)
{
	return v && value_has_text(v) ? v->text.at : NULL;
}

static void write_value(struct json *j, const struct value *v);

static void write_said(struct json *j, const char *key, const char *text)
{
	json_open_object(j);
	json_key(j, key);
	json_text(j, text);
	json_close_object(j);
}

static void write_real(struct json *j, const struct value *v)
{
	struct text t = { 0 };

	value_add_real(&t, v);
	json_number(j, t.bytes);
	text_release(&t);
}

static void write_date(struct json *j, int64_t ms)
{
	struct text t = { 0 };

	value_add_date(&t, ms);
	json_string(j, t.bytes, t.len);
	text_release(&t);
}

static void write_list(struct json *j, const struct value *const *at,
		       size_t count)
{
	json_open_array(j);
	for (size_t i = 0; i < count; i++)
		write_value(j, at[i]);
	json_close_array(j);
}

static void write_members(struct json *j, const struct value *v)
{
	json_open_object(j);
	if (v->kind == VALUE_OBJECT) {
		json_key(j, "@class");
		json_text(j, v->type);
	}
	for (size_t i = 0; i < v->members.count; i++) {
		json_foreign_key(j, v->members.at[i].name);
		write_value(j, v->members.at[i].value);
	}
	json_close_object(j);
}

static bool has_text_keys(const struct value *map)
{
	for (size_t i = 0; i < map->map.count; i++) {
		enum value_kind kind = map->map.at[i].key->kind;

		if (kind != VALUE_STRING && kind != VALUE_NAME &&
		    kind != VALUE_ENUM)
			return false;
	}
	return true;
}

static void write_map(struct json *j, const struct value *v)
{
	bool is_object = has_text_keys(v);

	(is_object ? json_open_object : json_open_array)(j);
	for (size_t i = 0; i < v->map.count; i++) {
		const struct value_pair *pair = &v->map.at[i];

		if (is_object) {
			json_foreign_key(j, pair->key->text.at);
			write_value(j, pair->value);
			continue;
		}
		json_open_object(j);
		json_key(j, "key");
		write_value(j, pair->key);
		json_key(j, "value");
		write_value(j, pair->value);
		json_close_object(j);
	}
	(is_object ? json_close_object : json_close_array)(j);
}

/* Each value within another opens a level, which bounds this recursion. */
static void write_value(struct json *j, const struct value *v)
{
	if (j->depth >= JSON_DEPTH_MAX) {
		write_said(j, "$cut", "too deep");
		return;
	}
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
		write_real(j, v);
		break;
	case VALUE_NUMBER:
		json_number(j, v->text.at);
		break;
	case VALUE_STRING:
	case VALUE_NAME:
	case VALUE_ENUM:
		json_string(j, v->text.at, v->text.len);
		break;
	case VALUE_DATE:
		write_date(j, v->integer);
		break;
	case VALUE_ARRAY:
		write_list(j, v->list.at, v->list.count);
		break;
	case VALUE_TABULAR:
		write_list(j, v->table.rows, v->table.row_count);
		break;
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		write_members(j, v);
		break;
	case VALUE_MAP:
		write_map(j, v);
		break;
	case VALUE_ERROR:
		write_said(j, "$error", v->text.at);
		break;
	case VALUE_CUT:
		write_said(j, "$cut", v->text.at);
		break;
	}
}

void value_json(struct json *j, const struct value *v) { write_value(j, v); }
