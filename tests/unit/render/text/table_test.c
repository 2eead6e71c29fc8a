/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct table_column columns[] = {
	{ "PID", true },
	{ "MAIN", false },
};

static struct table table_with(const char *const *cells, size_t count)
{
	struct table t = { .columns = columns, .column_count = 2 };

	for (size_t i = 0; i < count; i++)
		table_add(&t, cells[i]);
	return t;
}

static void same_text(const char *const *cells, size_t count, size_t width,
		      const char *wanted)
{
	struct table t = table_with(cells, count);
	struct text got = { 0 };

	table_text(&t, width, &got);
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
	table_release(&t);
}

static void table_text_aligns_columns(void **state)
{
	static const char *const cells[] = { "7", "com.acme.Main", "4711",
					     "x" };

	(void)state;
	same_text(cells, 4, 0,
		  " PID  MAIN\n"
		  "   7  com.acme.Main\n"
		  "4711  x\n");
	same_text(cells, 0, 0, "PID  MAIN\n");
}

static void table_text_escapes_control_characters(void **state)
{
	static const char *const cells[] = { "1", "\x1b[2J\xff" };

	(void)state;
	same_text(cells, 2, 0, "PID  MAIN\n  1  \u241b[2J\ufffd\n");
}

static void long_lines_are_truncated_between_characters(void **state)
{
	static const char *const cells[] = { "1", "ääää", "2", "bbb" };

	(void)state;
	same_text(cells, 4, 8, "PID  MA…\n  1  ää…\n  2  bbb\n");
}

static void formulas_in_csv_are_prefixed(void **state)
{
	static const char *const cells[] = { "-1", "=cmd|'x'", "2", "a,\"b\"",
					     "3",  "plain",    "4", "\t=1",
					     "5",  "",         "6", "-2.5E-3",
					     "7",  "-1+2",     "8", "-" };
	struct table t = table_with(cells, 16);
	struct text got = { 0 };

	(void)state;
	table_csv(&t, &got);
	assert_string_equal(got.bytes, "PID,MAIN\n"
				       "-1,\"'=cmd|'x'\"\n"
				       "2,\"a,\"\"b\"\"\"\n"
				       "3,plain\n"
				       "4,\xe2\x90\x89=1\n"
				       "5,\n"
				       "6,-2.5E-3\n"
				       "7,\"'-1+2\"\n"
				       "8,\"'-\"\n");
	text_release(&got);
	table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_text_aligns_columns),
		cmocka_unit_test(table_text_escapes_control_characters),
		cmocka_unit_test(long_lines_are_truncated_between_characters),
		cmocka_unit_test(formulas_in_csv_are_prefixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
