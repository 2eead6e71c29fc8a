/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/perf/perf_text.h"
#include "core/formats/reader.h"
#include "tests/unit/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct profile *read_string(const char *text)
{
	return foreign_read(&perf_reader, text, strlen(text));
}

static void expect_lines(const char *text, const char *lines)
{
	struct profile *p = read_string(text);

	foreign_expect(p, lines);
	profile_free(p);
}

static void headers_of_all_versions_of_perf_are_parsed(void **state)
{
	static const char frame[] = "\t    7f12 work+0x1 (/bin/x)\n\n";
	static const struct {
		const char *header, *lines;
	} headers[] = {
		{ "java 4711 12.000001: 10 cycles:u: ",
		  "cycles: work|[java tid=4711]|1 10\n" },
		{ "java 4711/4712 [003] 12.000001:  10 cycles:ppp: ",
		  "cycles: work|[java tid=4712]|1 10\n" },
		{ "            java  4711 [000] 12.1: cpu-clock: ",
		  "cpu-clock: work|[java tid=4711]|1 1\n" },
		{ "java 12.5: 7 cycles: ", "cycles: work|[java]|1 7\n" },
		{ "java 4711 cycles: ", "cycles: work|[java tid=4711]|1 1\n" },
		{ "java 4711 12 cycles: ",
		  "cycles: work|[java tid=4711]|1 12\n" },
		{ "java 4711 cycles:ppp: ",
		  "cycles: work|[java tid=4711]|1 1\n" },
		/* The comma of other locales. */
		{ "java 4711 12,000001: 10 cycles: ",
		  "cycles: work|[java tid=4711]|1 10\n" },
		{ "swapper     0 [002] 5.5: sched:sched_switch: "
		  "prev_comm=java prev_pid=7 4.4: x ==> next_comm=a",
		  "sched:sched_switch: work|[swapper]|1 1\n" },
		/* Names of threads may contain anything. */
		{ "a 12 3.4: b 5/6 [001] 7.8: 9 cycles: ",
		  "cycles: work|[a 12 3.4: b tid=6]|1 9\n" },
		{ "GC Thread#0 [x] 12 13.4: 5 task-clock:u: ",
		  "task-clock: work|[GC Thread#0 [x] tid=12]|1 5\n" },
		{ "1:2 5/6 7 8.9: 5 cycles: ",
		  "cycles: work|[1:2 5/6 tid=7]|1 5\n" },
		{ "[001] 2.2: 3 12 [002] 4.5: 6 cycles: ",
		  "cycles: work|[[001] 2.2: 3 tid=12]|1 6\n" },
		{ ": 12/13 [000] 4.5: 6 cycles: ",
		  "cycles: work|[: tid=13]|1 6\n" },
		{ "(a) [b] {c}:7 9/10 4.5: 6 cycles: ",
		  "cycles: work|[(a) [b] {c}:7 tid=10]|1 6\n" },
		/* Fields that -F leaves out: the thread, the command. */
		{ "java [003] 4.5: 6 cycles: ", "cycles: work|[java]|1 6\n" },
		{ "12/13 4.5: 6 cycles: ",
		  "cycles: work|[unnamed tid=13]|1 6\n" },
		{ "4.5: 6 cycles: ", "cycles: work||1 6\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s\n%s", headers[i].header,
			 frame);
		expect_lines(text, headers[i].lines);
	}
}

static void java_names_of_all_tools_are_the_same_frame(void **state)
{
	static const char *const names[] = {
		"Ljava/io/File;::read",    "java.io.File::read",
		"Ljava/io/File;read(I)V",  "int java.io.File.read(byte[], int)",
		"java.io.File.read",       "java.io.File.read(I)V",
		"Ljava/io/File;.read(I)V",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "java 1 2.3: 4 cycles:\n\t7f12 %s+0x4 (%s)\n\n",
			 names[i],
			 i % 2 ? "/tmp/perf-1.map" : "/x/jitted-1-2.so");
		expect_lines(
			text,
			"cycles: java.io.File.read_[j]|[java tid=1]|1 4\n");
	}
}

static void frames_have_the_kind_of_their_file(void **state)
{
	static const struct {
		const char *line, *name;
	} frames[] = {
		{ "7f12 Interpreter+0x6 (/tmp/perf-1.map)", "Interpreter_[0]" },
		{ "7f12 StubRoutines (1)+0xc9 (/tmp/perf-1.map)",
		  "StubRoutines (1)" },
		{ "7f12 I2C/C2I adapters(0xbabab0) (/tmp/perf-1.map)",
		  "I2C/C2I adapters(0xbabab0)" },
		{ "7f12 La/B;::run->La/C;::call->La/D;::get (/tmp/perf-1.map)",
		  "a.B.run_[j];a.C.call_[i];a.D.get_[i]" },
		{ "7f12 A::operator->+0x3 (/bin/x)", "A::operator->" },
		{ "7f12 inlined_function (inlined)", "inlined_function_[i]" },
		{ "ffffffff9c076a3a do_futex+0x5 ([kernel.kallsyms])",
		  "do_futex_[k]" },
		{ "ffffffffc0076a3a nf_hook ([nf_tables])", "nf_hook_[k]" },
		{ "ffffffff9c076a3a [unknown] ([kernel.kallsyms])",
		  "[kernel.kallsyms]_[k]" },
		{ "7f12 read (/lib/x (y) z/libc.so.6 (deleted))", "read" },
		{ "7f12 [unknown] (/lib/libc.so.6)", "[libc.so.6]" },
		{ "7f12 [unknown] (/tmp/perf-1.map)", "[unknown]" },
		{ "7f12 [unknown] ([unknown])", "[unknown]" },
		{ "7f12 gettime ([vdso])", "gettime" },
		{ "work+0x12 (/bin/x)", "work" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		char text[256], lines[256];

		snprintf(text, sizeof(text), "a 1 2.3: 4 cycles:\n\t%s\n\n",
			 frames[i].line);
		snprintf(lines, sizeof(lines), "cycles: %s|[a tid=1]|1 4\n",
			 frames[i].name);
		expect_lines(text, lines);
	}
}

static void samples_may_be_single_lines_or_have_no_frames(void **state)
{
	(void)state;
	expect_lines("a 1 2.3: 4 cycles: 7f12 work+0x1 (/bin/x)\n"
		     "a 1 2.4: 5 cycles: ffff work (/bin/x)\n",
		     "cycles: work|[a tid=1]|2 9\n");
	expect_lines("a 1 2.3: 4 cycles:\n\n", "cycles: |[a tid=1]|1 4\n");
	expect_lines("# comment\r\n\r\na 1 2.3: 4 cycles:\r\n"
		     "\t7f12 work (/bin/x)\r\n  x.c:12\r\n\r\n",
		     "cycles: work|[a tid=1]|1 4\n");
}

static void units_are_time_for_clocks_and_counts_otherwise(void **state)
{
	struct profile *p = read_string("a 1 2.3: 4 cpu-clock:u:\n\n"
					"a 1 2.3: 4 cycles:k:\n\n"
					"a 1 2.3: sched:sched_waking: x\n\n");

	(void)state;
	assert_int_equal(p->event_count, 3);
	assert_int_equal(p->events[0].unit, UNIT_NS);
	assert_int_equal(p->events[1].unit, UNIT_COUNT);
	assert_int_equal(p->events[2].unit, UNIT_SAMPLES);
	assert_true(p->earliest_ns == 2300000000);
	profile_free(p);
}

static void lines_of_other_forms_are_counted(void **state)
{
	struct profile *p = read_string(
		"what is this\na 1 2.3: 4 cycles:\n\t7f12 work (/bin/x)\n"
		"\tno frame\n\n"
		"a 1 2.3: PERF_RECORD_MMAP2 1/2: [0x1]\n");

	(void)state;
	foreign_expect(p, "cycles: work|[a tid=1]|1 4\n");
	assert_int_equal(p->remark_count, 2);
	assert_string_equal(p->remarks[0].what, "lines skipped");
	assert_int_equal(p->remarks[0].count, 1);
	assert_true(p->remarks[0].is_loss);
	assert_false(p->remarks[1].is_loss);
	profile_free(p);
}

/* Forms of perf 6.1 and of ftrace. */
static void lost_samples_are_counted(void **state)
{
	struct profile *p = read_string(
		"a 1/1 2.3: 4 cycles:\n\t7f12 work (/bin/x)\n\n"
		"a 1/1 [001] 2.4: PERF_RECORD_LOST lost 17\n"
		"a 1/1 [001] 2.5: PERF_RECORD_LOST_SAMPLES lost 4\n"
		"CPU:1 [LOST 20 EVENTS]\n"
		"a 1/1 2.6: 4 cycles:\n\t7f12 work (/bin/x)\n\n");

	(void)state;
	foreign_expect(p, "cycles: work|[a tid=1]|2 8\n");
	assert_int_equal(p->remark_count, 1);
	assert_string_equal(p->remarks[0].what, "samples lost by perf record");
	assert_int_equal(p->remarks[0].count, 41);
	assert_true(p->remarks[0].is_loss);
	profile_free(p);
}

/* perf pads commands to 16 columns, so these lines begin with spaces. */
static void samples_without_call_graph_are_one_line_each(void **state)
{
	(void)state;
	expect_lines("            java  4711 100.5:  250000 cycles:  7f12 work "
		     "(/bin/x)\n"
		     "            java  4711 100.6:  250000 cycles:  7f34 rest "
		     "(/bin/x)\n"
		     "            beef  4712 100.7:       7 cycles:  7f34 rest "
		     "(/bin/x)\n",
		     "cycles: rest|[beef tid=4712]|1 7\n"
		     "cycles: rest|[java tid=4711]|1 250000\n"
		     "cycles: work|[java tid=4711]|1 250000\n");
}

/* The text of a tracepoint may end like a frame. */
static void tracepoint_in_parentheses_is_a_sample(void **state)
{
	(void)state;
	expect_lines("     java  4711 [001] 1.5: sched:switch: x (y)\n"
		     "     java  4711 [001] 1.6: sched:switch: x (y)\n",
		     "sched:switch: |[java tid=4711]|2 2\n");
}

static void frames_may_begin_with_their_addresses(void **state)
{
	static const char text[] = "java 4711 cycles:\n"
				   "7f12aa work (/bin/x)\n"
				   "7f34aa main (/bin/x)\n\n";

	(void)state;
	assert_true(perf_reader.sniff((const uint8_t *)text, strlen(text)));
	expect_lines(text, "cycles: main;work|[java tid=4711]|1 1\n");
}

/* Editors and shells remove the empty line at the end. */
static void last_sample_may_lack_its_empty_line(void **state)
{
	static const char *const texts[] = {
		"java 4711 12.5: 7 cycles:\n\t 7f12 work (/bin/x)\n",
		"java 4711 12.5: 7 cycles:\n\t 7f12 work (/bin/x)",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct profile *p = read_string(texts[i]);

		foreign_expect(p, "cycles: work|[java tid=4711]|1 7\n");
		assert_false(profile_is_partial(p));
		assert_int_equal(p->remark_count, 1);
		profile_free(p);
	}
}

static void input_without_samples_is_refused(void **state)
{
	(void)state;
	foreign_refuse(&perf_reader, "a;b 5\n", 6,
		       "no whole sample of perf script");
}

static void large_numbers_do_not_overflow(void **state)
{
	(void)state;
	expect_lines("a 99999999999 99999999999999999999.5: "
		     "99999999999999999999999 cycles:\n\n",
		     "cycles: |[a]|1 0\n");
}

static void check_file(const char *path)
{
	struct text file = foreign_file(path);
	struct profile *p = foreign_read(&perf_reader, file.bytes, file.len);
	const char *end;

	assert_true(perf_reader.sniff((uint8_t *)file.bytes, READER_HEAD));
	assert_int_equal(p->event_count, 2);
	assert_int_equal(p->events[0].samples, 6);
	assert_int_equal(p->events[0].weight, 12024048);
	assert_int_equal(p->events[1].samples, 6);
	assert_int_equal(p->events[1].weight, 40);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
	/* Whole samples: cutting a large text everywhere takes too long. */
	end = memmem(file.bytes + 5000, file.len - 5000, "\n\n", 2);
	foreign_cut_everywhere(&perf_reader, file.bytes,
			       (size_t)(end + 2 - file.bytes), false);
	text_release(&file);
}

static void recordings_may_be_truncated_anywhere(void **state)
{
	(void)state;
	check_file("tests/data/perf/jdk17-compiler-perfmap.txt");
	check_file("tests/data/perf/jdk17-sjkc-perfmap.txt");
}

static void recordings_name_java_methods_alike(void **state)
{
	struct text a, b;
	struct profile *p, *q;
	struct text x, y;

	(void)state;
	a = foreign_file("tests/data/perf/jdk17-compiler-perfmap.txt");
	b = foreign_file("tests/data/perf/jdk17-sjkc-perfmap.txt");
	p = foreign_read(&perf_reader, a.bytes, a.len);
	q = foreign_read(&perf_reader, b.bytes, b.len);
	x = foreign_lines(p);
	y = foreign_lines(q);
	assert_non_null(strstr(x.bytes, "Busy.sortWork_[j]"));
	assert_non_null(strstr(y.bytes, "Busy.sortWork_[j]"));
	text_release(&a);
	text_release(&b);
	text_release(&x);
	text_release(&y);
	profile_free(p);
	profile_free(q);
}

static void texts_of_other_formats_are_not_recognized(void **state)
{
	static const char *const others[] = {
		"a;b 5\n",
		"2026-11-21 10:07:30\nFull thread dump\n",
		"12:01 eth0 5\n",
		"[0.012s][info][gc] GC(0) Pause Young\n",
		"{\"a\": 1}",
		"\n\n",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (perf_reader.sniff((const uint8_t *)others[i],
				      strlen(others[i])))
			fail_msg("taken for perf script: %s", others[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_of_all_versions_of_perf_are_parsed),
		cmocka_unit_test(java_names_of_all_tools_are_the_same_frame),
		cmocka_unit_test(frames_have_the_kind_of_their_file),
		cmocka_unit_test(samples_may_be_single_lines_or_have_no_frames),
		cmocka_unit_test(
			units_are_time_for_clocks_and_counts_otherwise),
		cmocka_unit_test(lines_of_other_forms_are_counted),
		cmocka_unit_test(lost_samples_are_counted),
		cmocka_unit_test(samples_without_call_graph_are_one_line_each),
		cmocka_unit_test(tracepoint_in_parentheses_is_a_sample),
		cmocka_unit_test(frames_may_begin_with_their_addresses),
		cmocka_unit_test(last_sample_may_lack_its_empty_line),
		cmocka_unit_test(input_without_samples_is_refused),
		cmocka_unit_test(large_numbers_do_not_overflow),
		cmocka_unit_test(recordings_may_be_truncated_anywhere),
		cmocka_unit_test(recordings_name_java_methods_alike),
		cmocka_unit_test(texts_of_other_formats_are_not_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
