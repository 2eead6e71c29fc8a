/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_answer.h"

#include "core/base/text.h"
#include "jmx_http/value/object_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Levels of JSON in a response; the writer supports 64. */
#define LEVELS_MAX 60
/* Rows of a table of several key columns that become nested objects. */
#define NESTED_ROWS_MAX 4096

/* Parts */

static const struct value *part_find(const struct value *v,
				     const char *const *path, size_t count,
				     struct arena *a);

static bool part_index(const char *text, size_t count, size_t *index)
{
	char *end;
	unsigned long long n;

	if (!*text || strspn(text, "0123456789") != strlen(text) ||
	    strlen(text) > 9)
		return false;
	n = strtoull(text, &end, 10);
	*index = (size_t)n;
	return n < count;
}

/*
 * Returns the text that a path or a JSON object has for a key of a map or
 * table.
 */
static const char *key_text(const struct value *key, struct arena *a)
{
	struct text t = { 0 };
	const char *made;

	if (value_text_of(key))
		return key->text.at;
	text_puts(&t, "");
	if (key->kind == VALUE_BOOLEAN)
		text_puts(&t, key->integer ? "true" : "false");
	else
		value_cell(&t, key);
	made = arena_copy(a, t.bytes, t.len);
	text_release(&t);
	return made;
}

/*
 * Returns true for the table of an MXBean's Map, with the columns "key" and
 * "value".
 */
static bool table_is_map(const struct value *v)
{
	const struct value *row = v->table.row_count ? v->table.rows[0] : NULL;

	return v->table.index_count == 1 &&
	       strcmp(v->table.index[0], "key") == 0 && row &&
	       row->kind == VALUE_COMPOSITE && row->members.count == 2 &&
	       value_member(row, "value");
}

static bool key_is_simple(const struct value *v)
{
	return v && (value_text_of(v) || v->kind == VALUE_INTEGER ||
		     v->kind == VALUE_BOOLEAN || v->kind == VALUE_REAL ||
		     v->kind == VALUE_DATE);
}

/* Returns false if a key is not a text and so cannot name its row. */
static bool table_has_simple_keys(const struct value *v)
{
	for (size_t i = 0; i < v->table.row_count; i++)
		for (size_t k = 0; k < v->table.index_count; k++)
			if (!key_is_simple(value_member(v->table.rows[i],
							v->table.index[k])))
				return false;
	return v->table.index_count > 0;
}

/* A composite of pairs in the arena. */
static struct value *members_new(struct arena *a, size_t count_max,
				 struct value_member **at)
{
	struct value *v = value_new(a, VALUE_COMPOSITE, "");

	*at = arena_alloc(a, (count_max + 1) * sizeof(**at));
	v->members.at = *at;
	v->members.count = 0;
	return v;
}

/*
 * The rows of a table as nested objects by the keys of its index, from the one
 * at `level` on.  The number of index columns bounds the recursion.
 */
static const struct value *table_nest(const struct value *v,
				      const struct value *const *rows,
				      size_t count, size_t level,
				      struct arena *a)
{
	struct value_member *members;
	struct value *made = members_new(a, count, &members);
	bool *done = arena_alloc(a, count + 1);

	memset(done, 0, count + 1);
	for (size_t i = 0; i < count; i++) {
		const char *key;
		const struct value **same;
		size_t same_count = 0;

		if (done[i])
			continue;
		key = key_text(value_member(rows[i], v->table.index[level]), a);
		same = arena_alloc(a, (count - i) * sizeof(*same));
		for (size_t k = i; k < count; k++) {
			const struct value *other = value_member(
				rows[k], v->table.index[level]);

			if (done[k] || strcmp(key_text(other, a), key) != 0)
				continue;
			done[k] = true;
			same[same_count++] = rows[k];
		}
		members[made->members.count++] = (struct value_member){
			key,
			level + 1 < v->table.index_count
				? table_nest(v, same, same_count, level + 1, a)
				: same[same_count - 1]
		};
	}
	return made;
}

/* Tables of one key column are long, and their keys differ. */
static const struct value *table_by_key(const struct value *v, struct arena *a)
{
	struct value_member *members;
	struct value *made = members_new(a, v->table.row_count, &members);
	bool is_map = table_is_map(v);

	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];
		const struct value *key = value_member(row, v->table.index[0]);

		members[made->members.count++] = (struct value_member){
			key_text(key, a),
			is_map ? value_member(row, "value") : row
		};
	}
	return made;
}

static const struct value *table_listed(const struct value *v, struct arena *a)
{
	struct value_member *members;
	struct value *made = members_new(a, 2, &members);
	struct value *names = value_new(a, VALUE_ARRAY, "");
	struct value *rows = value_new(a, VALUE_ARRAY, "");
	const struct value **at = arena_alloc(a, (v->table.index_count + 1) *
							 sizeof(*at));

	for (size_t i = 0; i < v->table.index_count; i++)
		at[i] = value_string(a, v->table.index[i]);
	names->list.at = at;
	names->list.count = v->table.index_count;
	rows->list.at = v->table.rows;
	rows->list.count = v->table.row_count;
	members[0] = (struct value_member){ "indexNames", names };
	members[1] = (struct value_member){ "values", rows };
	made->members.count = 2;
	return made;
}

/*
 * Returns the composite that represents a table, a map or a name in JSON; else
 * v.
 */
static const struct value *value_as_object(const struct value *v,
					   struct arena *a)
{
	struct value_member *members;
	struct value *made;

	switch (v->kind) {
	case VALUE_TABULAR:
		if (!table_has_simple_keys(v) ||
		    (v->table.index_count > 1 &&
		     v->table.row_count > NESTED_ROWS_MAX))
			return v->table.row_count ? table_listed(v, a)
						  : table_by_key(v, a);
		return v->table.index_count == 1
			       ? table_by_key(v, a)
			       : table_nest(v, v->table.rows,
					    v->table.row_count, 0, a);
	case VALUE_MAP:
		made = members_new(a, v->map.count, &members);
		for (size_t i = 0; i < v->map.count; i++)
			members[made->members.count++] = (struct value_member){
				key_text(v->map.at[i].key, a),
				v->map.at[i].value
			};
		return made;
	case VALUE_NAME:
		made = members_new(a, 1, &members);
		members[made->members.count++] = (struct value_member){
			"objectName",
			value_text(a, VALUE_STRING, "java.lang.String",
				   v->text.at, v->text.len)
		};
		return made;
	default:
		return v;
	}
}

/* As value_as_object(), for a step of a path. */
static const struct value *part_as_object(const struct value *v,
					  struct arena *a)
{
	struct value_member *members;
	struct value *made;

	if (v->kind != VALUE_DATE && v->kind != VALUE_NUMBER)
		return value_as_object(v, a);
	made = members_new(a, 1, &members);
	made->members.count = 1;
	*members = v->kind == VALUE_DATE
			   ? (struct value_member){ "time",
						    value_integer(a, "long",
								  v->integer) }
			   : (struct value_member){
				     "bigint", value_string(a, v->text.at)
			     };
	return made;
}

static const struct value *part_find_all(const struct value *v,
					 const char *const *path, size_t count,
					 struct arena *a)
{
	bool is_list = v->kind == VALUE_ARRAY;
	size_t max = is_list ? v->list.count : v->members.count, found = 0;
	struct value *made = value_new(a, v->kind, v->type);
	const struct value **list = arena_alloc(a, (max + 1) * sizeof(*list));
	struct value_member *members = arena_alloc(a, (max + 1) *
							      sizeof(*members));

	for (size_t i = 0; i < max; i++) {
		const struct value *one = is_list ? v->list.at[i]
						  : v->members.at[i].value;
		const struct value *part = part_find(one, path, count, a);

		if (!part)
			continue;
		list[found] = part;
		if (!is_list)
			members[found] = (struct value_member){
				v->members.at[i].name, part
			};
		found++;
	}
	if (is_list) {
		made->list.at = list;
		made->list.count = found;
	} else {
		made->members.at = members;
		made->members.count = found;
	}
	return found ? made : NULL;
}

/* The length of the path bounds the recursion. */
static const struct value *part_find(const struct value *v,
				     const char *const *path, size_t count,
				     struct arena *a)
{
	size_t index;

	if (!count)
		return v;
	v = part_as_object(v, a);
	if (v->kind != VALUE_ARRAY && v->kind != VALUE_COMPOSITE &&
	    v->kind != VALUE_OBJECT)
		return NULL;
	if (strcmp(*path, "*") == 0)
		return part_find_all(v, path + 1, count - 1, a);
	if (v->kind == VALUE_ARRAY) {
		if (!part_index(*path, v->list.count, &index))
			return NULL;
		return part_find(v->list.at[index], path + 1, count - 1, a);
	}
	v = value_member(v, *path);
	return v ? part_find(v, path + 1, count - 1, a) : NULL;
}

const struct value *jolokia_find_part(const struct value *v,
				      const char *const *path, size_t count,
				      struct arena *a)
{
	return part_find(v, path, count, a);
}

/* JSON */

void jolokia_render_name(struct jolokia_render *r, struct text *out,
			 const char *name)
{
	struct object_name parsed;

	if (!r->options->canonical_naming ||
	    object_name_parse(&parsed, name, strlen(name), error_unused())) {
		text_puts(out, name);
		return;
	}
	object_name_canonical(&parsed, out);
	object_name_release(&parsed);
}

/* Writes Java's toString() of a value. */
static void render_text(struct json *j, const struct value *v)
{
	struct text t = { 0 };

	text_puts(&t, "");
	if (v->kind == VALUE_BOOLEAN)
		text_puts(&t, v->integer ? "true" : "false");
	else
		value_cell(&t, v);
	json_string(j, t.bytes, t.len);
	text_release(&t);
}

static void render_integer(struct jolokia_render *r, struct json *j,
			   const struct value *v)
{
	char digits[24];

	if (!r->options->has_long_texts ||
	    (strcmp(v->type, "long") != 0 &&
	     strcmp(v->type, "java.lang.Long") != 0)) {
		json_int(j, v->integer);
		return;
	}
	snprintf(digits, sizeof(digits), "%" PRId64, v->integer);
	json_text(j, digits);
}

/* JSON has no number for NaN and infinities; agents write null. */
static void render_real(struct json *j, const struct value *v)
{
	struct text t = { 0 };

	if (!isfinite(v->real)) {
		json_null(j);
		return;
	}
	value_add_real(&t, v);
	json_number(j, t.bytes);
	text_release(&t);
}

/* Clients would round a number of that many digits. */
static void render_number(struct json *j, const struct value *v)
{
	if (strcmp(v->type, "java.math.BigInteger") != 0) {
		json_string(j, v->text.at, v->text.len);
		return;
	}
	json_open_object(j);
	json_add_string(j, "bigint", v->text.at, v->text.len);
	json_close_object(j);
}

/* Agents omit the milliseconds; the path "time" has them. */
static void render_date(struct json *j, const struct value *v)
{
	struct text t = { 0 };

	value_add_date(&t, v->integer);
	t.len = strcspn(t.bytes, ".");
	text_putc(&t, 'Z');
	json_string(j, t.bytes, t.len);
	text_release(&t);
}

static void render_name(struct jolokia_render *r, struct json *j,
			const struct value *v)
{
	struct text t = { 0 };

	jolokia_render_name(r, &t, v->text.at);
	json_open_object(j);
	json_add_string(j, "objectName", t.bytes, t.len);
	json_close_object(j);
	text_release(&t);
}

static void render_error(struct json *j, const struct value *v)
{
	struct text t = { 0 };

	text_printf(&t, "ERROR: %s", v->text.at);
	json_string(j, t.bytes, t.len);
	text_release(&t);
}

static size_t render_count(const struct jolokia_render *r, size_t count)
{
	int64_t max = r->options->max_collection;

	if (max < 0)
		return 0;
	return max && (uint64_t)max < count ? (size_t)max : count;
}

static void render_list(struct jolokia_render *r, struct json *j,
			const struct value *v, unsigned depth)
{
	size_t count = render_count(r, v->list.count);

	json_open_array(j);
	for (size_t i = 0; i < count; i++)
		jolokia_render(r, j, v->list.at[i], depth + 1);
	json_close_array(j);
}

static void render_object(struct jolokia_render *r, struct json *j,
			  const struct value *v, unsigned depth)
{
	struct arena a = { 0 };
	bool is_map = v->kind == VALUE_MAP;
	const struct value *object = value_as_object(v, &a);
	size_t count = object->members.count;

	if (is_map)
		count = render_count(r, count);
	json_open_object(j);
	for (size_t i = 0; i < count; i++) {
		json_foreign_key(j, object->members.at[i].name);
		jolokia_render(r, j, object->members.at[i].value, depth + 1);
	}
	json_close_object(j);
	arena_release(&a);
}

/* The levels of values (VALUE_DEPTH_MAX) bound the recursion. */
void jolokia_render(struct jolokia_render *r, struct json *j,
		    const struct value *v, unsigned depth)
{
	const struct jolokia_query_options *o = r->options;

	if (o->max_objects && r->objects++ > o->max_objects) {
		json_text(j, "[Object limit exceeded]");
		return;
	}
	if ((v->kind != VALUE_NULL && o->max_depth &&
	     (o->max_depth < 0 || depth >= (uint64_t)o->max_depth)) ||
	    j->depth >= LEVELS_MAX) {
		render_text(j, v);
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
		render_integer(r, j, v);
		break;
	case VALUE_REAL:
		render_real(j, v);
		break;
	case VALUE_NUMBER:
		render_number(j, v);
		break;
	case VALUE_DATE:
		render_date(j, v);
		break;
	case VALUE_NAME:
		render_name(r, j, v);
		break;
	case VALUE_ARRAY:
		render_list(r, j, v, depth);
		break;
	case VALUE_COMPOSITE:
	case VALUE_TABULAR:
	case VALUE_MAP:
	case VALUE_OBJECT:
		render_object(r, j, v, depth);
		break;
	case VALUE_ERROR:
		render_error(j, v);
		break;
	case VALUE_STRING:
	case VALUE_ENUM:
	case VALUE_CUT:
		json_string(j, v->text.at, v->text.len);
		break;
	}
}
