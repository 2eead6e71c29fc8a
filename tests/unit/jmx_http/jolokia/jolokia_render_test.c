/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int release_arena(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void assert_rendered(const struct value *v, int64_t max_objects,
			    const char *expected)
{
	const struct jolokia_query_options options = {
		.max_objects = max_objects,
	};
	struct jolokia_render r = { .options = &options };
	struct text t = { 0 };
	struct json j = json_into(&t);

	jolokia_render(&r, &j, v, 0);
	assert_string_equal(t.bytes, expected);
	text_release(&t);
}

/* A row of the columns "a", "b" and "v". */
static const struct value *new_row(const struct value *a, const char *b,
				   int64_t v)
{
	struct value *row = value_new(&arena, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(&arena, 3 * sizeof(*at));

	at[0] = (struct value_member){ "a", a };
	at[1] = (struct value_member){ "b", value_string(&arena, b) };
	at[2] = (struct value_member){ "v", value_integer(&arena, "long", v) };
	row->members.at = at;
	row->members.count = 3;
	return row;
}

static const char *const table_columns[] = { "a", "b" };

static struct value *new_table(size_t index_count, const struct value **rows,
			       size_t row_count)
{
	struct value *v = value_new(&arena, VALUE_TABULAR, "");

	v->table.index = table_columns;
	v->table.index_count = index_count;
	v->table.rows = rows;
	v->table.row_count = row_count;
	return v;
}

static void table_is_nested_by_its_index_columns(void **state)
{
	const struct value *rows[] = {
		new_row(value_string(&arena, "x"), "p", 1),
		new_row(value_string(&arena, "y"), "p", 2),
		new_row(value_string(&arena, "x"), "q", 3),
	};
	const struct value *v = new_table(2, rows, 3);
	const char *path[] = { "x", "*", "v" };

	(void)state;
	assert_rendered(v, 0,
			"{\"x\":{\"p\":{\"a\":\"x\",\"b\":\"p\",\"v\":1},"
			"\"q\":{\"a\":\"x\",\"b\":\"q\",\"v\":3}},"
			"\"y\":{\"p\":{\"a\":\"y\",\"b\":\"p\",\"v\":2}}}");
	assert_rendered(jolokia_find_part(v, path, 3, &arena), 0,
			"{\"p\":1,\"q\":3}");
	path[0] = "z";
	assert_null(jolokia_find_part(v, path, 3, &arena));
}

static void table_with_an_array_as_key_lists_its_rows(void **state)
{
	const struct value *rows[] = {
		new_row(value_new(&arena, VALUE_ARRAY, "[J"), "p", 1),
	};

	(void)state;
	assert_rendered(new_table(1, rows, 1), 0,
			"{\"indexNames\":[\"a\"],\"values\":[{\"a\":[],"
			"\"b\":\"p\",\"v\":1}]}");
	assert_rendered(new_table(1, rows, 0), 0, "{}");
}

static void objects_beyond_the_limit_are_marked(void **state)
{
	const struct value *rows[] = {
		new_row(value_string(&arena, "x"), "p", 1),
	};

	(void)state;
	assert_rendered(new_table(1, rows, 1), 3,
			"{\"x\":{\"a\":\"x\",\"b\":\"p\","
			"\"v\":\"[Object limit exceeded]\"}}");
	assert_rendered(new_table(1, rows, 1), 4,
			"{\"x\":{\"a\":\"x\",\"b\":\"p\",\"v\":1}}");
}

/* The writer supports 64 levels. */
static void levels_beyond_the_writers_are_text(void **state)
{
	const struct value *v = value_integer(&arena, "long", 7);
	const struct jolokia_query_options options = { 0 };
	struct jolokia_render r = { .options = &options };
	struct text t = { 0 };
	struct json j = json_into(&t);

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct value *list = value_new(&arena, VALUE_ARRAY, "");
		const struct value **at = arena_alloc(&arena, sizeof(*at));

		*at = v;
		list->list.at = at;
		list->list.count = 1;
		v = list;
	}
	jolokia_render(&r, &j, v, 0);
	assert_int_equal(strspn(t.bytes, "["), 60);
	assert_int_equal(t.bytes[60], '"');
	assert_string_equal(t.bytes + t.len - 2, "]]");
	text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_nested_by_its_index_columns),
		cmocka_unit_test(table_with_an_array_as_key_lists_its_rows),
		cmocka_unit_test(objects_beyond_the_limit_are_marked),
		cmocka_unit_test(levels_beyond_the_writers_are_text),
	};

	return cmocka_run_group_tests(tests, NULL, release_arena);
}
