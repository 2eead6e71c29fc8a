/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/text.h"
#include "core/formats/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Reads text, which must succeed. */
static struct profile *read_text(const char *text, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	if (collapsed_reader.read((const uint8_t *)text, len, p, &err))
		fail_msg("%s", err.text);
	return p;
}

static struct profile *read_string(const char *text)
{
	return read_text(text, strlen(text));
}

/* Returns the frames of a stack trace as "class|method;…", root first. */
static char *path_of(const struct profile *p, uint32_t stack)
{
	struct text path = { 0 };

	text_puts(&path, "");
	for (; stack; stack = p->stacks[stack].caller) {
		const struct frame *f = &p->frames[p->stacks[stack].frame];
		struct text longer = { 0 };

		text_printf(&longer, "%s|%s", profile_text(p, f->class_name),
			    profile_text(p, f->method));
		if (path.len)
			text_printf(&longer, ";%s", path.bytes);
		text_release(&path);
		path = longer;
	}
	return path.bytes;
}

/* Returns the weight of the cells whose stack trace is path. */
static uint64_t weight_of(const struct profile *p, const char *path)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		char *own = path_of(p, p->cells[i].stack);

		if (strcmp(own, path) == 0)
			weight += p->cells[i].weight;
		free(own);
	}
	return weight;
}

/* Reads "name 1" and returns its only frame. */
static struct frame frame_of(struct profile **p, const char *name)
{
	struct text line = { 0 };

	text_printf(&line, "%s 1\n", name);
	*p = read_text(line.bytes, line.len);
	text_release(&line);
	assert_int_equal((*p)->stack_count, 2);
	return (*p)->frames[(*p)->stacks[1].frame];
}

static void expect_frame(const char *name, const char *class_name,
			 const char *method, enum frame_kind kind,
			 uint32_t line)
{
	struct profile *p;
	struct frame f = frame_of(&p, name);

	assert_string_equal(profile_text(p, f.class_name), class_name);
	assert_string_equal(profile_text(p, f.method), method);
	assert_int_equal(f.kind, kind);
	assert_int_equal(f.line, line);
	profile_free(p);
}

static void weight_is_the_number_after_the_last_space(void **state)
{
	struct profile *p = read_string("a;b c 5\na;b c 12\n");

	(void)state;
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(weight_of(p, "|a;|b c"), 17);
	assert_int_equal(p->events[0].samples, 17);
	assert_int_equal(p->events[0].weight, 17);
	assert_int_equal(p->events[0].unit, UNIT_SAMPLES);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void line_shares_only_whole_frames_with_the_previous_line(void **state)
{
	struct profile *p = read_string("a;bc;d 1\na;b;d 2\na 4\na;bc 8\n"
					"a;bc;d;e 16\na;bcd 32\nab 64\n");

	(void)state;
	assert_int_equal(weight_of(p, "|a;|bc;|d"), 1);
	assert_int_equal(weight_of(p, "|a;|b;|d"), 2);
	assert_int_equal(weight_of(p, "|a"), 4);
	assert_int_equal(weight_of(p, "|a;|bc"), 8);
	assert_int_equal(weight_of(p, "|a;|bc;|d;|e"), 16);
	assert_int_equal(weight_of(p, "|a;|bcd"), 32);
	assert_int_equal(weight_of(p, "|ab"), 64);
	profile_free(p);
}

static void crlf_blanks_comments_and_empty_lines_are_understood(void **state)
{
	struct profile *p = read_string("# by hand\r\n\r\na;b 5\r\n\na;b 6 \n"
					"a;b\t7");

	(void)state;
	assert_int_equal(weight_of(p, "|a;|b"), 18);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void name_may_begin_or_end_with_special_characters(void **state)
{
	struct profile *p = read_string("#a;b 1\n# a;b 2\n#\na;b  4\n"
					"c;d 5 8\n");

	(void)state;
	assert_int_equal(weight_of(p, "|#a;|b"), 1);
	assert_int_equal(weight_of(p, "|a;|b "), 4);
	assert_int_equal(weight_of(p, "|c;|d 5"), 8);
	assert_int_equal(p->events[0].weight, 13);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

static void names_of_any_length_are_distinguished(void **state)
{
	struct text in = { 0 };
	struct profile *p;

	(void)state;
	/* Names are read eight bytes at a time: lengths around that matter. */
	for (int len = 1; len <= 40; len++) {
		for (int i = 0; i < len; i++)
			text_putc(&in, 'x');
		text_putc(&in, ';');
		for (int i = 0; i < 41 - len; i++)
			text_putc(&in, 'y');
		text_printf(&in, " %d\n", len);
	}
	p = read_text(in.bytes, in.len);
	assert_int_equal(p->cell_count, 40);
	assert_int_equal(p->frame_count, 1 + 80);
	for (int len = 1; len <= 40; len++) {
		struct text path = { 0 };

		text_putc(&path, '|');
		for (int i = 0; i < len; i++)
			text_putc(&path, 'x');
		text_puts(&path, ";|");
		for (int i = 0; i < 41 - len; i++)
			text_putc(&path, 'y');
		assert_int_equal(weight_of(p, path.bytes), len);
		text_release(&path);
	}
	profile_free(p);
	text_release(&in);
}

static void input_truncated_anywhere_is_read_to_its_end(void **state)
{
	static const char whole[] = "alpha;beta;gamma;delta 12";

	(void)state;
	for (size_t len = 1; len < sizeof(whole); len++) {
		/*
		 * An exact allocation, so that a sanitizer finds a read beyond
		 * it.
		 */
		char *cut = memcpy(malloc(len), whole, len);
		struct profile *p = profile_new();
		struct error err = { 0 };
		int ret = collapsed_reader.read((uint8_t *)cut, len, p, &err);

		assert_int_equal(ret, len >= strlen(whole) - 1 ? 0 : -1);
		if (ret)
			assert_int_equal(err.kind, ERROR_INPUT);
		profile_free(p);
		free(cut);
	}
}

static void suffixes_set_the_frame_kind_and_are_removed(void **state)
{
	(void)state;
	expect_frame("a.B.m_[j]", "a.B", "m", FRAME_JIT, 0);
	expect_frame("a.B.m_[i]", "a.B", "m", FRAME_INLINED, 0);
	expect_frame("a.B.m_[0]", "a.B", "m", FRAME_INTERPRETED, 0);
	expect_frame("a.B.m_[1]", "a.B", "m", FRAME_C1, 0);
	expect_frame("do_syscall_64_[k]", "", "do_syscall_64", FRAME_KERNEL, 0);
	expect_frame("a.B.m_[x]", "", "a.B.m_[x]", FRAME_NATIVE, 0);
	expect_frame("_[j]", "", "_[j]", FRAME_NATIVE, 0);
}

static void names_that_look_like_java_have_a_class_and_a_method(void **state)
{
	(void)state;
	expect_frame("java.lang.Thread.run", "java.lang.Thread", "run",
		     FRAME_JAVA, 0);
	expect_frame("java/lang/Thread.run", "java.lang.Thread", "run",
		     FRAME_JAVA, 0);
	expect_frame("a.B.<init>", "a.B", "<init>", FRAME_JAVA, 0);
	expect_frame("Main.main", "Main", "main", FRAME_JAVA, 0);
	expect_frame("a.B.m:42", "a.B", "m", FRAME_JAVA, 42);
	expect_frame("a.B.m:42_[j]", "a.B", "m", FRAME_JIT, 42);
}

/* async-profiler marks classes as inlined, and outside a TLAB as kernel. */
static void class_without_method_is_an_allocated_class(void **state)
{
	(void)state;
	expect_frame("java.util.TreeMap$Entry_[i]", "java.util.TreeMap$Entry",
		     "", FRAME_CLASS, 0);
	expect_frame("java.util.TreeMap$Entry_[k]", "java.util.TreeMap$Entry",
		     "", FRAME_CLASS, 0);
	expect_frame("java.util.List", "java.util.List", "", FRAME_CLASS, 0);
	expect_frame("byte[]_[i]", "byte[]", "", FRAME_CLASS, 0);
	expect_frame("byte[]_[k]", "byte[]", "", FRAME_CLASS, 0);
	expect_frame("int[][]", "int[][]", "", FRAME_CLASS, 0);
	expect_frame("com.acme.Order[]", "com.acme.Order[]", "", FRAME_CLASS,
		     0);
	expect_frame("Order_[i]", "Order", "", FRAME_CLASS, 0);
	expect_frame("Order[]_[i]", "Order[]", "", FRAME_CLASS, 0);
}

static void name_that_resembles_a_class_is_a_function(void **state)
{
	(void)state;
	expect_frame("operator new[]", "", "operator new[]", FRAME_NATIVE, 0);
	expect_frame("Order", "", "Order", FRAME_NATIVE, 0);
	expect_frame("Order[]", "", "Order[]", FRAME_NATIVE, 0);
	expect_frame("LZ4_decompress_[k]", "", "LZ4_decompress", FRAME_KERNEL,
		     0);
	expect_frame("x.isra.0_[k]", "", "x.isra.0", FRAME_KERNEL, 0);
	expect_frame("[]_[i]", "", "[]", FRAME_INLINED, 0);
	expect_frame("Heap::alloc_[i]", "", "Heap::alloc", FRAME_INLINED, 0);
}

static void generated_classes_lose_their_numbers(void **state)
{
	(void)state;
	expect_frame("Busy$$Lambda$92+0x00007f7584009208/1582071873.call",
		     "Busy$$Lambda", "call", FRAME_JAVA, 0);
	expect_frame("Busy$$Lambda.0x00007f1ad4004aa0.call", "Busy$$Lambda",
		     "call", FRAME_JAVA, 0);
	expect_frame("java/lang/invoke/LambdaForm$MH.0x00007ff054080c00.invoke",
		     "java.lang.invoke.LambdaForm$MH", "invoke", FRAME_JAVA, 0);
}

static void unmarked_names_are_unchanged(void **state)
{
	(void)state;
	expect_frame("ObjectMonitor::wait", "", "ObjectMonitor::wait",
		     FRAME_CPP, 0);
	expect_frame("main.(*T).serve", "", "main.(*T).serve", FRAME_NATIVE, 0);
	expect_frame("libc.so.6", "", "libc.so.6", FRAME_NATIVE, 0);
	expect_frame("libjvm.so", "", "libjvm.so", FRAME_NATIVE, 0);
	expect_frame("run.constprop.0", "", "run.constprop.0", FRAME_NATIVE, 0);
	expect_frame("malloc@@GLIBC_2.2.5", "", "malloc@@GLIBC_2.2.5",
		     FRAME_NATIVE, 0);
	expect_frame("[main tid=7]", "", "[main tid=7]", FRAME_SYNTHETIC, 0);
	expect_frame("[vdso]", "", "[vdso]", FRAME_NATIVE, 0);
	expect_frame("[truncated]", "", "[truncated]", FRAME_SYNTHETIC, 0);
	expect_frame("[truncated: stack not in memory]", "",
		     "[truncated: stack not in memory]", FRAME_SYNTHETIC, 0);
	expect_frame("x.y:", "", "x.y:", FRAME_NATIVE, 0);
}

static void lines_can_be_left_out(void **state)
{
	static const char text[] = "a.B.m:1 3\na.B.m:2 4\n";
	struct profile *p = profile_new();
	struct error err;

	(void)state;
	p->keep_lines = false;
	assert_int_equal(collapsed_reader.read((const uint8_t *)text,
					       strlen(text), p, &err),
			 0);
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(p->cells[0].weight, 7);
	profile_free(p);
}

static void empty_name_is_unknown(void **state)
{
	struct profile *p = read_string("a;;b 1\n;a 2\na; 4\n");

	(void)state;
	assert_int_equal(weight_of(p, "|a;|[unknown];|b"), 1);
	assert_int_equal(weight_of(p, "|[unknown];|a"), 2);
	assert_int_equal(weight_of(p, "|a;|[unknown]"), 4);
	profile_free(p);
}

static void samples_without_a_stack_trace_are_such_again(void **state)
{
	struct profile *p = read_string("[no stack trace] 3\na 4\n");

	(void)state;
	assert_int_equal(p->events[0].samples, 7);
	assert_int_equal(p->events[0].without_stack, 3);
	profile_free(p);
}

/* flamegraph.pl and inferno write decimals when they normalize a profile. */
static void decimal_weights_are_rounded_with_the_right_total(void **state)
{
	struct profile *p = read_string("a 0.3\nb 0.3\nc 0.3\nd 0.1\n"
					"e 2.0\nf 3.\ng 1.99999999999999\n");

	(void)state;
	assert_int_equal(p->events[0].samples, 8);
	assert_int_equal(weight_of(p, "|e"), 2);
	assert_int_equal(weight_of(p, "|f"), 3);
	assert_int_equal(weight_of(p, "|g"), 2);
	assert_int_equal(p->remark_count, 1);
	assert_int_equal(p->remarks[0].count, 5);
	assert_false(p->remarks[0].is_loss);
	profile_free(p);
}

/* Each of these lines is skipped and counted. */
static void lines_that_are_none_are_skipped_and_counted(void **state)
{
	static const char text[] = "a;b 1\n"
				   "no number\n"
				   "a;b -5\n"
				   "a;b 18446744073709551616\n"
				   "a;b 1e9\n"
				   " 7\n"
				   "12\n"
				   "a;n\0ul 3\n"
				   "a;n\0ul 3\n"
				   "a;b 2\n";
	struct profile *p = read_text(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(weight_of(p, "|a;|b"), 3);
	assert_int_equal(p->cell_count, 1);
	assert_int_equal(p->remark_count, 1);
	assert_int_equal(p->remarks[0].count, 8);
	assert_true(p->remarks[0].is_loss);
	assert_string_equal(p->remarks[0].first,
			    "line 2: no number after the last space");
	profile_free(p);
}

static void largest_weight_is_read_and_sums_saturate(void **state)
{
	struct profile *p = read_string("a 18446744073709551615\na 1\nb 1\n");

	(void)state;
	assert_true(weight_of(p, "|a") == UINT64_MAX);
	assert_true(p->events[0].weight == UINT64_MAX);
	assert_true(p->events[0].samples == UINT64_MAX);
	profile_free(p);
}

static void name_of_ten_megabytes_is_skipped(void **state)
{
	struct text in = { 0 };
	struct profile *p;

	(void)state;
	text_puts(&in, "a;b 1\na;");
	for (int i = 0; i < 10 << 20; i++)
		text_putc(&in, 'x');
	text_puts(&in, " 5\na;b 2\n");
	p = read_text(in.bytes, in.len);
	assert_int_equal(weight_of(p, "|a;|b"), 3);
	assert_true(profile_is_partial(p));
	profile_free(p);
	text_release(&in);
}

static void stack_trace_may_be_very_deep(void **state)
{
	enum { DEPTH = 200000 };
	struct text in = { 0 };
	struct profile *p;

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		text_puts(&in, i ? ";f" : "f");
	text_puts(&in, " 5\n");
	p = read_text(in.bytes, in.len);
	assert_int_equal(p->stack_count, 1 + DEPTH);
	assert_int_equal(p->cells[0].stack, DEPTH);
	profile_free(p);
	text_release(&in);
}

static void second_weight_counts_if_all_lines_have_two(void **state)
{
	struct profile *p = read_string("a;b 10 20\na;c 0 5\nd 3 4\n");

	(void)state;
	assert_int_equal(weight_of(p, "|a;|b"), 20);
	assert_int_equal(weight_of(p, "|a;|c"), 5);
	assert_int_equal(weight_of(p, "|d"), 4);
	assert_int_equal(p->remark_count, 1);
	assert_false(p->remarks[0].is_loss);
	profile_free(p);
	p = read_string("a;b 10 20\na;c 5\n");
	assert_int_equal(weight_of(p, "|a;|b 10"), 20);
	assert_int_equal(weight_of(p, "|a;|c"), 5);
	profile_free(p);
}

static void input_without_readable_lines_is_an_error(void **state)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		collapsed_reader.read((const uint8_t *)"x\ny\n", 4, p, &err),
		-1);
	assert_int_equal(err.kind, ERROR_INPUT);
	profile_free(p);
}

static bool sniffs(const char *text)
{
	return collapsed_reader.sniff((const uint8_t *)text, strlen(text));
}

static void collapsed_stack_traces_are_recognized(void **state)
{
	(void)state;
	assert_true(sniffs("main 5"));
	assert_true(sniffs("main 5\n"));
	assert_true(sniffs("a;b 5\r\nc 7\r\n"));
	assert_true(sniffs("# comment\n\n[main tid=1];a.B.c_[j] 5\n"));
	assert_true(sniffs("C2 CompilerThread0;Compile::Compile 7\n"));
	assert_true(sniffs("a;b 5\nno number here\nmore of it\n"));
	assert_true(sniffs("a;b 0.5\n"));
	/* tracing-flame; a name with quotes. */
	assert_true(sniffs("main; foo;bar baz 12\nmain; foo 3\n"));
	assert_true(sniffs("java;\"a b\";c 3\njava;x 4\njava;\"d\" 5\n"));
}

static void texts_of_other_formats_are_not_recognized(void **state)
{
	static const char *const others[] = {
		"",
		"\n\n",
		"# only a comment 5\n",
		"{\n  \"a\": 5\n}\n",
		"[1, 2,\n 3 ]\n",
		"<!DOCTYPE html>\n<p>a &amp; b 5\n",
		"2024-11-21 10:32:59\nFull thread dump OpenJDK 64-Bit 17 :\n",
		"2024-11-21 10:32:59 INFO done in 12\n",
		"\"main\" #1 prio=5 os_prio=0 tid=0x0 nid=0x1 5\n",
		"cpu  12 0 7 9\ncpu0 12 0 7 9\n",
		"  12 34 56\n",
		"int a; int b; return 5\n",
		"a;b \x1b[0m 5\n",
		"name;count\nfoo;12\n",
		"PID TTY TIME\nbash 4\n",
		"nBpRoFiLeR\x01\x02 5\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (sniffs(others[i]))
			fail_msg("taken for collapsed: %s", others[i]);
	}
}

static void head_with_a_partial_line_is_judged_by_the_other_lines(void **state)
{
	struct text head = { 0 };

	(void)state;
	while (head.len < READER_HEAD)
		text_puts(&head, "java.util.ArrayList.forEach;");
	assert_true(collapsed_reader.sniff((uint8_t *)head.bytes, READER_HEAD));
	text_clear(&head);
	while (head.len < READER_HEAD)
		text_puts(&head, "{\"frame\": \"a;b;c\"}, ");
	assert_false(
		collapsed_reader.sniff((uint8_t *)head.bytes, READER_HEAD));
	text_clear(&head);
	text_puts(&head, "a;b 5\n");
	while (head.len < READER_HEAD)
		text_puts(&head, "java.util.ArrayList.forEach;");
	assert_true(collapsed_reader.sniff((uint8_t *)head.bytes, READER_HEAD));
	text_release(&head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weight_is_the_number_after_the_last_space),
		cmocka_unit_test(
			line_shares_only_whole_frames_with_the_previous_line),
		cmocka_unit_test(
			crlf_blanks_comments_and_empty_lines_are_understood),
		cmocka_unit_test(name_may_begin_or_end_with_special_characters),
		cmocka_unit_test(names_of_any_length_are_distinguished),
		cmocka_unit_test(input_truncated_anywhere_is_read_to_its_end),
		cmocka_unit_test(suffixes_set_the_frame_kind_and_are_removed),
		cmocka_unit_test(
			names_that_look_like_java_have_a_class_and_a_method),
		cmocka_unit_test(class_without_method_is_an_allocated_class),
		cmocka_unit_test(name_that_resembles_a_class_is_a_function),
		cmocka_unit_test(generated_classes_lose_their_numbers),
		cmocka_unit_test(unmarked_names_are_unchanged),
		cmocka_unit_test(lines_can_be_left_out),
		cmocka_unit_test(empty_name_is_unknown),
		cmocka_unit_test(samples_without_a_stack_trace_are_such_again),
		cmocka_unit_test(
			decimal_weights_are_rounded_with_the_right_total),
		cmocka_unit_test(lines_that_are_none_are_skipped_and_counted),
		cmocka_unit_test(largest_weight_is_read_and_sums_saturate),
		cmocka_unit_test(name_of_ten_megabytes_is_skipped),
		cmocka_unit_test(stack_trace_may_be_very_deep),
		cmocka_unit_test(second_weight_counts_if_all_lines_have_two),
		cmocka_unit_test(input_without_readable_lines_is_an_error),
		cmocka_unit_test(collapsed_stack_traces_are_recognized),
		cmocka_unit_test(texts_of_other_formats_are_not_recognized),
		cmocka_unit_test(
			head_with_a_partial_line_is_judged_by_the_other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
