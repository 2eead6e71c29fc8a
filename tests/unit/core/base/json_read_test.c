/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct json_reader over(const char *text)
{
	return json_reader_over(text, strlen(text));
}

static void reader_returns_members_and_elements_in_order(void **state)
{
	struct json_reader r = over(
		" { \"a\" : [ 1 , -2 ,3] , \"b\":{},\"c\":[] , \"d\":true"
		",\"e\":null} ");
	struct line key;

	(void)state;
	assert_true(json_enter_object(&r));
	assert_true(json_next_member(&r, &key));
	assert_true(line_is(key, "a"));
	assert_true(json_enter_array(&r));
	assert_true(json_next_element(&r));
	assert_int_equal(json_read_int(&r), 1);
	assert_true(json_next_element(&r));
	assert_int_equal(json_read_int(&r), -2);
	assert_true(json_next_element(&r));
	assert_int_equal(json_read_uint(&r), 3);
	assert_false(json_next_element(&r));
	assert_true(json_next_member(&r, &key));
	assert_true(line_is(key, "b"));
	assert_true(json_enter_object(&r));
	assert_false(json_next_member(&r, &key));
	assert_true(json_next_member(&r, &key));
	assert_true(line_is(key, "c"));
	assert_true(json_enter_array(&r));
	assert_false(json_next_element(&r));
	assert_true(json_next_member(&r, &key));
	assert_true(json_read_bool(&r));
	assert_true(json_next_member(&r, &key));
	json_skip(&r);
	assert_false(json_next_member(&r, &key));
	assert_true(json_reader_at_end(&r));
}

static void numbers_have_all_their_bits(void **state)
{
	struct json_reader r = over("9223372036854775807 ");

	(void)state;
	assert_true(json_read_int(&r) == INT64_MAX);
	r = over("-9223372036854775808 ");
	assert_true(json_read_int(&r) == INT64_MIN);
	assert_true(json_reader_at_end(&r));
	r = over("18446744073709551615 ");
	assert_true(json_read_uint(&r) == UINT64_MAX);
	assert_true(json_reader_at_end(&r));
}

static void reader_rejects_malformed_integers(void **state)
{
	static const char *const signed_ones[] = {
		"12", /* it may be truncated */
		"9223372036854775808",
		"-9223372036854775809",
		"",
		"-",
		"--1",
		"1.5",
		"1e3",
		"x",
		"\"1\"",
		"null",
		"+1",
		"0x1",
	};
	static const char *const unsigned_ones[] = {
		"18446744073709551616",
		"99999999999999999999999",
		"-1",
		"1.0",
	};
	struct json_reader r;

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		r = over(signed_ones[i]);
		assert_int_equal(json_read_int(&r), 0);
		assert_true(r.failed);
		assert_false(json_reader_at_end(&r));
	}
	for (size_t i = 0; i < 4; i++) {
		r = over(unsigned_ones[i]);
		assert_int_equal(json_read_uint(&r), 0);
		assert_true(r.failed);
	}
}

static void strings_lose_their_escapes(void **state)
{
	struct json_reader r = over(
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u20AC"
		"\\ud83d\\ude00 \\ud83d. \\u0000 \xc3\xa4\"");
	struct text out = { 0 };

	(void)state;
	text_puts(&out, "> ");
	json_read_text(&r, &out);
	assert_true(json_reader_at_end(&r));
	assert_string_equal(out.bytes,
			    "> \"\\/\b\f\n\r\t\xc3\xa4\xe2\x82\xac"
			    "\xf0\x9f\x98\x80 \xed\xa0\xbd. \xc0\x80 \xc3\xa4");
	text_release(&out);
}

static void broken_strings_fail(void **state)
{
	static const char *const broken[] = {
		"\"",        "\"a",         "\"\\\"", "\"\\x\"",
		"\"\\u12\"", "\"\\u12g4\"", "a",      "",
	};
	struct text out = { 0 };
	struct json_reader r;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		r = over(broken[i]);
		json_read_text(&r, &out);
		assert_true(r.failed);
	}
	text_release(&out);
}

static void broken_structure_fails(void **state)
{
	static const char *const broken[] = {
		"{",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,",
		"{\"a\" 1}",
		"{\"a\":1 \"b\":2}",
		"{a:1}",
		"{,}",
		"[1]",
		"",
		"{\"a\":1]",
		"{\"a\":1,}",
	};
	struct json_reader r;
	struct line key;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		r = over(broken[i]);
		json_enter_object(&r);
		while (json_next_member(&r, &key))
			json_skip(&r);
		assert_false(json_reader_at_end(&r));
		assert_true(r.failed);
	}
}

static void reader_returns_nothing_after_damage(void **state)
{
	struct json_reader r = over("[7]");
	struct line key;

	(void)state;
	assert_true(json_enter_array(&r));
	assert_true(json_next_element(&r));
	assert_false(json_enter_object(&r));
	assert_false(json_next_element(&r));
	assert_false(json_next_member(&r, &key));
	assert_false(json_enter_array(&r));
	assert_false(json_next_element(&r));
}

static void values_of_any_depth_are_skipped(void **state)
{
	enum { DEPTH = 1000000 };
	struct text deep = { 0 };
	struct json_reader r = over(
		"[{\"a\":[1,{\"b\":\"]}\\\"\"}],\"c\":null}, 7]");

	(void)state;
	assert_true(json_enter_array(&r));
	assert_true(json_next_element(&r));
	json_skip(&r);
	assert_true(json_next_element(&r));
	assert_int_equal(json_read_int(&r), 7);
	assert_false(json_next_element(&r));
	assert_true(json_reader_at_end(&r));
	for (size_t i = 0; i < DEPTH; i++)
		text_putc(&deep, '[');
	r = json_reader_over(deep.bytes, deep.len);
	json_skip(&r);
	assert_true(r.failed);
	text_release(&deep);
}

static void reader_is_not_at_the_end_before_trailing_text(void **state)
{
	struct json_reader r = over("true false");

	(void)state;
	assert_true(json_read_bool(&r));
	assert_false(json_reader_at_end(&r));
	assert_false(r.failed);
	assert_false(json_read_bool(&r));
	assert_true(json_reader_at_end(&r));
	json_reader_fail(&r);
	assert_false(json_reader_at_end(&r));
}

static bool is_valid(const char *text)
{
	return json_is_valid(text, strlen(text));
}

static void documents_of_rfc_8259_are_valid(void **state)
{
	static const char *const valid[] = {
		" {\"a\" : [1, -0, 0.5e+3, 1E9, true, false, null] } \r\n",
		"\"\\u0000\\ud83d\\ude00\\/\\b\xf0\x9f\x98\x80\x7f\"",
		"[[],{},\"\"]",
		"{\"\\n\":{\"\":[]}}",
		"7",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++)
		if (!is_valid(valid[i]))
			fail_msg("%s", valid[i]);
}

static void documents_that_a_reader_skips_are_invalid(void **state)
{
	static const char *const invalid[] = {
		"",
		" ",
		"{",
		"]",
		"[1,]",
		"[,1]",
		"{\"a\":1,}",
		"{\"a\"}",
		"{a:1}",
		"[1 2]",
		"{\"a\":}",
		"{\"a\":[}]}",
		"[1}",
		"1 2",
		"[01]",
		"[1.]",
		"[.5]",
		"[+1]",
		"[-]",
		"[1e]",
		"[0x1]",
		"[nul]",
		"[True]",
		"[NaN]",
		"['a']",
		"[\"\\x\"]",
		"[\"\\u12g4\"]",
		"[\"\\ud800\"]",
		"[\"\\udc00\\ud800\"]",
		"[\"\t\"]",
		"[\"\x80\"]",
		"[\"\xc0\x80\"]",
		"[\"\xed\xa0\x80\"]",
		"[\"\xf4\x90\x80\x80\"]",
		"[\"\xe2\x82\"]",
		"{\"\xff\":1}",
		"[1]\f",
		"\xef\xbb\xbf[]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++)
		if (is_valid(invalid[i]))
			fail_msg("%s", invalid[i]);
	assert_false(json_is_valid("[\"\0\"]", 5));
	assert_false(json_is_valid("[]\0", 3));
}

static void documents_nest_64_levels(void **state)
{
	char text[131] = "";

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	assert_true(is_valid(text));
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_false(is_valid(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reader_returns_members_and_elements_in_order),
		cmocka_unit_test(numbers_have_all_their_bits),
		cmocka_unit_test(reader_rejects_malformed_integers),
		cmocka_unit_test(strings_lose_their_escapes),
		cmocka_unit_test(broken_strings_fail),
		cmocka_unit_test(broken_structure_fails),
		cmocka_unit_test(reader_returns_nothing_after_damage),
		cmocka_unit_test(values_of_any_depth_are_skipped),
		cmocka_unit_test(reader_is_not_at_the_end_before_trailing_text),
		cmocka_unit_test(documents_of_rfc_8259_are_valid),
		cmocka_unit_test(documents_that_a_reader_skips_are_invalid),
		cmocka_unit_test(documents_nest_64_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
