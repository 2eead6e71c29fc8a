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

static void a_table_has_rows_and_the_total_of_all(void **state)
{
	(void)state;
	check(0, 2,
	      "   #      Instances          Bytes  Type\n"
	      "   1:            10           1600  [B (java.base@17)\n"
	      "   2:             5            120  =cmd()\"\n"
	      "                 16           1744  Total\n");
}

static void names_cannot_act_on_a_terminal(void **state)
{
	(void)state;
	check(0, 0,
	      "   #      Instances          Bytes  Type\n"
	      "   1:            10           1600  [B (java.base@17)\n"
	      "   2:             5            120  =cmd()\"\n"
	      "   3:             1             24  a\xe2\x90\x9b[2J\n"
	      "                 16           1744  Total\n");
}

static void csv_is_not_computed_by_a_spreadsheet(void **state)
{
	(void)state;
	check(1, 2,
	      "class,module,instances,bytes\n"
	      "[B,java.base@17,10,1600\n"
	      "\"'=cmd()\"\"\",,5,120\n");
}

static void json_has_a_schema_and_the_total(void **state)
{
	(void)state;
	check(2, 1,
	      "{\"schema\":\"sjkc.histogram/1\",\"classes\":[{\"name\":\"[B\","
	      "\"module\":\"java.base@17\",\"instances\":10,\"bytes\":1600}],"
	      "\"total\":{\"instances\":16,\"bytes\":1744}}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_rows_and_the_total_of_all),
		cmocka_unit_test(names_cannot_act_on_a_terminal),
		cmocka_unit_test(csv_is_not_computed_by_a_spreadsheet),
		cmocka_unit_test(json_has_a_schema_and_the_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
