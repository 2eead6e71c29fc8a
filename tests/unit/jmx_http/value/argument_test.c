/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/value/argument.h"

#include "jmx_http/value/java_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/*
 * Compares the argument as JSON, which shows its kind, or the error after "!".
 */
static void reads(const char *type, const char *text, const char *wanted)
{
	struct arena a = { 0 };
	struct text got = { 0 };
	struct json j = json_into(&got);
	struct error err = { 0 };
	const struct value *v = argument_parse(type, text, &a, &err);

	if (v) {
		value_json(&j, v);
	} else {
		assert_int_equal(err.kind, ERROR_MISUSE);
		text_printf(&got, "!%s", err.text);
	}
	assert_string_equal(got.bytes, wanted);
	if (v && v->kind != VALUE_NULL && v->kind != VALUE_STRING)
		assert_string_equal(v->type, type);
	text_release(&got);
	arena_release(&a);
}

static void refuses(const char *type, const char *text)
{
	struct arena a = { 0 };
	struct error err = { 0 };

	assert_null(argument_parse(type, text, &a, &err));
	assert_int_equal(err.kind, ERROR_MISUSE);
	arena_release(&a);
}

static void integers_are_limited_by_their_type(void **state)
{
	(void)state;
	reads("byte", "-128", "-128");
	reads("byte", "128",
	      "!128 is too large for byte, which goes from -128 to 127");
	reads("short", "32767", "32767");
	refuses("short", "-32769");
	reads("int", "-2147483648", "-2147483648");
	refuses("int", "2147483648");
	reads("java.lang.Integer", "+7", "7");
	reads("long", "-9223372036854775808", "-9223372036854775808");
	refuses("long", "9223372036854775808");
	refuses("long", "99999999999999999999999999");
	reads("int", "0x10", "!'0x10' is not a valid int");
	refuses("int", "1.0");
	refuses("int", "1e3");
	refuses("int", " 1");
	refuses("int", "-");
	refuses("int", "");
	refuses("int", "1\n");
}

static void numbers_are_parsed_as_in_java(void **state)
{
	(void)state;
	reads("double", "-1.5e3", "-1500");
	reads("double", ".5", "0.5");
	reads("float", "1", "1");
	reads("double", "NaN", "\"NaN\"");
	reads("java.lang.Double", "-Infinity", "\"-Infinity\"");
	refuses("double", "nan");
	refuses("double", "inf");
	refuses("double", "0x1p3");
	refuses("double", ".");
	refuses("double", "1e");
	refuses("double", "1,5");
	reads("java.math.BigInteger", "-123456789012345678901234567890",
	      "-123456789012345678901234567890");
	refuses("java.math.BigInteger", "1.5");
	reads("java.math.BigDecimal", "1.50", "1.50");
	refuses("java.math.BigDecimal", "1e3");
}

static void other_types_are_parsed(void **state)
{
	(void)state;
	reads("boolean", "TRUE", "true");
	reads("java.lang.Boolean", "false", "false");
	refuses("boolean", "yes");
	reads("char", "x", "\"x\"");
	reads("java.lang.Character", "\xe2\x82\xac", "\"\xe2\x82\xac\"");
	refuses("char", "xy");
	refuses("char", "");
	/* A surrogate pair has two chars. */
	refuses("char", "\xf0\x9f\x98\x80");
	reads("java.lang.String", "any \"text\"", "\"any \\\"text\\\"\"");
	reads("java.lang.Object", "7", "\"7\"");
	reads("javax.management.ObjectName", "a:b=c", "\"a:b=c\"");
	refuses("javax.management.ObjectName", "abc");
	reads("java.util.Date", "1234567890123",
	      "\"2009-02-13T23:31:30.123Z\"");
	reads("java.util.Date", "2009-02-13T23:31:30Z",
	      "\"2009-02-13T23:31:30.000Z\"");
	reads("java.util.Date", "2009-02-13T23:31:30.5Z",
	      "\"2009-02-13T23:31:30.500Z\"");
	refuses("java.util.Date", "2009-02-13");
	/* Not accepted as March 2nd. */
	refuses("java.util.Date", "2009-02-30T00:00:00Z");
	refuses("java.util.Date", "2009-02-13T23:31:60Z");
	reads("java.util.Date", "2008-02-29T00:00:00Z",
	      "\"2008-02-29T00:00:00.000Z\"");
	refuses("java.util.Date", "99999999999999999999");
	reads("com.acme.Point", "1",
	      "!a com.acme.Point cannot be given as text; supported: "
	      "numbers, true and false, strings, dates, MBean names, "
	      "enum constants, and arrays of these types");
	reads("com.acme.Color", "GREEN", "\"GREEN\"");
	reads("com.acme.Color", "<null>", "null");
	refuses("com.acme.Color", "");
	refuses("com.acme.Color", "GREEN ");
	refuses("javax.management.openmbean.CompositeData", "x");
	refuses("[[I", "1");
}

static void empty_word_and_null_word_are_null(void **state)
{
	(void)state;
	reads("java.lang.String", "<null>", "null");
	reads("java.lang.String", "", "\"\"");
	reads("java.lang.Long", "", "null");
	reads("java.lang.Boolean", "", "null");
	reads("[I", "", "null");
	reads("[Ljava.lang.String;", "", "null");
	reads("javax.management.ObjectName", "<null>", "null");
	reads("java.util.Date", "<null>", "null");
}

static void arrays_are_separated_by_commas(void **state)
{
	(void)state;
	reads("[I", "1,-2", "[1,-2]");
	reads("[Ljava.lang.String;", "[]", "[]");
	reads("[I", "[]", "[]");
	reads("[J", "9223372036854775807", "[9223372036854775807]");
	reads("[Z", "true,false", "[true,false]");
	reads("[D", "0.5,NaN", "[0.5,\"NaN\"]");
	reads("[Ljava.lang.String;", "a,<null>,", "[\"a\",null,\"\"]");
	reads("[Ljava.lang.String;", "a\\,b,c\\d", "[\"a,b\",\"c\\\\d\"]");
	reads("[Ljava.lang.Integer;", "1,,3", "[1,null,3]");
	reads("[I", "1,x", "!'x' is not a valid int");
	refuses("[I", "1,");
}

/* Checks that each type matches the text better than the types after it. */
static void order(const char *text, const char *const *types)
{
	for (; types[1]; types++) {
		if (argument_distance(types[0], text) >=
		    argument_distance(types[1], text))
			fail_msg("of %s, %s is no nearer than %s", text,
				 types[0], types[1]);
	}
}

static void errors_name_the_text_and_the_type(void **state)
{
	static const struct {
		const char *type, *text, *said;
	} cases[] = {
		{ "java.util.Date", "today", "2026-11-21T20:19:00Z" },
		{ "[I", "[1,2]", "spaces: 1,2,3" },
		{ "java.util.Map", "{a=1}", "supported: numbers" },
	};
	struct arena a = { 0 };
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_null(
			argument_parse(cases[i].type, cases[i].text, &a, &err));
		assert_int_equal(err.kind, ERROR_MISUSE);
		assert_non_null(strstr(err.text, cases[i].said));
	}
	arena_release(&a);
}

static void distances_order_types_as_java_does(void **state)
{
	static const char *const of_integer[] = { "int",
						  "java.lang.Integer",
						  "long",
						  "java.lang.Long",
						  "short",
						  "byte",
						  "double",
						  "float",
						  "java.math.BigInteger",
						  "java.math.BigDecimal",
						  "char",
						  "java.lang.String",
						  "java.lang.Object",
						  "[I",
						  "[Ljava.lang.String;",
						  NULL };
	static const char *const of_real[] = { "double",
					       "java.lang.Double",
					       "float",
					       "java.math.BigDecimal",
					       "java.lang.String",
					       NULL };
	static const char *const of_boolean[] = { "boolean",
						  "java.lang.Boolean",
						  "java.lang.String", NULL };
	static const char *const of_numbers[] = { "[I", "[J", "[D",
						  "java.lang.String", NULL };
	static const char *const of_texts[] = { "java.lang.String",
						"java.lang.Object",
						"[Ljava.lang.String;", NULL };
	static const char *const of_name[] = { "javax.management.ObjectName",
					       "java.lang.String", NULL };

	(void)state;
	order("3", of_integer);
	order("3.5", of_real);
	order("true", of_boolean);
	order("1,2", of_numbers);
	order("a,b", of_texts);
	order("java.lang:type=Memory", of_name);
}

static void types_are_printed_in_java_syntax(void **state)
{
	static const char *const names[][2] = {
		{ "int", "int" },
		{ "[J", "long[]" },
		{ "[[Z", "boolean[][]" },
		{ "java.lang.String", "String" },
		{ "[Ljava.lang.String;", "String[]" },
		{ "java.util.Date", "java.util.Date" },
		{ "[Ljavax.management.openmbean.CompositeData;",
		  "CompositeData[]" },
		{ "[", "[]" },
		{ "[Q", "Q[]" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text got = { 0 };

		text_puts(&got, "");
		java_type_add(&got, names[i][0]);
		assert_string_equal(got.bytes, names[i][1]);
		text_release(&got);
	}
}

static bool is(const char *type, const char *given)
{
	return java_type_is(type, given, strlen(given));
}

static void types_are_found_by_name(void **state)
{
	(void)state;
	assert_true(is("[J", "[J"));
	assert_true(is("[J", "long[]"));
	assert_true(is("java.lang.String", "String"));
	assert_true(is("java.lang.String", "java.lang.String"));
	assert_true(is("java.util.Date", "Date"));
	assert_true(is("[Ljava.lang.String;", "java.lang.String[]"));
	assert_true(is("[Ljava.util.Date;", "Date[]"));
	assert_false(is("long", "int"));
	assert_false(is("long", "long[]"));
	assert_false(is("java.util.Date", "util.Date"));
	assert_false(is("java.util.Date", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_limited_by_their_type),
		cmocka_unit_test(numbers_are_parsed_as_in_java),
		cmocka_unit_test(other_types_are_parsed),
		cmocka_unit_test(empty_word_and_null_word_are_null),
		cmocka_unit_test(arrays_are_separated_by_commas),
		cmocka_unit_test(errors_name_the_text_and_the_type),
		cmocka_unit_test(distances_order_types_as_java_does),
		cmocka_unit_test(types_are_printed_in_java_syntax),
		cmocka_unit_test(types_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
