/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/http/exposition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_document(struct exposition *e, const char *expected)
{
	struct text out = { 0 };

	exposition_write(e, &out);
	assert_string_equal(out.bytes, expected);
	text_release(&out);
	exposition_release(e);
}

static void add(struct exposition *e, const char *name, enum metric_type type,
		const char *label, const char *value, const char *number)
{
	struct metric_labels labels = { 0 };

	if (label)
		metric_labels_add(&labels, label, value);
	exposition_add(e, &(struct metric){ name, type, "Help." }, "", &labels,
		       number);
}

static void series_of_one_family_are_adjacent(void **state)
{
	struct exposition e = { 0 };

	(void)state;
	add(&e, "b", METRIC_GAUGE, "x", "2", "1");
	add(&e, "a", METRIC_COUNTER, NULL, NULL, "2");
	add(&e, "b", METRIC_GAUGE, "x", "1", "3");
	assert_document(&e, "# HELP a Help.\n# TYPE a counter\na 2\n"
			    "# HELP b Help.\n# TYPE b gauge\n"
			    "b{x=\"1\"} 3\nb{x=\"2\"} 1\n");
}

static void repeated_series_are_written_once_and_counted(void **state)
{
	struct exposition e = { 0 };
	struct metric_labels forth = { 0 }, back = { 0 };
	const struct metric m = { "m", METRIC_UNTYPED, "" };
	struct text out = { 0 };

	(void)state;
	metric_labels_add(&forth, "a", "1");
	metric_labels_add(&forth, "b", "2");
	metric_labels_add(&back, "b", "2");
	metric_labels_add(&back, "a", "1");
	exposition_add(&e, &m, "", &forth, "1");
	exposition_add(&e, &m, "", &back, "2");
	/* A second type for the same family is invalid, too. */
	add(&e, "m", METRIC_GAUGE, "c", "3", "3");
	exposition_write(&e, &out);
	assert_string_equal(out.bytes, "# HELP m \n# TYPE m untyped\n"
				       "m{a=\"1\",b=\"2\"} 1\n");
	assert_int_equal(e.repeated, 2);
	text_release(&out);
	exposition_release(&e);
}

static void summary_has_one_type_line(void **state)
{
	struct exposition e = { 0 };
	const struct metric m = { "s", METRIC_SUMMARY, "H" };

	(void)state;
	exposition_add(&e, &m, "_sum", NULL, "0.5");
	exposition_add(&e, &m, "_count", NULL, "2");
	assert_document(&e, "# HELP s H\n# TYPE s summary\n"
			    "s_count 2\ns_sum 0.5\n");
}

static void label_values_are_escaped_and_valid_utf8(void **state)
{
	struct exposition e = { 0 };

	(void)state;
	add(&e, "m", METRIC_GAUGE, "l", "a\"b\\c\nd\xff", "1");
	assert_document(&e, "# HELP m Help.\n# TYPE m gauge\n"
			    "m{l=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\"} 1\n");
}

static void help_cannot_begin_a_line(void **state)
{
	struct exposition e = { 0 };

	(void)state;
	exposition_add(&e,
		       &(struct metric){ "m", METRIC_GAUGE, "a\nevil 1\\\"" },
		       "", NULL, "1");
	assert_document(&e, "# HELP m a\\nevil 1\\\\\"\n# TYPE m gauge\nm 1\n");
}

static void label_names_are_cleaned_and_unique(void **state)
{
	struct exposition e = { 0 };
	struct metric_labels labels = { 0 };

	(void)state;
	metric_labels_add(&labels, "a-b", "1");
	metric_labels_add(&labels, "a.b", "2");
	metric_labels_add(&labels, "9", "3");
	metric_labels_add(&labels, "", "4");
	metric_labels_add(&labels, "__c", "5");
	exposition_add(&e, &(struct metric){ "m", METRIC_GAUGE, "H" }, "",
		       &labels, "1");
	assert_document(&e, "# HELP m H\n# TYPE m gauge\n"
			    "m{_=\"4\",_9=\"3\",_c=\"5\",a_b=\"1\","
			    "a_b_=\"2\"} 1\n");
}

static void names_follow_the_grammar(void **state)
{
	static const char *const cases[][2] = {
		{ "kafka.server", "kafka_server" },
		{ "9lives", "_9lives" },
		{ "a - b", "a_b" },
		{ "\xc3\xa9t\xc3\xa9", "_t_" },
		{ "", "" },
		{ "a{b=\"c\"} 1\n", "a_b_c_1_" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text name = { 0 };

		exposition_add_name(&name, cases[i][0]);
		assert_string_equal(name.bytes, cases[i][1]);
		text_release(&name);
	}
}

static void series_beyond_the_limit_are_counted(void **state)
{
	struct exposition e = { 0 };
	struct text out = { 0 };
	char value[16];

	(void)state;
	for (int i = 0; i < EXPOSITION_SERIES_MAX + 3; i++) {
		snprintf(value, sizeof(value), "%d", i);
		add(&e, "m", METRIC_GAUGE, "l", value, "1");
	}
	assert_int_equal(e.dropped, 3);
	exposition_write(&e, &out);
	assert_null(strstr(out.bytes, "\"20000\""));
	assert_non_null(strstr(out.bytes, "\"19999\""));
	text_release(&out);
	exposition_release(&e);
}

static void bytes_beyond_the_limit_are_counted(void **state)
{
	static char large[1 << 20];
	struct exposition e = { 0 };

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	for (int i = 0; i < 20; i++)
		add(&e, "m", METRIC_GAUGE, "l", large, "1");
	assert_in_range(e.count, 4, 8);
	assert_int_equal(e.count + e.dropped, 20);
	exposition_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_of_one_family_are_adjacent),
		cmocka_unit_test(repeated_series_are_written_once_and_counted),
		cmocka_unit_test(summary_has_one_type_line),
		cmocka_unit_test(label_values_are_escaped_and_valid_utf8),
		cmocka_unit_test(help_cannot_begin_a_line),
		cmocka_unit_test(label_names_are_cleaned_and_unique),
		cmocka_unit_test(names_follow_the_grammar),
		cmocka_unit_test(series_beyond_the_limit_are_counted),
		cmocka_unit_test(bytes_beyond_the_limit_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
