/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void writer_puts_commas_between_values_only(void **state)
{
	struct text out = { 0 };
	struct json j = json_into(&out);

	(void)state;
	json_open_object(&j);
	json_key(&j, "a");
	json_open_array(&j);
	json_close_array(&j);
	json_key(&j, "b");
	json_open_array(&j);
	json_int(&j, -1);
	json_open_array(&j);
	json_null(&j);
	json_close_array(&j);
	json_open_object(&j);
	json_close_object(&j);
	json_bool(&j, true);
	json_bool(&j, false);
	json_close_array(&j);
	json_key(&j, "c");
	json_text(&j, "x");
	json_close_object(&j);
	assert_string_equal(out.bytes, "{\"a\":[],\"b\":[-1,[null],{},true,"
				       "false],\"c\":\"x\"}");
	text_release(&out);
}

static void members_have_their_keys_and_null_for_unknown(void **state)
{
	struct text out = { 0 };
	struct json j = json_into(&out);

	(void)state;
	json_open_object(&j);
	json_add_object(&j, "a");
	json_add_text(&j, "text", "x");
	json_add_text(&j, "none", NULL);
	json_add_string(&j, "part", "xyz", 2);
	json_close_object(&j);
	json_add_array(&j, "b");
	json_close_array(&j);
	json_add_id(&j, "id", 7);
	json_add_id(&j, "no_id", 0);
	json_add_int(&j, "int", -1);
	json_add_uint(&j, "uint", 0);
	json_add_double(&j, "double", 0.5);
	json_add_bool(&j, "bool", true);
	json_add_null(&j, "null");
	json_close_object(&j);
	assert_string_equal(out.bytes,
			    "{\"a\":{\"text\":\"x\",\"none\":null,\"part\":"
			    "\"xy\"},\"b\":[],\"id\":7,\"no_id\":null,"
			    "\"int\":-1,\"uint\":0,\"double\":0.5,"
			    "\"bool\":true,\"null\":null}");
	text_release(&out);
}

static void numbers_are_exact_to_their_ends(void **state)
{
	struct text out = { 0 };
	struct json j = json_into(&out);

	(void)state;
	json_open_array(&j);
	json_int(&j, INT64_MIN);
	json_uint(&j, UINT64_MAX);
	json_double(&j, 0.5);
	json_double(&j, -1e300);
	json_double(&j, (double)NAN);
	json_double(&j, (double)INFINITY);
	json_close_array(&j);
	assert_string_equal(out.bytes,
			    "[-9223372036854775808,18446744073709551615,0.5,"
			    "-1e+300,null,null]");
	text_release(&out);
}

static void expect_quoted(const char *in, size_t len, const char *expected)
{
	struct text out = { 0 };
	struct json j = json_into(&out);

	json_string(&j, in, len);
	assert_string_equal(out.bytes, expected);
	text_release(&out);
}

static void strings_are_escaped_and_made_valid(void **state)
{
	(void)state;
	expect_quoted("", 0, "\"\"");
	expect_quoted("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
	expect_quoted("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"");
	expect_quoted("\x1b\x7f\0", 3, "\"\\u001b\\u007f\\u0000\"");
	/* Data is kept, but characters that affect a terminal are escaped. */
	expect_quoted("\xe2\x80\xae\xc3\xb6", 5, "\"\\u202e\xc3\xb6\"");
	expect_quoted("\xc2\x9b\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		      "\"\\u009b\xe2\x82\xac\xf0\x9f\x98\x80\"");
	expect_quoted("\xf3\xa0\x81\xa1", 4, "\"\\udb40\\udc61\"");
	expect_quoted("\xff", 1, "\"\xef\xbf\xbd\"");
	expect_quoted("\xed\xa0\xbd\xed\xb4\xa5", 6, "\"\xf0\x9f\x94\xa5\"");
}

static void sixty_levels_are_written(void **state)
{
	struct text out = { 0 };
	struct json j = json_into(&out);

	(void)state;
	for (int i = 0; i < 60; i++) {
		json_open_array(&j);
		json_int(&j, i % 10);
	}
	for (int i = 0; i < 60; i++)
		json_close_array(&j);
	assert_int_equal(out.len, 60 * 4 - 1);
	assert_memory_equal(out.bytes, "[0,[1,[2,", 9);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writer_puts_commas_between_values_only),
		cmocka_unit_test(members_have_their_keys_and_null_for_unknown),
		cmocka_unit_test(numbers_are_exact_to_their_ends),
		cmocka_unit_test(strings_are_escaped_and_made_valid),
		cmocka_unit_test(sixty_levels_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
