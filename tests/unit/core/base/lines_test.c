/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_line(struct lines *l, const char *text)
{
	struct line line;

	assert_true(lines_next(l, &line));
	assert_int_equal(line.len, strlen(text));
	assert_memory_equal(line.text, text, line.len);
}

static void lines_end_with_lf_crlf_or_the_text(void **state)
{
	static const char text[] = "one\ntwo\r\n\n\r\na\rb\nlast";
	struct lines l = lines_over(text, strlen(text));
	struct line line;

	(void)state;
	expect_line(&l, "one");
	expect_line(&l, "two");
	expect_line(&l, "");
	expect_line(&l, "");
	expect_line(&l, "a\rb");
	assert_int_equal(l.number, 5);
	expect_line(&l, "last");
	assert_false(lines_next(&l, &line));
	assert_false(lines_next(&l, &line));
	assert_int_equal(l.number, 6);
}

static void trailing_newline_begins_no_line(void **state)
{
	struct lines l = lines_over("a\n", 2);
	struct line line;

	(void)state;
	expect_line(&l, "a");
	assert_false(lines_next(&l, &line));
}

static void empty_text_has_no_line(void **state)
{
	struct lines l = lines_over(NULL, 0);
	struct line line;

	(void)state;
	assert_false(lines_next(&l, &line));
	assert_int_equal(l.number, 0);
}

static void line_may_contain_nul(void **state)
{
	struct lines l = lines_over("a\0b\nc", 5);
	struct line line;

	(void)state;
	assert_true(lines_next(&l, &line));
	assert_int_equal(line.len, 3);
	expect_line(&l, "c");
}

static void line_starts_reads_only_the_line(void **state)
{
	struct line line = { "abc", 2 };

	(void)state;
	assert_true(line_starts(line, ""));
	assert_true(line_starts(line, "ab"));
	assert_false(line_starts(line, "abc"));
	assert_false(line_starts(line, "b"));
}

static void line_ends_reads_only_the_line(void **state)
{
	const char *text = "xab";
	struct line line = { text + 1, 2 };

	(void)state;
	assert_true(line_ends(line, ""));
	assert_true(line_ends(line, "ab"));
	assert_false(line_ends(line, "xab"));
	assert_false(line_ends(line, "a"));
}

static void line_is_compares_the_whole_line(void **state)
{
	struct line line = { "abc", 2 };

	(void)state;
	assert_true(line_is(line, "ab"));
	assert_false(line_is(line, "a"));
	assert_false(line_is(line, "abc"));
}

static void blanks_and_tabs_are_trimmed_from_both_ends(void **state)
{
	struct line line = line_trimmed((struct line){ "\t a b \t\n", 7 });
	struct line blank = line_trimmed((struct line){ " \t ", 3 });

	(void)state;
	assert_int_equal(line.len, 3);
	assert_memory_equal(line.text, "a b", 3);
	assert_int_equal(blank.len, 0);
}

static void line_cut_takes_the_text_before_the_separator(void **state)
{
	struct line rest = { "a=b==c", 5 };
	struct line none = { NULL, 0 };

	(void)state;
	assert_true(line_is(line_cut(&rest, '='), "a"));
	assert_true(line_is(line_cut(&rest, '='), "b"));
	assert_int_equal(line_cut(&rest, '=').len, 0);
	assert_int_equal(rest.len, 0);
	rest = (struct line){ "ab=", 2 };
	assert_true(line_is(line_cut(&rest, '='), "ab"));
	assert_int_equal(rest.len, 0);
	assert_int_equal(line_cut(&rest, '=').len, 0);
	assert_int_equal(line_cut(&none, '=').len, 0);
}

/* Parts of a log that were truncated and joined again. */
static void nul_bytes_before_a_line_are_skipped(void **state)
{
	static const char text[] = "a\n\0\0\0b\n\0\nc\0d\n";
	struct lines lines = lines_over(text, sizeof(text) - 1);
	struct line line;

	(void)state;
	assert_true(lines_next(&lines, &line) && line_is(line, "a"));
	assert_true(lines_next(&lines, &line) && line_is(line, "b"));
	assert_true(lines_next(&lines, &line) && !line.len);
	assert_true(lines_next(&lines, &line) && line.len == 3);
	assert_false(lines_next(&lines, &line));
}

static void last_line_without_a_newline_ends_open(void **state)
{
	static const char *const texts[] = { "a\nb", "a\nb\n", "a", "" };
	static const bool open[] = { true, false, true, false };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct lines l = lines_over(texts[i], strlen(texts[i]));
		struct line line;

		assert_false(lines_end_open(&l));
		while (lines_next(&l, &line))
			;
		assert_int_equal(lines_end_open(&l), open[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_lf_crlf_or_the_text),
		cmocka_unit_test(trailing_newline_begins_no_line),
		cmocka_unit_test(empty_text_has_no_line),
		cmocka_unit_test(line_may_contain_nul),
		cmocka_unit_test(nul_bytes_before_a_line_are_skipped),
		cmocka_unit_test(line_starts_reads_only_the_line),
		cmocka_unit_test(line_ends_reads_only_the_line),
		cmocka_unit_test(line_is_compares_the_whole_line),
		cmocka_unit_test(blanks_and_tabs_are_trimmed_from_both_ends),
		cmocka_unit_test(last_line_without_a_newline_ends_open),
		cmocka_unit_test(line_cut_takes_the_text_before_the_separator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
