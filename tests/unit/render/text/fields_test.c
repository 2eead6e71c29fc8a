/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void put_row(struct fields *f)
{
	fields_text(f, "name", "=a \"b\", \033");
	fields_text(f, "none", NULL);
	fields_string(f, "part", "xyz", 2);
	fields_string(f, "empty", "", 0);
	fields_quoted(f, "quoted", "b");
	fields_uint(f, "uint", UINT64_MAX, true);
	fields_uint(f, "unknown", 7, false);
	fields_int(f, "int", INT64_MIN, true);
	fields_int(f, "unset", 7, false);
	fields_id(f, "id", 12);
	fields_id(f, "no_id", 0);
	fields_bool(f, "flag", false);
	fields_number(f, "number", "12.500");
	fields_double(f, "double", 0.125, 2);
	fields_double(f, "nan", (double)NAN, 2);
	fields_end(f);
}

static void row_is_a_line_of_csv(void **state)
{
	struct text out = { 0 };
	struct fields f = { .csv = &out };

	(void)state;
	put_row(&f);
	fields_uint(&f, "next", 1, true);
	fields_end(&f);
	assert_string_equal(
		out.bytes,
		"\"'=a \"\"b\"\", ␛\",,xy,,\"b\",18446744073709551615,,"
		"-9223372036854775808,,12,,false,12.500,0.12,\n"
		"1\n");
	text_release(&out);
}

static void row_is_an_object_of_json(void **state)
{
	struct text out = { 0 };
	struct json j = json_into(&out);
	struct fields f = { .json = &j };

	(void)state;
	json_open_object(&j);
	put_row(&f);
	assert_string_equal(
		out.bytes,
		"{\"name\":\"=a \\\"b\\\", \\u001b\",\"none\":null,"
		"\"part\":\"xy\",\"empty\":\"\",\"quoted\":\"b\",\"uint\":"
		"18446744073709551615,"
		"\"unknown\":null,\"int\":-9223372036854775808,"
		"\"unset\":null,\"id\":12,\"no_id\":null,\"flag\":false,"
		"\"number\":12.500,\"double\":0.125,\"nan\":null}");
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row_is_a_line_of_csv),
		cmocka_unit_test(row_is_an_object_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
