/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_from_value.h"

#include "core/base/arena.h"
#include "jmx_http/java/java_stream.h"
#include "jmx_http/java/java_to_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define TYPES_KEPT FROM_VALUE_INFERRED_MAX

static struct value *composite(struct arena *a, size_t count)
{
	struct value *v = value_new(a, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(a, count * sizeof(*at));

	v->members.at = at;
	v->members.count = count;
	return v;
}

static const struct value_member *set(struct value *v, size_t index,
				      const char *name, const struct value *to)
{
	struct value_member *at = (struct value_member *)&v->members.at[index];

	*at = (struct value_member){ name, to };
	return at;
}

static const struct value *pair(struct arena *a, const struct value *first,
				const struct value *second)
{
	struct value *v = value_new(a, VALUE_ARRAY, "");
	const struct value **at = arena_alloc(a, 2 * sizeof(*at));

	at[0] = first;
	at[1] = second;
	v->list.at = at;
	v->list.count = 2;
	return v;
}

/* A composite whose parts have as many types as are kept, all different. */
static const struct value *forgetting(struct arena *a, size_t level)
{
	struct value *v = composite(a, TYPES_KEPT);
	char name[32];

	for (size_t i = 0; i < TYPES_KEPT; i++) {
		struct value *part = composite(a, 1);

		snprintf(name, sizeof(name), "p%zu_%02zu", level, i);
		name[sizeof(name) - 1] = '\0';
		set(part, 0, arena_copy(a, name, sizeof(name)),
		    value_integer(a, "", 1));
		set(v, i, part->members.at[0].name, part);
	}
	return v;
}

/*
 * Arrays of two composites that have the same members of different types: the
 * type of the inner array is needed twice at each level.
 */
static const struct value *doubling(struct arena *a, size_t levels)
{
	const struct value *inner = value_integer(a, "", 1);

	for (size_t i = 0; i < levels; i++) {
		struct value *one = composite(a, 2), *other = composite(a, 2);

		set(one, 0, "a", inner);
		set(one, 1, "b", forgetting(a, i));
		set(other, 0, "a", value_string(a, "text"));
		set(other, 1, "b", value_string(a, "text"));
		inner = pair(a, one, other);
	}
	return inner;
}

/* Writes a value; the stream must be valid.  Returns what a client reads. */
static const struct value *written(struct java_from_value *f,
				   const struct value *v, const char *type)
{
	struct text out = { 0 };
	struct java_output o = { .out = &out, .dialect = JAVA_OF_RMI };
	struct java_stream stream = { .memory_max = (size_t)256 << 20 };
	const struct java_value *read;
	const struct value *back;
	size_t used;

	f->output = &o;
	java_write_header(&out);
	java_from_value(f, v, type);
	assert_int_equal(
		java_stream_read(&stream, out.bytes, out.len, &used, &read),
		JAVA_DONE);
	assert_int_equal(used, out.len);
	back = java_to_value(read, f->arena);
	java_stream_release(&stream);
	java_output_release(&o);
	text_release(&out);
	return back;
}

static void nested_arrays_of_composites_have_bounded_work(void **state)
{
	struct arena a = { 0 };
	struct java_from_value f = { .arena = &a };
	const struct value *back = written(&f, doubling(&a, 20), "");

	(void)state;
	assert_int_equal(f.work, FROM_VALUE_WORK_MAX);
	assert_int_equal(back->list.count, 2);
	arena_release(&a);
}

static void few_levels_keep_their_types(void **state)
{
	struct arena a = { 0 };
	struct java_from_value f = { .arena = &a };
	const struct value *back = written(&f, doubling(&a, 3), "");

	(void)state;
	assert_true(f.work < FROM_VALUE_WORK_MAX);
	assert_int_equal(back->kind, VALUE_ARRAY);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_arrays_of_composites_have_bounded_work),
		cmocka_unit_test(few_levels_keep_their_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
