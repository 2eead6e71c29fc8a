/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool matches(const char *glob, char separator, const char *text)
{
	struct error err;
	struct pattern *p = glob_new(glob, separator, &err);
	bool is;

	assert_non_null(p);
	is = pattern_matches(p, text, strlen(text));
	pattern_free(p);
	return is;
}

static void star_without_separator_matches_any_text(void **state)
{
	(void)state;
	assert_true(matches("Busy*", 0, "Busy a.b c"));
	assert_false(matches("Busy*", 0, "org.Busy"));
	assert_true(matches("*.Busy *", 0, "org.x.Busy a"));
	assert_true(matches("B?sy", 0, "Busy"));
	assert_false(matches("B?sy", 0, "Bsy"));
	assert_true(matches("**", 0, ""));
	assert_true(matches("*", 0, "a\nb"));
}

static void star_does_not_match_the_separator(void **state)
{
	(void)state;
	assert_true(matches("java.version=*", '.', "java.version=17"));
	assert_false(matches("java.version=*", '.', "java.version=17.0.1"));
	assert_true(matches("java.version=**", '.', "java.version=17.0.1"));
	assert_true(matches("java.version=1?.*.*", '.', "java.version=17.0.1"));
	assert_false(matches("a?b", '.', "a.b"));
}

static void leading_and_trailing_double_stars_match_nothing(void **state)
{
	(void)state;
	assert_true(matches("**.port=1", '.', "port=1"));
	assert_true(matches("**.port=1", '.', "a.b.port=1"));
	assert_false(matches("**.port=1", '.', "export=1"));
	assert_true(matches("a.b.**", '.', "a.b"));
	assert_true(matches("a.b.**", '.', "a.b.c.d"));
	assert_false(matches("a.b.**", '.', "a.bc"));
}

static void characters_of_regular_expressions_are_literal(void **state)
{
	(void)state;
	assert_true(matches("a+(b)[c]{1}|$^\\", '.', "a+(b)[c]{1}|$^\\"));
	assert_false(matches("a.b", 0, "axb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(star_without_separator_matches_any_text),
		cmocka_unit_test(star_does_not_match_the_separator),
		cmocka_unit_test(
			leading_and_trailing_double_stars_match_nothing),
		cmocka_unit_test(characters_of_regular_expressions_are_literal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
