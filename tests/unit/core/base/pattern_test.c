/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool matches(const char *regex, const char *text, size_t len)
{
	struct error err = { 0 };
	struct pattern *p = pattern_new(regex, &err);
	bool yes;

	if (!p)
		fail_msg("%s", err.text);
	yes = pattern_matches(p, text, len);
	pattern_free(p);
	return yes;
}

static void pattern_matches_any_part(void **state)
{
	(void)state;
	assert_true(matches("lang", "java.lang.Thread", 16));
	assert_false(matches("^lang", "java.lang.Thread", 16));
	assert_true(matches("run$", "Thread.run", 10));
	assert_false(matches("run$", "Thread.runs", 11));
	assert_true(matches("", "", 0));
	assert_true(matches("^$", NULL, 0));
	assert_true(matches("(a)(b)(c)", "abc", 3)); /* groups do not matter */
}

static void texts_are_utf_8_and_need_not_be_valid(void **state)
{
	(void)state;
	assert_true(matches("^w.rker$", "w\xc3\xb6rker", 7));
	assert_true(matches("(?i)\xc3\x96", "\xc3\xb6", 2));
	assert_true(matches("run", "\xff\xferun", 5));
	assert_false(matches("a.b",
			     "a\xff"
			     "b",
			     3));
	assert_true(matches("b$", "a\0b", 3));
}

static void
invalid_regular_expression_is_rejected_with_its_position(void **state)
{
	static const char *const wrong[] = { "(",      "a(b", "[",   "*",
					     "a{2,1}", "\\",  "\\C", "\xff" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error err = { 0 };

		assert_null(pattern_new(wrong[i], &err));
		assert_int_equal(err.kind, ERROR_MISUSE);
		assert_non_null(strstr(err.text, "at character"));
	}
}

static void pathological_pattern_does_not_match(void **state)
{
	char text[64];

	(void)state;
	/* Without the limit, matching would try 2^60 ways. */
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 'b';
	assert_false(matches("^(a|a)*$", text, sizeof(text)));
	assert_false(matches("^(a+)+$", text, sizeof(text)));
}

static void pattern_free_accepts_null(void **state)
{
	(void)state;
	pattern_free(NULL);
}

static void texts_too_costly_to_decide_are_counted(void **state)
{
	struct error err = { 0 };
	struct pattern *p = pattern_new("(a+)+\\1$", &err);
	char text[4096];

	(void)state;
	assert_non_null(p);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '!';
	assert_false(pattern_matches(p, "b", 1));
	assert_int_equal(pattern_undecided(p), 0);
	for (size_t i = 1; i < 20; i++) {
		assert_false(pattern_matches(p, text, sizeof(text)));
		assert_int_equal(pattern_undecided(p), i);
	}
	assert_true(pattern_matches(p, "aaaa", 4));
	pattern_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pattern_matches_any_part),
		cmocka_unit_test(texts_are_utf_8_and_need_not_be_valid),
		cmocka_unit_test(
			invalid_regular_expression_is_rejected_with_its_position),
		cmocka_unit_test(pathological_pattern_does_not_match),
		cmocka_unit_test(pattern_free_accepts_null),
		cmocka_unit_test(texts_too_costly_to_decide_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
