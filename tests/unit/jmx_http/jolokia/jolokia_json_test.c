/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as agents write it, and invalid JSON. */
#include "jmx_http/jolokia/jolokia_json.h"

#include "core/base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
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

static const struct value *convert(const char *json, const char *type)
{
	struct error err;
	cJSON *item = jolokia_json_parse(json, strlen(json), &err);
	const struct value *v;

	if (!item)
		fail_msg("%s: %s", json, err.text);
	v = jolokia_to_value(item, type, &arena);
	cJSON_Delete(item);
	return v;
}

static void assert_integer(const char *json, int64_t integer)
{
	const struct value *v = convert(json, "");

	assert_int_equal(v->kind, VALUE_INTEGER);
	assert_true(v->integer == integer);
}

static void integers_keep_all_64_bits(void **state)
{
	(void)state;
	assert_integer("9223372036854775807", INT64_MAX);
	assert_integer("-9223372036854775808", INT64_MIN);
	assert_integer("9007199254740993", INT64_C(9007199254740993));
	assert_integer("999999999999999", INT64_C(999999999999999));
	assert_integer("-1", -1);
	assert_integer("0", 0);
}

static void larger_integers_are_numbers_with_all_digits(void **state)
{
	const struct value *v = convert("9223372036854775808", "");

	(void)state;
	assert_int_equal(v->kind, VALUE_NUMBER);
	assert_string_equal(v->text.at, "9223372036854775808");
	v = convert("{\"bigint\":\"-100000000000000000000\"}", "");
	assert_int_equal(v->kind, VALUE_NUMBER);
	assert_string_equal(v->text.at, "-100000000000000000000");
	v = convert("-12345678901234567890.0123456789", "");
	assert_int_equal(v->kind, VALUE_NUMBER);
	assert_string_equal(v->text.at, "-12345678901234567890.0123456789");
}

static void reals_are_told_from_integers(void **state)
{
	(void)state;
	assert_int_equal(convert("1.0", "")->kind, VALUE_REAL);
	assert_int_equal(convert("1e3", "")->kind, VALUE_REAL);
	assert_int_equal(convert("3", "double")->kind, VALUE_REAL);
	assert_true(signbit(convert("-0.0", "")->real));
	assert_true(convert("0.1", "float")->real == (double)0.1f);
	assert_true(isnan(convert("NaN", "")->real));
	assert_true(isinf(convert("-Infinity", "")->real));
	assert_true(isnan(convert("\"NaN\"", "double")->real));
	assert_int_equal(convert("\"NaN\"", "")->kind, VALUE_STRING);
	assert_int_equal(convert("null", "double")->kind, VALUE_CUT);
	assert_int_equal(convert("null", "java.lang.Double")->kind, VALUE_NULL);
}

static void strings_of_numbers_follow_the_type(void **state)
{
	(void)state;
	assert_true(convert("\"9223372036854775807\"", "long")->integer ==
		    INT64_MAX);
	assert_int_equal(convert("\"12\"", "java.lang.String")->kind,
			 VALUE_STRING);
	assert_int_equal(convert("\"12\"", "java.math.BigInteger")->kind,
			 VALUE_NUMBER);
	assert_true(convert("[\"1\",\"2\"]", "[J")->list.at[1]->integer == 2);
}

static void dates_are_parsed_with_their_zone(void **state)
{
	static const char type[] = "java.util.Date";

	(void)state;
	assert_true(convert("\"2009-02-13T23:31:30Z\"", type)->integer ==
		    INT64_C(1234567890000));
	assert_true(convert("\"2009-02-14T01:01:30.123456789+01:30\"", type)
			    ->integer == INT64_C(1234567890123));
	assert_true(convert("\"2009-02-13T22:31:30-01:00\"", type)->integer ==
		    INT64_C(1234567890000));
	assert_int_equal(convert("\"Friday\"", type)->kind, VALUE_STRING);
	assert_int_equal(convert("\"2009-02-13T23:31:30\"", type)->kind,
			 VALUE_STRING);
}

static void strings_are_valid_utf8_with_their_nuls(void **state)
{
	const struct value *v = convert("\"a\\u0000b\"", "");

	(void)state;
	assert_int_equal(v->text.len, 3);
	assert_memory_equal(v->text.at, "a\0b", 3);
	assert_string_equal(convert("\"<\\ud83d>\"", "")->text.at,
			    "<\xef\xbf\xbd>");
	assert_string_equal(convert("\"\\ud83d\\ude00\"", "")->text.at,
			    "\xf0\x9f\x98\x80");
	assert_string_equal(convert("\"\\/\\\"\\n\xc3\xa4\"", "")->text.at,
			    "/\"\n\xc3\xa4");
	/* No string of a response is mistaken for the mark of a number. */
	assert_int_equal(convert("\"\xffx1\"", "")->kind, VALUE_STRING);
}

static const char *shown(const char *json, const char *type)
{
	struct text out = { 0 };
	const char *kept;
	struct json j = json_into(&out);

	value_json(&j, convert(json, type));
	kept = arena_copy(&arena, out.bytes, out.len);
	text_release(&out);
	return kept;
}

static void tables_are_rebuilt_from_each_form(void **state)
{
	static const char type[] = "javax.management.openmbean.TabularData";
	const struct value *v;

	(void)state;
	v = convert("{\"one\":{\"v\":1,\"k\":\"one\"},"
		    "\"two\":{\"v\":2,\"k\":\"two\"}}",
		    type);
	assert_int_equal(v->kind, VALUE_TABULAR);
	assert_int_equal(v->table.row_count, 2);
	assert_string_equal(v->table.index[0], "k");
	assert_string_equal(shown("{\"a\":1,\"b\":{\"c\":2}}", type),
			    "[{\"key\":\"a\",\"value\":1},"
			    "{\"key\":\"b\",\"value\":{\"c\":2}}]");
	v = convert("{\"indexNames\":[\"x\"],\"values\":[{\"x\":{\"y\":1}}]}",
		    type);
	assert_int_equal(v->table.row_count, 1);
	assert_string_equal(v->table.index[0], "x");
	assert_int_equal(convert("{}", type)->table.row_count, 0);
}

static void members_are_sorted_and_names_recognized(void **state)
{
	(void)state;
	assert_string_equal(shown("{\"used\":1,\"init\":2,\"max\":-1}", ""),
			    "{\"init\":2,\"max\":-1,\"used\":1}");
	assert_int_equal(convert("{\"objectName\":\"a:b=c\"}", "")->kind,
			 VALUE_NAME);
	assert_int_equal(
		convert("\"a:b=c\"", "javax.management.ObjectName")->kind,
		VALUE_NAME);
	assert_int_equal(convert("{\"a\":1}", "java.util.Map")->kind,
			 VALUE_MAP);
	assert_int_equal(convert("\"[Depth limit java.util.Map@1]\"", "")->kind,
			 VALUE_CUT);
}

static void assert_rejected(const char *json, size_t len)
{
	struct error err;
	cJSON *item = jolokia_json_parse(json, len, &err);

	if (item)
		fail_msg("accepted: %.60s", json);
	assert_int_equal(err.kind, ERROR_REFUSED);
}

static void documents_that_are_no_json_are_rejected(void **state)
{
	static const char *const all[] = {
		"",          "{",    "[1",      "[1,]", "{\"a\"}",
		"\"",        "\"\\", "\"\\u12", "tru",  "[1]x",
		"<html>",    "1.",   "--1",     "1e",   "-",
		"[\"\\x\"]", "{,}",  "]",       "NaNx", "[0x10]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_rejected(all[i], strlen(all[i]));
	assert_rejected("[1]\0", 4);
}

static char *repeat(const char *text, size_t times)
{
	size_t len = strlen(text);
	char *all = xmalloc(len * times + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(all + i * len, text, len);
	all[len * times] = '\0';
	return all;
}

static void depth_and_number_of_values_are_limited(void **state)
{
	char *deep = repeat("[", JOLOKIA_DEPTH_MAX + 1);
	char *wide = repeat("[],", 2 * JOLOKIA_VALUES_MAX + 1);

	(void)state;
	assert_rejected(deep, strlen(deep));
	*wide = '[';
	assert_rejected(wide, strlen(wide));
	free(deep);
	free(wide);
	/* Exceeds the depth limit of values, but not that of JSON. */
	deep = repeat("[", 100);
	wide = repeat("]", 100);
	deep = xrealloc(deep, 201, 1);
	memcpy(deep + 100, wide, 101);
	assert_non_null(strstr(shown(deep, ""), "$cut"));
	free(deep);
	free(wide);
}

static void every_prefix_of_a_document_is_handled(void **state)
{
	static const char whole[] =
		"[{\"a\":-12345678901234567.5e-3,\"b\\u0000\\ud83d\":[true,"
		"false,null,\"\\ud83d\\ude00\"]},NaN,-Infinity,0.5]";
	struct error err;

	(void)state;
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		char *copy = xmalloc(len + 1);
		cJSON *item;

		memcpy(copy, whole, len);
		item = jolokia_json_parse(copy, len, &err);
		assert_null(item);
		free(copy);
	}
	assert_int_equal(convert(whole, "")->list.count, 4);
}

static void arguments_are_written_as_agents_read_them(void **state)
{
	struct text out = { 0 };
	struct value *v = value_integer(&arena, "long", INT64_MIN);

	(void)state;
	jolokia_add_argument(&out, v);
	v = value_text(&arena, VALUE_NUMBER, "java.math.BigInteger",
		       "12345678901234567890", 20);
	text_putc(&out, ' ');
	jolokia_add_argument(&out, v);
	v = value_new(&arena, VALUE_REAL, "double");
	v->real = (double)NAN;
	text_putc(&out, ' ');
	jolokia_add_argument(&out, v);
	text_putc(&out, ' ');
	jolokia_add_argument(&out, value_string(&arena, "a\"/\n"));
	v = value_new(&arena, VALUE_DATE, "java.util.Date");
	v->integer = 1234567890123;
	text_putc(&out, ' ');
	jolokia_add_argument(&out, v);
	assert_string_equal(out.bytes,
			    "-9223372036854775808 \"12345678901234567890\" "
			    "\"NaN\" \"a\\\"/\\n\" 1234567890123");
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_keep_all_64_bits),
		cmocka_unit_test(larger_integers_are_numbers_with_all_digits),
		cmocka_unit_test(reals_are_told_from_integers),
		cmocka_unit_test(strings_of_numbers_follow_the_type),
		cmocka_unit_test(dates_are_parsed_with_their_zone),
		cmocka_unit_test(strings_are_valid_utf8_with_their_nuls),
		cmocka_unit_test(tables_are_rebuilt_from_each_form),
		cmocka_unit_test(members_are_sorted_and_names_recognized),
		cmocka_unit_test(documents_that_are_no_json_are_rejected),
		cmocka_unit_test(depth_and_number_of_values_are_limited),
		cmocka_unit_test(every_prefix_of_a_document_is_handled),
		cmocka_unit_test(arguments_are_written_as_agents_read_them),
	};

	return cmocka_run_group_tests(tests, NULL, release_arena);
}
