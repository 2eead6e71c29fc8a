/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/histogram.h"

#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char answer[] = "   1:  10  1600  [B (java.base@17)\n"
			     "   2:  5  120  =cmd()\"\n"
			     "   3:  1  24  a\x1b[2J\n";

static histogram_fn *const forms[] = { histogram_text, histogram_csv,
				       histogram_json };

struct shown {
	struct class_histogram histogram;
	size_t top, form;
};

static void write_shown(struct output *out, void *self)
{
	const struct shown *s = self;

	forms[s->form](out, &s->histogram, s->top);
}

static void check(size_t form, size_t top, const char *expected)
{
	struct shown s = { .top = top, .form = form };
	struct error err = { 0 };
	struct text got;

	if (class_histogram_read(&s.histogram, answer, strlen(answer), &err))
		fail_msg("%s", err.text);
	got = sampled_written(write_shown, &s);
	assert_string_equal(got.bytes, expected);
	text_release(&got);
	class_histogram_release(&s.histogram);
}

static void histogram_text_has_rows_and_a_total(void **state)
{
	(void)state;
	check(0, 2,
	      "   #      Instances          Bytes  Type\n"
	      "   1:            10           1600  [B (java.base@17)\n"
	      "   2:             5            120  =cmd()\"\n"
	      "                 16           1744  Total\n");
}

static void control_characters_in_names_are_escaped(void **state)
{
	(void)state;
	check(0, 0,
	      "   #      Instances          Bytes  Type\n"
	      "   1:            10           1600  [B (java.base@17)\n"
	      "   2:             5            120  =cmd()\"\n"
	      "   3:             1             24  a\xe2\x90\x9b[2J\n"
	      "                 16           1744  Total\n");
}

static void formulas_in_csv_are_prefixed(void **state)
{
	(void)state;
	check(1, 2,
	      "class,module,instances,bytes\n"
	      "[B,java.base@17,10,1600\n"
	      "\"'=cmd()\"\"\",,5,120\n");
}

static void histogram_json_has_a_schema_and_a_total(void **state)
{
	(void)state;
	check(2, 1,
	      "{\"schema\":\"sjkc.histogram/1\",\"namespace\":null,"
	      "\"pod\":null,\"container\":null,\"classes\":[{\"name\":\"[B\","
	      "\"module\":\"java.base@17\",\"instances\":10,\"bytes\":1600}],"
	      "\"total\":{\"instances\":16,\"bytes\":1744}}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histogram_text_has_rows_and_a_total),
		cmocka_unit_test(control_characters_in_names_are_escaped),
		cmocka_unit_test(formulas_in_csv_are_prefixed),
		cmocka_unit_test(histogram_json_has_a_schema_and_a_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
