/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/frame_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *class_name, const char *method,
		   struct frame rest, struct style style, const char *expected)
{
	struct profile *p = profile_new();
	struct text out = { 0 };

	rest.class_name = profile_string(p, class_name, strlen(class_name));
	rest.method = profile_string(p, method, strlen(method));
	frame_name(&out, p, &rest, &style);
	assert_string_equal(out.bytes, expected);
	text_release(&out);
	profile_free(p);
}

static const struct frame java = { .kind = FRAME_JAVA, .line = 42 };
static const struct style full, simple = { .simple = true };

static void java_frame_prints_class_and_method(void **state)
{
	(void)state;
	expect("java.lang.Thread", "run", java, full, "java.lang.Thread.run");
	expect("Main", "main", java, full, "Main.main");
	expect("a.B", "<init>", java, full, "a.B.<init>");
	expect("a.B$$Lambda", "call", java, full, "a.B$$Lambda.call");
}

static void simple_name_has_no_package(void **state)
{
	(void)state;
	expect("java.lang.Thread", "run", java, simple, "Thread.run");
	expect("Main", "main", java, simple, "Main.main");
	expect("a.b.Outer$Inner", "m", java, simple, "Outer$Inner.m");
	expect("a.B$$Lambda", "call", java, simple, "B$$Lambda.call");
	expect("a.b.", "m", java, simple, "a.b..m");
}

static void native_functions_have_no_package_to_lose(void **state)
{
	static const struct frame native = { .kind = FRAME_NATIVE };

	(void)state;
	expect("", "std::vector<a.b>::push", native, simple,
	       "std::vector<a.b>::push");
	expect("", "libc.so.6", native, simple, "libc.so.6");
}

static void arrays_are_written_as_in_java(void **state)
{
	(void)state;
	expect("[B", "", java, full, "byte[]");
	expect("[[I", "", java, full, "int[][]");
	expect("[Ljava.lang.String;", "", java, full, "java.lang.String[]");
	expect("[[Ljava.lang.String;", "clone", java, simple,
	       "String[][].clone");
	/* These are not descriptors. */
	expect("[", "", java, full, "[");
	expect("[Q", "", java, full, "[Q");
	expect("[L;", "", java, full, "[L;");
	expect("[main tid=1]", "", java, full, "[main tid=1]");
}

static void frame_may_lack_class_or_method_or_both(void **state)
{
	(void)state;
	expect("java.util.List", "", java, simple, "List");
	expect("", "f", java, full, "f");
	expect("", "", java, full, "[unknown]");
}

static void lines_and_annotations_are_added_when_asked_for(void **state)
{
	static const struct style all = { .lines = true, .annotate = true };
	struct frame f = java;

	(void)state;
	expect("a.B", "m", f, (struct style){ .lines = true }, "a.B.m:42");
	f.kind = FRAME_INTERPRETED;
	expect("a.B", "m", f, all, "a.B.m:42_[0]");
	f.kind = FRAME_C1;
	expect("a.B", "m", f, all, "a.B.m:42_[1]");
	f.kind = FRAME_JIT;
	expect("a.B", "m", f, all, "a.B.m:42_[j]");
	f.kind = FRAME_INLINED;
	expect("a.B", "m", f, all, "a.B.m:42_[i]");
	f.kind = FRAME_KERNEL;
	f.line = 0;
	expect("", "do_syscall_64", f, all, "do_syscall_64_[k]");
	f.kind = FRAME_CPP;
	expect("", "A::b", f, all, "A::b");
	f.kind = FRAME_SYNTHETIC;
	expect("", "[truncated]", f, all, "[truncated]");
}

static void control_characters_are_made_visible(void **state)
{
	(void)state;
	expect("a\x1b[2J", "m\n", java, full, "a\xe2\x90\x9b[2J.m\xe2\x90\x8a");
	expect("a\xff", "\xe2\x80\xaem", java, full, "a\xef\xbf\xbd.<U+202E>m");
	expect("[Lx\x7f;", "", java, full, "x\xe2\x90\xa1[]");
}

static void expect_thread(const char *name, int64_t os_id, int64_t java_id,
			  const char *expected)
{
	struct profile *p = profile_new();
	struct thread t = { .java_id = java_id, .os_id = os_id };
	struct text out = { 0 };

	t.name = profile_string(p, name, strlen(name));
	thread_frame_name(&out, p, profile_thread(p, &t));
	assert_string_equal(out.bytes, expected);
	text_release(&out);
	profile_free(p);
}

static void thread_frame_prints_the_known_id(void **state)
{
	struct profile *p = profile_new();
	struct text out = { 0 };

	(void)state;
	expect_thread("main", 4711, 1, "[main tid=4711]");
	expect_thread("main", 0, 1, "[main tid=1]");
	expect_thread("main", 0, 0, "[main]");
	expect_thread("", 12, 0, "[unnamed tid=12]");
	expect_thread("a\nb", 0, 0,
		      "[a\xe2\x90\x8a"
		      "b]");
	thread_frame_name(&out, p, 0);
	assert_string_equal(out.bytes, "[no thread]");
	text_release(&out);
	profile_free(p);
}

static void expect_parameters(const char *descriptor, bool is_simple,
			      const char *expected)
{
	struct text out = { 0 };
	size_t len = strlen(descriptor);

	text_puts(&out, "");
	assert_int_equal(frame_parameters(&out, descriptor, len, is_simple),
			 *expected != '\0');
	assert_string_equal(out.bytes, expected);
	text_release(&out);
}

static void parameters_are_written_as_in_java(void **state)
{
	(void)state;
	expect_parameters("()V", true, "()");
	expect_parameters("(JLjava/lang/String;)V", true, "(long, String)");
	expect_parameters("([[Ljava/util/Map$Entry;[I)Z", false,
			  "(java.util.Map$Entry[][], int[])");
}

static void damaged_descriptor_yields_no_parameters(void **state)
{
	static const char *const damaged[] = {
		"",     "V",    "(", "(J", "(L;)V", "(Ljava/lang/String",
		"([)V", "(X)V",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++)
		expect_parameters(damaged[i], true, "");
}

enum { LONG = 60000, METHODS = 100000 };

/* Adds methods of one class whose name is long and ends with "é$Inner". */
static struct profile *long_class_profile(size_t methods)
{
	static const char end[] = "\xc3\xa9$Inner";
	struct profile *p = profile_new();
	char *name = malloc(LONG), method[32];
	struct frame f = { .kind = FRAME_JAVA };

	memset(name, 'N', LONG);
	/* The start of the shown end is in the middle of a character. */
	for (size_t i = LONG - 200; i < LONG - 20; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	memcpy(name + LONG - strlen(end), end, strlen(end));
	f.class_name = profile_string(p, name, LONG);
	for (size_t i = 0; i < methods; i++) {
		snprintf(method, sizeof(method), "m%zu", i);
		f.method = profile_string(p, method, strlen(method));
		profile_frame(p, &f);
	}
	free(name);
	return p;
}

static void few_long_names_are_shown_whole(void **state)
{
	struct profile *p = long_class_profile(200);
	struct text out = { 0 };

	(void)state;
	frame_name(&out, p, &p->frames[200], &full);
	assert_int_equal(out.len, LONG + strlen(".m199"));
	assert_int_equal(p->remark_count, 0);
	text_release(&out);
	profile_free(p);
}

static void long_names_of_many_frames_are_shortened(void **state)
{
	static const char end[] = "\xc3\xa9$Inner.m99999(";
	struct profile *p = long_class_profile(METHODS);
	struct text out = { 0 }, place = { 0 };

	(void)state;
	for (size_t i = 1; i < p->frame_count; i++) {
		text_clear(&place);
		frame_name(&out, p, &p->frames[i], &full);
		frame_place_name(&place, p, &p->frames[i]);
	}
	assert_true(out.len < (size_t)METHODS * 256);
	assert_true(place.len < 512);
	assert_non_null(strstr(place.bytes, "NNN\xe2\x80\xa6\xc3\xa9"));
	assert_non_null(strstr(place.bytes, end));
	assert_null(strstr(place.bytes, "\xef\xbf\xbd"));
	assert_int_equal(p->remark_count, 1);
	assert_int_equal(p->remarks[0].count, METHODS);
	text_release(&out);
	text_release(&place);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(java_frame_prints_class_and_method),
		cmocka_unit_test(simple_name_has_no_package),
		cmocka_unit_test(native_functions_have_no_package_to_lose),
		cmocka_unit_test(arrays_are_written_as_in_java),
		cmocka_unit_test(frame_may_lack_class_or_method_or_both),
		cmocka_unit_test(
			lines_and_annotations_are_added_when_asked_for),
		cmocka_unit_test(control_characters_are_made_visible),
		cmocka_unit_test(thread_frame_prints_the_known_id),
		cmocka_unit_test(parameters_are_written_as_in_java),
		cmocka_unit_test(damaged_descriptor_yields_no_parameters),
		cmocka_unit_test(few_long_names_are_shown_whole),
		cmocka_unit_test(long_names_of_many_frames_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
