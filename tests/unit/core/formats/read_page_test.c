/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/base64.h"
#include "core/base/zip.h"
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
		       "not a flame graph of sjkc or async-profiler (its call "
		       "trees, -o tree, are not supported), or truncated "
		       "before the data");
	foreign_refuse(&page_reader, empty, strlen(empty),
		       "the HTML flame graph has no frames, or is truncated");
	assert_false(page_reader.sniff((const uint8_t *)"<html>", 6));
}

static void put_block(struct text *page, const char *id, const void *bytes,
		      size_t len)
{
	struct text packed = { 0 };

	text_printf(page,
		    "<script id=\"%s\" type=\"application/octet-stream\">\n",
		    id);
	deflate_raw(&packed, bytes, len);
	base64_add(page, packed.bytes, packed.len);
	text_puts(page, "\n</script>\n");
	text_release(&packed);
}

/* Reads a page with a cell of two samples, in the steps 0 and 5. */
static struct profile *read_timed(uint64_t bucket, const char *times,
				  const char *moments)
{
	const char cells[] = { 0, (char)bucket, 2 };
	/* Entries, steps, and the numbers of further steps that they last. */
	static const char entries[] = { 2, 0, 5, 1, 1 };
	struct text head = { 0 }, block = { 0 }, page = { 0 };
	struct profile *p;

	text_printf(&head,
		    "{\"schema\":\"sjkc.flame/1\",\"events\":[{\"name\":"
		    "\"wait\",\"unit\":\"samples\",\"cells\":1}],\"time\":{%s,"
		    "\"buckets\":%d},\"moments\":{%s,\"events\":[{\"columns\":"
		    "[1,2,0,0,0,2]}]},\"columns\":[0,0,0,0,0,0,1,0,0,1,1,0]}",
		    times, (int)bucket, moments);
	for (int i = 0; i < 4; i++)
		text_putc(&block, (char)(head.len >> 8 * i));
	text_add(&block, head.bytes, head.len);
	text_add(&block, cells, sizeof(cells));
	text_puts(&page, "<!doctype html>\n");
	put_block(&page, "data", block.bytes, block.len);
	put_block(&page, "moments", entries, sizeof(entries));
	p = foreign_read(&page_reader, page.bytes, page.len);
	text_release(&head);
	text_release(&block);
	text_release(&page);
	return p;
}

static void times_that_overflow_leave_the_samples(void **state)
{
	static const char times[] = "\"start_ms\":0,\"bucket_ms\":922337203685";
	static const struct {
		uint64_t bucket;
		const char *times, *moments;
	} pages[] = {
		/* A start of a bucket, its end, a cell without a bucket. */
		{ 11, times,
		  "\"start_ms\":-1000000000000,\"step_ms\":1000000000,"
		  "\"lead_ns\":999999999999999" },
		{ 10, times,
		  "\"start_ms\":0,\"step_ms\":1000000000,"
		  "\"lead_ns\":999999999999999" },
		{ 0, "\"start_ms\":0,\"bucket_ms\":1000",
		  "\"start_ms\":-1000000,\"step_ms\":1,\"lead_ns\":0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct profile *p = read_timed(pages[i].bucket, pages[i].times,
					       pages[i].moments);

		foreign_expect(p, "wait: ||2 2\n");
		/* Without a bucket, no part has a time. */
		assert_true(!p->bucket_ns == !pages[i].bucket);
		profile_free(p);
	}
}

static void parts_of_a_cell_have_their_times(void **state)
{
	struct profile *p = read_timed(
		2, "\"start_ms\":1000,\"bucket_ms\":1000",
		"\"start_ms\":1000,\"step_ms\":20,\"lead_ns\":0");

	(void)state;
	foreign_expect(p, "wait: ||2 2\n");
	assert_true(p->cell_count >= 2);
	assert_int_not_equal(p->cells[0].bucket, p->cells[1].bucket);
	profile_free(p);
}

/* A program may be idle before its first sample and after its last. */
static void times_of_the_recording_are_kept(void **state)
{
	static const char
		moments[] = "\"start_ms\":1000,\"step_ms\":20,\"lead_ns\":0";
	static const char start[] = "\"start_ms\":1000,\"bucket_ms\":1000";
	static const struct {
		const char *period;
		int64_t from_ms, to_ms;
	} pages[] = {
		{ ",\"from_ms\":500.25,\"to_ms\":9000", 500, 9000 },
		/* No period, and periods that are not those of the samples. */
		{ "", 2000, 2140 },
		{ ",\"from_ms\":9000,\"to_ms\":500", 2000, 2140 },
		{ ",\"from_ms\":2050,\"to_ms\":2051", 2000, 2140 },
		{ ",\"from_ms\":1e300,\"to_ms\":-1e300", 2000, 2140 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct text times = { 0 };
		struct profile *p;

		text_printf(&times, "%s%s", start, pages[i].period);
		p = read_timed(2, times.bytes, moments);
		assert_int_equal(p->earliest_ns / 1000000, pages[i].from_ms);
		assert_int_equal(p->latest_ns / 1000000, pages[i].to_ms);
		profile_free(p);
		text_release(&times);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_pages_have_their_samples),
		cmocka_unit_test(pages_of_async_profiler_are_drawn_by_calls),
		cmocka_unit_test(pages_may_be_truncated_anywhere),
		cmocka_unit_test(names_of_async_profiler_have_a_limit),
		cmocka_unit_test(other_pages_are_refused),
		cmocka_unit_test(times_that_overflow_leave_the_samples),
		cmocka_unit_test(parts_of_a_cell_have_their_times),
		cmocka_unit_test(times_of_the_recording_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
