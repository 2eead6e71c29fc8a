/* SPDX-License-Identifier: Apache-2.0 */
/* Values as JSON for scripts and as text for people. */
#include "jmx_http/value/value.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

static struct arena arena;
static struct text text;

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	text_release(&text);
	return 0;
}

static const char *json_of(const struct value *v)
{
	struct json j = json_into(&text);

	text_clear(&text);
	value_json(&j, v);
	return text.bytes;
}

static const char *print_of(const struct value *v, unsigned indent,
			    size_t cell_width)
{
	text_clear(&text);
	value_print(&text, v, indent, cell_width);
	return text.bytes;
}

static const char *cell_of(const struct value *v)
{
	text_clear(&text);
	value_cell(&text, v);
	return text.bytes;
}

static struct value *real(double number, const char *type)
{
	struct value *v = value_new(&arena, VALUE_REAL, type);

	v->real = number;
	return v;
}

static struct value *list(const struct value **at, size_t count)
{
	struct value *v = value_new(&arena, VALUE_ARRAY, "");

	v->list.at = at;
	v->list.count = count;
	return v;
}

static struct value *members(enum value_kind kind,
			     const struct value_member *at, size_t count)
{
	struct value *v = value_new(&arena, kind, "a.Type");

	v->members.at = at;
	v->members.count = count;
	return v;
}

static void numbers_keep_their_digits(void **state)
{
	const struct value *big = value_text(&arena, VALUE_NUMBER, "", "-1E+30",
					     6);

	(void)state;
	assert_string_equal(json_of(value_integer(&arena, "long", INT64_MIN)),
			    "-9223372036854775808");
	assert_string_equal(json_of(big), "-1E+30");
	assert_string_equal(
		json_of(value_text(&arena, VALUE_NUMBER, "", "0x1", 3)),
		"\"0x1\"");
	assert_string_equal(json_of(real(0.1, "double")), "0.1");
	assert_string_equal(json_of(real((double)0.1f, "float")), "0.1");
	assert_string_equal(json_of(real(1.0 / 3, "double")),
			    "0.3333333333333333");
	assert_string_equal(json_of(real((double)NAN, "double")), "\"NaN\"");
	assert_string_equal(json_of(real((double)-INFINITY, "double")),
			    "\"-Infinity\"");
}

static void composites_print_as_blocks_lists_as_tables(void **state)
{
	const struct value_member one[] = {
		{ "id", value_integer(&arena, "int", 1) },
		{ "name", value_string(&arena, "first, which is long") },
	};
	const struct value_member two[] = {
		{ "id", value_integer(&arena, "int", 22) },
		{ "name", value_string(&arena, "") },
	};
	const struct value *rows[] = { members(VALUE_COMPOSITE, one, 2),
				       members(VALUE_COMPOSITE, two, 2) };

	(void)state;
	assert_string_equal(print_of(rows[0], 4, 0),
			    "id:   1\n    name: first, which is long");
	/* An empty value leaves no space after the colon. */
	assert_string_equal(print_of(rows[1], 4, 0), "id:   22\n    name:");
	assert_string_equal(print_of(list(rows, 2), 2, 8), "id|name\n"
							   "  --+--------\n"
							   "  1 |first...\n"
							   "  22|");
	assert_string_equal(json_of(list(rows, 2)),
			    "[{\"id\":1,\"name\":\"first, which is long\"},"
			    "{\"id\":22,\"name\":\"\"}]");
	assert_string_equal(cell_of(list(rows, 2)),
			    "[{id=1, name=first, which is long}, "
			    "{id=22, name=}]");
}

/* ThreadMXBean.getThreadInfo() returns null for a thread that has ended. */
static void null_row_is_kept(void **state)
{
	const struct value_member one[] = {
		{ "id", value_integer(&arena, "int", 1) },
		{ "name", value_string(&arena, "x") },
	};
	const struct value *rows[] = { &value_null,
				       members(VALUE_COMPOSITE, one, 2),
				       &value_null };

	(void)state;
	assert_string_equal(print_of(list(rows, 3), 0, 0), "id  |name\n"
							   "----+----\n"
							   "null|null\n"
							   "1   |x\n"
							   "null|null");
	assert_string_equal(print_of(list(rows, 1), 0, 0), "[null]");
}

static void nested_values_are_indented(void **state)
{
	const struct value_member inner[] = {
		{ "x", value_integer(&arena, "int", 1) },
	};
	const struct value_member outer[] = {
		{ "point", members(VALUE_OBJECT, inner, 1) },
		{ "none", &value_null },
	};

	(void)state;
	assert_string_equal(print_of(members(VALUE_COMPOSITE, outer, 2), 0, 0),
			    "point:\n    a.Type\n        x: 1\nnone:  null");
}

static void foreign_text_is_made_safe_and_keeps_its_lines(void **state)
{
	const struct value *v = value_string(&arena, "a\033[2J\r\n\nb \n");
	const struct value *bad = value_text(&arena, VALUE_ERROR, "", "X: \033",
					     4);

	(void)state;
	assert_string_equal(print_of(v, 2, 0), "a\u241b[2J\n\n  b");
	assert_string_equal(print_of(bad, 0, 0), "<X: \u241b>");
	assert_string_equal(json_of(bad), "{\"$error\":\"X: \\u001b\"}");
	assert_string_equal(cell_of(bad), "<X: \033>");
}

static void maps_with_text_keys_are_json_objects(void **state)
{
	const struct value_pair pairs[] = {
		{ value_string(&arena, "k"), value_integer(&arena, "int", 1) },
		{ value_integer(&arena, "int", 7), &value_null },
	};
	struct value *map = value_new(&arena, VALUE_MAP, "");

	(void)state;
	map->map.at = pairs;
	map->map.count = 1;
	assert_string_equal(json_of(map), "{\"k\":1}");
	map->map.count = 2;
	assert_string_equal(json_of(map), "[{\"key\":\"k\",\"value\":1},"
					  "{\"key\":7,\"value\":null}]");
	assert_string_equal(print_of(map, 0, 0), "k: 1\n7: null");
	assert_string_equal(cell_of(map), "{k=1, 7=null}");
}

/* Each nested map needs two levels of JSON, whose limit is 64. */
static void keyed_table(struct json *j, const struct value_dialect *d,
			const struct value *v)
{
	json_open_object(j);
	for (size_t i = 0; i < v->table.row_count; i++) {
		const struct value *row = v->table.rows[i];

		json_foreign_key(
			j, value_text_of(value_member(row, v->table.index[0])));
		value_json_as(j, d, row);
	}
	json_close_object(j);
}

static void tagged_name(struct json *j, const struct value_dialect *d,
			const struct value *v)
{
	(void)d;
	json_open_object(j);
	json_key(j, "objectName");
	json_text(j, v->text.at);
	json_close_object(j);
}

/* A map of a table; the dialect changes the spelling of each kind. */
static void dialect_spells_nested_values(void **state)
{
	struct value_dialect d = value_dialect_mx;
	struct value name = { .kind = VALUE_NAME, .type = "" };
	struct value key = { .kind = VALUE_STRING, .type = "" };
	struct value_member of_row[] = { { "k", &key }, { "v", &name } };
	struct value row = { .kind = VALUE_COMPOSITE, .type = "" };
	struct value table = { .kind = VALUE_TABULAR, .type = "" };
	struct value_pair pair = { &key, &table };
	struct value map = { .kind = VALUE_MAP, .type = "" };
	const struct value *rows[] = { &row };
	const char *index[] = { "k" };
	struct json j;

	(void)state;
	name.text = (struct value_text){ "a:b=c", 5 };
	key.text = (struct value_text){ "x", 1 };
	row.members.at = of_row;
	row.members.count = 2;
	table.table.rows = rows;
	table.table.row_count = 1;
	table.table.index = index;
	table.table.index_count = 1;
	map.map.at = &pair;
	map.map.count = 1;
	assert_string_equal(json_of(&map),
			    "{\"x\":[{\"k\":\"x\",\"v\":\"a:b=c\"}]}");
	d.table = keyed_table;
	d.name = tagged_name;
	text_clear(&text);
	j = json_into(&text);
	value_json_as(&j, &d, &map);
	assert_string_equal(text.bytes, "{\"x\":{\"x\":{\"k\":\"x\",\"v\":"
					"{\"objectName\":\"a:b=c\"}}}}");
}

static void json_truncates_deep_values(void **state)
{
	const struct value *v = &value_null;
	cJSON *read;

	(void)state;
	for (int i = 0; i < VALUE_DEPTH_MAX; i++) {
		struct value_pair *pair = arena_alloc(&arena, sizeof(*pair));
		struct value *map = value_new(&arena, VALUE_MAP, "");

		*pair = (struct value_pair){ &value_null, v };
		map->map.at = pair;
		map->map.count = 1;
		v = map;
	}
	assert_non_null(strstr(json_of(v), "{\"$cut\":\"too deep\"}"));
	read = cJSON_Parse(text.bytes);
	assert_non_null(read);
	cJSON_Delete(read);
	assert_non_null(print_of(v, 0, 0));
	assert_non_null(cell_of(v));
}

static void members_are_found_by_name(void **state)
{
	const struct value_member at[] = {
		{ "used", value_integer(&arena, "long", 5) },
		{ "name", value_string(&arena, "n") },
	};
	const struct value *v = members(VALUE_COMPOSITE, at, 2);

	(void)state;
	assert_int_equal(value_integer_of(value_member(v, "used"), -1), 5);
	assert_int_equal(value_integer_of(value_member(v, "name"), -1), -1);
	assert_int_equal(value_integer_of(value_member(v, "none"), -1), -1);
	assert_string_equal(value_text_of(value_member(v, "name")), "n");
	assert_null(value_text_of(value_member(v, "used")));
	assert_null(value_member(NULL, "used"));
	assert_null(value_member(at[0].value, "used"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_keep_their_digits),
		cmocka_unit_test(composites_print_as_blocks_lists_as_tables),
		cmocka_unit_test(null_row_is_kept),
		cmocka_unit_test(nested_values_are_indented),
		cmocka_unit_test(foreign_text_is_made_safe_and_keeps_its_lines),
		cmocka_unit_test(maps_with_text_keys_are_json_objects),
		cmocka_unit_test(dialect_spells_nested_values),
		cmocka_unit_test(json_truncates_deep_values),
		cmocka_unit_test(members_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
