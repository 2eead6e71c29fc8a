/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mx_fields.h"

#include "jmx_http/value/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define A(n)                                                                   \
	{                                                                      \
		.name = (n), .type = "int", .description = "",                 \
		.readable = true                                               \
	}

static const struct jmx_feature attributes[] = {
	A("HeapMemoryUsage"),
	A("NonHeapMemoryUsage"),
	A("CollectionCount"),
	A("a.b"),
	A("a"),
	A("CollectionTime"),
	A("twice"),
	A("twice"),
	A(""),
	{ .name = "Secret", .type = "int", .description = "" },
};

static const struct jmx_info info = {
	.class = "",
	.description = "",
	.attributes = attributes,
	.attribute_count = sizeof(attributes) / sizeof(*attributes),
};

static void init(struct mx_fields *f, const char **values, size_t count)
{
	const struct option_list given = { .values = values, .count = count };
	struct error err;

	assert_int_equal(mx_fields_init(f, &given, &err), 0);
}

/* Checks the columns of a value of -f: "attribute/path!", ! for named ones. */
static void check_columns(const char *value, const char *wanted)
{
	struct mx_fields f;
	struct mx_columns columns;
	struct text got = { 0 };
	struct arena a = { 0 };

	init(&f, &value, value != NULL);
	columns = mx_fields_of(&f, &info, &a);
	text_puts(&got, "");
	for (size_t i = 0; i < columns.count; i++) {
		const struct mx_column *c = &columns.at[i];

		text_printf(&got, "%s%s%s%s%s", i ? " " : "", c->attribute,
			    c->path ? "/" : "", c->path ? c->path : "",
			    c->was_named ? "!" : "");
	}
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
	arena_release(&a);
	mx_fields_release(&f);
}

static void no_fields_select_all_readable_attributes(void **state)
{
	(void)state;
	check_columns(
		NULL,
		"HeapMemoryUsage NonHeapMemoryUsage CollectionCount a.b a "
		"CollectionTime twice ");
}

static void names_and_patterns_select_attributes(void **state)
{
	(void)state;
	check_columns("CollectionTime,a", "CollectionTime! a!");
	check_columns("*Count", "CollectionCount");
	check_columns("Collection*,CollectionTime",
		      "CollectionCount CollectionTime!");
	check_columns("?", "a");
	check_columns("/^Coll.*(Count|Time)$/",
		      "CollectionCount CollectionTime");
	check_columns(
		"/n,*C/",
		"CollectionCount"); /* the comma belongs to the expression */
	check_columns("*,a",
		      "HeapMemoryUsage NonHeapMemoryUsage CollectionCount a.b "
		      "a! CollectionTime twice ");
	check_columns("nothing", "");
	check_columns("Secret", "");
	check_columns("twice,twice", "twice!");
}

static void dot_selects_a_part_of_an_attribute(void **state)
{
	(void)state;
	check_columns("HeapMemoryUsage.used", "HeapMemoryUsage/used!");
	check_columns("a.b", "a.b!");
	check_columns("a.c", "a/c!");
	check_columns("a.b.c.d", "a.b/c.d!");
	check_columns("*Usage.used",
		      "HeapMemoryUsage/used NonHeapMemoryUsage/used");
	check_columns("a.*", "a.b");
	check_columns("HeapMemoryUsage.used,HeapMemoryUsage",
		      "HeapMemoryUsage/used! HeapMemoryUsage!");
}

static void missing_attribute_is_reported(void **state)
{
	static const char *const values[][2] = {
		{ "CollectionTime,none", "m: there is no attribute 'none'; "
					 "--info lists them" },
		{ "CollectionTim", "m: there is no attribute 'CollectionTim'; "
				   "did you mean 'CollectionTime'?" },
		{ "heapmemory", "m: there is no attribute 'heapmemory'; did "
				"you mean 'HeapMemoryUsage' or "
				"'NonHeapMemoryUsage'?" },
		{ "HeapMemryUsage.used",
		  "m: there is no attribute 'HeapMemryUsage.used'; did you "
		  "mean 'HeapMemoryUsage'?" },
		{ "x*", "m: there is no attribute 'x*'; --info lists them" },
		{ "Secret", "m: 'Secret' is write-only" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const char *value = values[i][0];
		struct mx_fields f;
		struct arena a = { 0 };
		struct error err;

		init(&f, &value, 1);
		mx_fields_of(&f, &info, &a);
		assert_int_equal(mx_fields_check(&f, "m", &err), -1);
		assert_string_equal(err.text, values[i][1]);
		arena_release(&a);
		mx_fields_release(&f);
	}
}

static void invalid_pattern_is_rejected(void **state)
{
	const char *value = "/(/";
	const struct option_list given = { .values = &value, .count = 1 };
	struct mx_fields f;
	struct error err;

	(void)state;
	assert_int_equal(mx_fields_init(&f, &given, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
	mx_fields_release(&f);
}

/* {"u": 1, "a.b": [10, {"x": 3}], "t": {k1: 5}, "m": {"7": "seven"}} */
static const struct value *tree(struct arena *a)
{
	static struct value_member inner, outer[4], row[2];
	static const struct value *list[2], *rows[1];
	static const char *const index[] = { "key" };
	static struct value_pair pair;
	struct value *v = value_new(a, VALUE_COMPOSITE, ""), *part;

	inner = (struct value_member){ "x", value_integer(a, "int", 3) };
	part = value_new(a, VALUE_COMPOSITE, "");
	part->members.at = &inner;
	part->members.count = 1;
	list[0] = value_integer(a, "int", 10);
	list[1] = part;
	outer[0] = (struct value_member){ "u", value_integer(a, "int", 1) };
	part = value_new(a, VALUE_ARRAY, "");
	part->list.at = list;
	part->list.count = 2;
	outer[1] = (struct value_member){ "a.b", part };
	row[0] = (struct value_member){ "key", value_string(a, "k.1") };
	row[1] = (struct value_member){ "value", value_integer(a, "int", 5) };
	part = value_new(a, VALUE_COMPOSITE, "");
	part->members.at = row;
	part->members.count = 2;
	rows[0] = part;
	part = value_new(a, VALUE_TABULAR, "");
	part->table.index = index;
	part->table.index_count = 1;
	part->table.rows = rows;
	part->table.row_count = 1;
	outer[2] = (struct value_member){ "t", part };
	pair = (struct value_pair){ value_integer(a, "int", 7),
				    value_integer(a, "int", 77) };
	part = value_new(a, VALUE_MAP, "");
	part->map.at = &pair;
	part->map.count = 1;
	outer[3] = (struct value_member){ "m", part };
	v->members.at = outer;
	v->members.count = 4;
	return v;
}

static void path_leads_through_every_kind_of_value(void **state)
{
	static const struct {
		const char *path;
		int wanted; /* -1: no such part */
	} paths[] = {
		{ "u", 1 },       { "a.b.0", 10 },
		{ "a.b.1.x", 3 }, { "t.k.1", 5 },
		{ "m.7", 77 },    { "x", -1 },
		{ "u.x", -1 },    { "a", -1 },
		{ "a.b.2", -1 },  { "a.b.x", -1 },
		{ "t.k", -1 },    { "m.8", -1 },
		{ "a.b.", -1 },   { "a.b.00000000000000000000", -1 },
		{ ".", -1 },      { "u.", 1 },
	};
	struct arena a = { 0 };
	const struct value *v = tree(&a);

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct value *got = value_path(v, paths[i].path);

		if (value_integer_of(got, -1) != paths[i].wanted)
			fail_msg("%s is another", paths[i].path);
	}
	assert_ptr_equal(value_path(v, ""), v);
	assert_null(value_path(NULL, "u"));
	assert_ptr_equal(value_path(&value_null, "u.x"), &value_null);
	arena_release(&a);
}

static void misspelled_part_suggests_the_nearest(void **state)
{
	struct arena a = { 0 };
	struct value_member of_memory[] = {
		{ "committed", value_integer(&a, "long", 1) },
		{ "used", value_integer(&a, "long", 2) },
	};
	struct value memory = { .kind = VALUE_COMPOSITE, .type = "" };
	struct value_pair pair = { value_string(&a, "Eden"), &memory };
	struct value map = { .kind = VALUE_MAP, .type = "" };
	struct text hint = { 0 };

	(void)state;
	memory.members.at = of_memory;
	memory.members.count = 2;
	map.map.at = &pair;
	map.map.count = 1;
	mx_part_hint(&memory, "usde", &hint);
	assert_string_equal(hint.bytes, "; did you mean 'used'?");
	text_clear(&hint);
	mx_part_hint(&map, "Eden.comitted", &hint);
	assert_string_equal(hint.bytes, "; did you mean 'committed'?");
	text_clear(&hint);
	mx_part_hint(&map, "eden.used", &hint);
	assert_string_equal(hint.bytes, "");
	text_release(&hint);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_fields_select_all_readable_attributes),
		cmocka_unit_test(names_and_patterns_select_attributes),
		cmocka_unit_test(dot_selects_a_part_of_an_attribute),
		cmocka_unit_test(missing_attribute_is_reported),
		cmocka_unit_test(invalid_pattern_is_rejected),
		cmocka_unit_test(path_leads_through_every_kind_of_value),
		cmocka_unit_test(misspelled_part_suggests_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
