/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/reader.h"
#include "tests/unit/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_file(const char *path, const char *lines, size_t remarks)
{
	struct text file = foreign_file(path);
	struct profile *p = foreign_read(&page_reader, file.bytes, file.len);

	assert_true(page_reader.sniff((uint8_t *)file.bytes, file.len));
	foreign_expect(p, lines);
	assert_int_equal(p->remark_count, remarks);
	profile_free(p);
	text_release(&file);
}

static void own_pages_have_their_samples(void **state)
{
	(void)state;
	expect_file("tests/fuzz/corpus/page/sjkc",
		    "collapsed: main;a.B.<init>;\"x\" & y||6 6\n"
		    "collapsed: main;tiny||1 1\n"
		    "collapsed: main;work||3 3\n",
		    0);
}

/* Made by hand after the template of async-profiler 4.5. */
static void pages_of_async_profiler_are_drawn_by_calls(void **state)
{
	(void)state;
	expect_file("tests/data/html/async-profiler.html",
		    "samples: Busy.main_[j];Busy.alloc_[j]||10 10\n"
		    "samples: Busy.main_[j];don't_[j]||5 5\n"
		    "samples: java.lang.Thread.run_[j];[libc.so.6]||2 2\n"
		    "samples: java.lang.Thread.run_[j];"
		    "java.lang.Object_\\_[i]||2 2\n"
		    "samples: java.lang.Thread.run_[j]||1 1\n",
		    0);
}

static void pages_may_be_truncated_anywhere(void **state)
{
	static const char *const names[] = {
		"tests/fuzz/corpus/page/sjkc",
		"tests/fuzz/corpus/page/sjkc-lock",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text file = foreign_file(names[i]);

		/* All but the end of the script. */
		foreign_cut_everywhere(&page_reader, file.bytes,
				       file.len - strlen("</script>\n"), true);
		text_release(&file);
	}
}

/* Four bytes of a name expand to 223, and each frame refers to a long name. */
static void names_of_async_profiler_have_a_limit(void **state)
{
	static const char end[] = "];\n\nf(0,0,0,10)\n";
	struct text page = { 0 };
	struct profile *p;

	(void)state;
	text_puts(&page, "<!DOCTYPE html>\nconst cpool = [\n'all',\n' a.");
	for (size_t i = 0; i < 100000; i++)
		text_putc(&page, 'B');
	text_puts(&page, ".c',\n");
	for (size_t i = 0; i < 200000; i++)
		text_puts(&page, "'\xff',\n");
	text_puts(&page, end);
	for (size_t i = 0; i < 100000; i++)
		text_puts(&page, "u(8)\n");
	text_puts(&page, "search();\n");
	p = foreign_read(&page_reader, page.bytes, page.len);
	assert_int_equal(p->stack_count, 100001);
	assert_string_equal(p->remarks[0].what, "lines skipped");
	assert_true(p->remarks[0].count > 1000);
	profile_free(p);
	text_release(&page);
}

static void other_pages_are_refused(void **state)
{
	static const char page[] = "<!doctype html>\n<p>a</p>\n";
	static const char empty[] = "<!DOCTYPE html>\nconst cpool = [\n'all'\n";

	(void)state;
	foreign_refuse(&page_reader, page, strlen(page),
		       "not a flame graph of sjkc or async-profiler, or "
		       "truncated before its data");
	foreign_refuse(&page_reader, empty, strlen(empty),
		       "the page has no frames, or is truncated");
	assert_false(page_reader.sniff((const uint8_t *)"<html>", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_pages_have_their_samples),
		cmocka_unit_test(pages_of_async_profiler_are_drawn_by_calls),
		cmocka_unit_test(pages_may_be_truncated_anywhere),
		cmocka_unit_test(names_of_async_profiler_have_a_limit),
		cmocka_unit_test(other_pages_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
