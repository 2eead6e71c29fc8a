/* SPDX-License-Identifier: Apache-2.0 */
/* Every known class, as JDK 17 serializes it; and hostile object graphs. */
#include "core/base/input.h"
#include "core/base/safe_text.h"
#include "jmx_http/java/java_convert.h"
#include "jmx_http/java/java_stream.h"
#include "jmx_http/java/java_to_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA "tests/data/rmi/"

static void load(struct input *in, const char *path)
{
	struct error err;

	if (input_open(in, path, &err) || input_complete(in, &err))
		fail_msg("%s", err.text);
}

static void add_json(struct text *out, const struct value *v)
{
	struct json j = json_into(out);

	value_json(&j, v);
}

/*
 * The expected file has names and values as tests/jvm/lib/show_values.c prints
 * them.
 */
static void known_classes_have_corresponding_values(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;
	struct input in, expected;
	size_t at = 0, used, found = 0;
	struct text line = { 0 };

	(void)state;
	load(&in, DATA "types17.stream");
	load(&expected, DATA "types.txt");
	while (java_stream_read(&s, in.bytes + at, in.len - at, &used, &v) ==
	       JAVA_DONE) {
		struct arena a = { 0 };
		const struct value *made;

		at += used;
		text_clear(&line);
		text_printf(&line, "%s\t", java_string_of(v).at);
		assert_int_equal(java_stream_read(&s, in.bytes + at,
						  in.len - at, &used, &v),
				 JAVA_DONE);
		at += used;
		made = java_to_value(v, &a);
		text_printf(&line, "%s\t", made->type);
		add_json(&line, made);
		text_putc(&line, '\n');
		/*
		 * show_values.c prints an MBeanInfo and the long string
		 * differently.
		 */
		if (!java_to_info(v, &a) && line.len < 100000 &&
		    !strstr(line.bytes, "xxx")) {
			found++;
			if (!memmem(expected.bytes, expected.len, line.bytes,
				    line.len))
				fail_msg("not expected: %s", line.bytes);
		}
		arena_release(&a);
	}
	assert_null(s.wrong);
	assert_true(found > 100);
	text_release(&line);
	java_stream_release(&s);
	input_close(&in);
	input_close(&expected);
}

/* Returns the value of a return, which follows its block data. */
static const struct java_value *captured(const char *path,
					 struct java_stream *s)
{
	const struct java_value *v;
	struct input in;
	size_t at;

	load(&in, path);
	assert_int_equal(java_stream_read(s, in.bytes, in.len, &at, &v),
			 JAVA_DONE);
	assert_int_equal(
		java_stream_read(s, in.bytes + at, in.len - at, &at, &v),
		JAVA_DONE);
	input_close(&in);
	return v;
}

/* getThreadInfo([J,int) of JDK 17 returns composites that share their type. */
static void thread_infos_of_a_jvm_are_composites(void **state)
{
	struct java_stream s = { 0 };
	struct arena a = { 0 };
	const struct value *v, *first, *frame;

	(void)state;
	v = java_to_value(captured(DATA "threads17.stream", &s), &a);
	assert_int_equal(v->kind, VALUE_ARRAY);
	assert_true(v->list.count > 5);
	for (size_t i = 0; i < v->list.count; i++) {
		const struct value *one = v->list.at[i];

		assert_int_equal(one->kind, VALUE_COMPOSITE);
		assert_string_equal(one->type,
				    "java.lang.management.ThreadInfo");
		assert_true(value_integer_of(value_member(one, "threadId"),
					     -1) > 0);
	}
	first = v->list.at[0];
	assert_string_equal(value_text_of(value_member(first, "threadName")),
			    "main");
	assert_int_equal(value_integer_of(value_member(first, "waitedTime"), 0),
			 -1);
	frame = value_member(first, "stackTrace")->list.at[0];
	assert_string_equal(value_text_of(value_member(frame, "methodName")),
			    "sleep");
	java_stream_release(&s);
	arena_release(&a);
}

static void mbean_info_of_a_jvm_is_converted(void **state)
{
	struct java_stream s = { 0 };
	struct arena a = { 0 };
	const struct jmx_info *info;
	const struct jmx_feature *pid = NULL;

	(void)state;
	info = java_to_info(captured(DATA "info25.stream", &s), &a);
	assert_non_null(info);
	assert_string_equal(info->class, "sun.management.RuntimeImpl");
	for (size_t i = 0; i < info->attribute_count; i++)
		if (!strcmp(info->attributes[i].name, "Pid"))
			pid = &info->attributes[i];
	assert_non_null(pid);
	assert_string_equal(pid->type, "long");
	assert_true(pid->readable && !pid->writable && !pid->is_getter);
	java_stream_release(&s);
	arena_release(&a);
}

/* An object of a class with a number of fields that all have the same value. */
struct made {
	struct java_class class;
	struct java_part part;
	struct java_field field;
	const struct java_value *inner;
	struct java_value v;
};

static void make_object(struct made *m, const char *class, const char *field,
			const struct java_value *inner)
{
	memset(m, 0, sizeof(*m));
	m->class.name = (struct java_bytes){ class, strlen(class) };
	m->class.generation = 1;
	m->class.fields = &m->field;
	m->class.field_count = 1;
	m->field.type = 'L';
	m->field.name = (struct java_bytes){ field, strlen(field) };
	m->inner = inner;
	m->part.class = &m->class;
	m->part.fields = &m->inner;
	m->v.kind = JAVA_OBJECT;
	m->v.object.class = &m->class;
	m->v.object.parts = &m->part;
	m->v.object.part_count = 1;
}

static const struct java_class objects = {
	.name = { "[Ljava.lang.Object;", 19 }, .generation = 1
};

static struct java_value array_of(const struct java_value **at, size_t count)
{
	struct java_value v = { .kind = JAVA_ARRAY };

	v.array.class = &objects;
	v.array.type = 'L';
	v.array.count = count;
	v.array.elements.at = at;
	v.array.elements.count = count;
	return v;
}

/* Each level refers twice to the next: 2^200 leaves. */
static void repeated_shared_objects_exhaust_the_budget(void **state)
{
	struct java_value levels[200];
	const struct java_value *at[200][2];
	struct arena a = { 0 };
	struct text json = { 0 };

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		at[i][0] = at[i][1] = i ? &levels[i - 1] : &java_null;
		levels[i] = array_of(at[i], 2);
	}
	/* Within the depth limit, so the number of values exceeds its limit. */
	add_json(&json, java_to_value(&levels[40], &a));
	assert_non_null(strstr(json.bytes, "too large"));
	assert_true(a.total < (size_t)1 << 30);
	text_clear(&json);
	arena_release(&a);
	add_json(&json, java_to_value(&levels[199], &a));
	assert_non_null(strstr(json.bytes, "too deep"));
	text_release(&json);
	arena_release(&a);
}

static void repeated_long_texts_exhaust_the_budget(void **state)
{
	static char bytes[1 << 20];
	static const struct java_value *at[100000];
	struct java_value text = { .kind = JAVA_STRING }, list;
	struct arena a = { 0 };
	const struct value *v;
	size_t said = 0;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	text.bytes = (struct java_bytes){ bytes, sizeof(bytes) };
	for (size_t i = 0; i < 100000; i++)
		at[i] = &text;
	list = array_of(at, 100000);
	v = java_to_value(&list, &a);
	for (size_t i = 0; i < v->list.count; i++)
		said += v->list.at[i]->text.len;
	assert_true(said > sizeof(bytes) && said <= CONVERT_COST_MAX * 64);
	assert_int_equal(v->list.at[v->list.count - 1]->kind, VALUE_CUT);
	/* The text is in memory only once. */
	assert_true(a.total < 64 << 20);
	arena_release(&a);
}

/* The same for a map, a composite and a table as for an array. */
static void truncation_is_marked(void **state)
{
	static char bytes[1 << 20];
	static const struct java_value *at[100000];
	struct java_value text = { .kind = JAVA_STRING };
	struct java_class class = { .name = { "java.util.HashMap", 17 },
				    .generation = 1 };
	struct java_part part = { .class = &class };
	struct java_value map = { .kind = JAVA_OBJECT };
	struct arena a = { 0 };
	const struct value *v;
	struct made m;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	text.bytes = (struct java_bytes){ bytes, sizeof(bytes) };
	for (size_t i = 0; i < 100000; i++)
		at[i] = &text;
	part.annotations.at = at;
	part.annotations.count = 100000;
	map.object.class = &class;
	map.object.parts = &part;
	map.object.part_count = 1;
	v = java_to_value(&map, &a);
	assert_int_equal(v->kind, VALUE_MAP);
	assert_true(v->map.count < 50000);
	assert_int_equal(v->map.at[v->map.count - 1].key->kind, VALUE_CUT);
	assert_int_equal(v->map.at[v->map.count - 1].value->kind, VALUE_CUT);
	arena_release(&a);
	make_object(&m, "javax.management.openmbean.CompositeDataSupport",
		    "contents", &map);
	v = java_to_value(&m.v, &a);
	assert_int_equal(v->kind, VALUE_COMPOSITE);
	assert_non_null(value_member(v, "@cut"));
	arena_release(&a);
	make_object(&m, "javax.management.openmbean.TabularDataSupport",
		    "dataMap", &map);
	v = java_to_value(&m.v, &a);
	assert_int_equal(v->kind, VALUE_TABULAR);
	assert_true(v->table.row_count > 0);
	v = value_member(v->table.rows[v->table.row_count - 1], "@cut");
	assert_non_null(v);
	assert_int_equal(v->kind, VALUE_CUT);
	arena_release(&a);
}

static void array_of_a_million_elements_is_converted(void **state)
{
	static const struct java_class longs = { .name = { "[J", 2 },
						 .generation = 1 };
	struct java_value v = { .kind = JAVA_ARRAY };
	struct arena a = { 0 };
	const struct value *made;
	uint8_t *raw = calloc(1000000, 8);

	(void)state;
	v.array.class = &longs;
	v.array.type = 'J';
	v.array.count = 1000000;
	v.array.raw = raw;
	raw[7999999] = 9;
	made = java_to_value(&v, &a);
	assert_int_equal(made->list.count, 1000000);
	assert_int_equal(made->list.at[999999]->integer, 9);
	assert_string_equal(made->type, "[J");
	free(raw);
	arena_release(&a);
}

/*
 * With impossible fields, an object of a known class is converted like any
 * other.
 */
static void known_class_with_wrong_fields_is_an_object(void **state)
{
	static const struct {
		const char *class, *field;
	} known[] = {
		{ "java.lang.Integer", "value" },
		{ "java.math.BigInteger", "magnitude" },
		{ "java.math.BigDecimal", "intVal" },
		{ "java.util.Vector", "elementData" },
		{ "java.util.UUID", "mostSigBits" },
		{ "java.util.Date", "x" },
		{ "java.time.Ser", "x" },
		{ "java.util.CollSer", "tag" },
		{ "javax.management.ObjectName", "x" },
		{ "javax.management.openmbean.CompositeDataSupport",
		  "contents" },
		{ "javax.management.openmbean.TabularDataSupport", "dataMap" },
	};
	static const struct java_value text = { .kind = JAVA_STRING,
						.bytes = { "odd", 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct arena a = { 0 };
		struct made m;
		const struct value *v;

		make_object(&m, known[i].class, known[i].field, &text);
		v = java_to_value(&m.v, &a);
		assert_int_equal(v->kind, VALUE_OBJECT);
		assert_string_equal(v->type, known[i].class);
		assert_string_equal(
			value_text_of(value_member(v, known[i].field)), "odd");
		arena_release(&a);
	}
}

static void cycle_is_truncated(void **state)
{
	struct made wrapped = { 0 };
	struct arena a = { 0 };
	const struct value *v;

	(void)state;
	/* A list that wraps itself. */
	make_object(&wrapped, "java.util.Collections$UnmodifiableCollection",
		    "c", &wrapped.v);
	v = java_to_value(&wrapped.v, &a);
	assert_int_equal(v->kind, VALUE_CUT);
	assert_string_equal(value_text_of(v), "refers to an enclosing value");
	arena_release(&a);
}

static void absent_value_is_null(void **state)
{
	struct arena a = { 0 };
	struct java_value part = { .kind = JAVA_OBJECT };
	static const struct java_class class = { .name = { "X", 1 },
						 .generation = 1 };
	struct java_part none = { .class = &class };

	(void)state;
	assert_int_equal(java_to_value(NULL, &a)->kind, VALUE_NULL);
	assert_int_equal(java_to_value(&java_null, &a)->kind, VALUE_NULL);
	assert_null(java_to_info(NULL, &a));
	/* An object that is not yet complete. */
	part.object.class = &class;
	part.object.parts = &none;
	part.object.part_count = 1;
	assert_int_equal(java_to_value(&part, &a)->kind, VALUE_OBJECT);
	arena_release(&a);
}

/* Characters of every encoded length, and surrogate pairs, at each position. */
static void long_text_is_not_truncated(void **state)
{
	static const char *const characters[] = {
		"\xed\x9f\x8b", "\xed\x80\x80",
		"\xc3\xa9",     "x",
		"\xee\x80\x81", "\xed\xa0\xbd\xed\xb8\x80", /* U+1F600 */
	};
	struct text bytes = { 0 }, whole = { 0 };
	struct arena a = { 0 };
	struct value_text made;
	uint32_t next = 7;

	(void)state;
	while (bytes.len < 5 << 20) {
		next = next * 1664525 + 1013904223;
		text_puts(&bytes,
			  characters[next >> 24 & 1 ? 5 : next >> 29 & 3]);
	}
	safe_text_valid(&whole, bytes.bytes, bytes.len);
	made = java_to_text((struct java_bytes){ bytes.bytes, bytes.len }, &a);
	assert_int_equal(made.len, whole.len);
	assert_memory_equal(made.at, whole.bytes, whole.len);
	/* Text in an invalid encoding is marked as truncated. */
	text_clear(&bytes);
	while (bytes.len < 20 << 20)
		text_puts(&bytes, "\x9b\x9b\x9b\x9b\x9b\x9b\x9b\x9b");
	made = java_to_text((struct java_bytes){ bytes.bytes, bytes.len }, &a);
	assert_true(made.len < 40 << 20);
	assert_non_null(strstr(made.at + made.len - 40, "mostly binary)"));
	text_release(&bytes);
	text_release(&whole);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncation_is_marked),
		cmocka_unit_test(known_classes_have_corresponding_values),
		cmocka_unit_test(thread_infos_of_a_jvm_are_composites),
		cmocka_unit_test(mbean_info_of_a_jvm_is_converted),
		cmocka_unit_test(repeated_shared_objects_exhaust_the_budget),
		cmocka_unit_test(repeated_long_texts_exhaust_the_budget),
		cmocka_unit_test(array_of_a_million_elements_is_converted),
		cmocka_unit_test(known_class_with_wrong_fields_is_an_object),
		cmocka_unit_test(cycle_is_truncated),
		cmocka_unit_test(absent_value_is_null),
		cmocka_unit_test(long_text_is_not_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
