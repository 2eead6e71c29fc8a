/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/method_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STRING "Ljava/lang/String;"

static void patterns_match_classes(void **state)
{
	static const struct {
		const char *word, *class_name;
		bool matches;
	} cases[] = {
		{ "com.acme.Orders.submit", "com.acme.Orders", true },
		{ "com.acme.Orders::submit", "com.acme.Orders", true },
		{ "com.acme.Orders#submit", "com.acme.Orders", true },
		{ "com/acme/Orders.submit(J)V", "com.acme.Orders", true },
		{ "Lcom/acme/Orders;.submit", "com.acme.Orders", true },
		{ "com.acme.Orders.submit", "com.acme.Orders2", false },
		{ "com.acme.Orders.submit", "org.com.acme.Orders", false },
		{ "Orders.submit", "com.acme.Orders", true },
		{ "Orders.submit", "Orders", true },
		{ "Orders.submit", "com.acme.MyOrders", false },
		{ "Line.add", "com.acme.Orders$Line", true },
		{ "Orders$Line.add", "com.acme.Orders$Line", true },
		{ "Orders.add", "com.acme.Orders$Line", false },
		{ "com.acme.Orders.Line.add", "com.acme.Orders$Line", true },
		{ "Orders.Line.add", "com.acme.Orders$Line", true },
		{ "Orders.Line.add", "Orders$Line", true },
		{ "com.Acme.*.add", "com.Acme$Line", true },
		{ "com.acme.*.submit", "com.acme.Orders", true },
		{ "com.acme.*.submit", "com.acme.sub.Orders", true },
		{ "com.acme.*.submit", "com.other.Orders", false },
		{ "*Service.run", "com.acme.MailService", true },
		{ "com.acme.Order?.submit", "com.acme.Orders", true },
		{ "com.acme.Order.submit", "com+acme.Order", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct method_pattern m;
		struct error err;

		if (method_pattern_init(&m, cases[i].word, &err))
			fail_msg("%s: %s", cases[i].word, err.text);
		if (method_pattern_has_class(&m, cases[i].class_name) !=
		    cases[i].matches)
			fail_msg("%s and %s", cases[i].word,
				 cases[i].class_name);
		method_pattern_release(&m);
	}
}

static void patterns_match_methods_and_parameters(void **state)
{
	static const struct {
		const char *word, *method, *descriptor;
		bool matches;
	} cases[] = {
		{ "C.submit", "submit", "(J)V", true },
		{ "C.submit", "submitAll", "(J)V", false },
		{ "C.sub*", "submitAll", "(J)V", true },
		{ "C.*", "<init>", "()V", true },
		{ "C.<init>", "<init>", "()V", true },
		{ "C.f()", "f", "()V", true },
		{ "C.f()", "f", "(I)V", false },
		{ "C.f(int)", "f", "(I)V", true },
		{ "C.f(int)", "f", "(J)V", false },
		{ "C.f(int)", "f", "(II)V", false },
		{ "C.f(int, long)", "f", "(IJ)V", true },
		{ "C.f(long,*)", "f", "(J" STRING ")V", true },
		{ "C.f(long,*)", "f", "(J)V", false },
		{ "C.f(long,*)", "f", "(JII)V", false },
		{ "C.f(long,..)", "f", "(J)V", true },
		{ "C.f(long,..)", "f", "(JII)V", true },
		{ "C.f(..)", "f", "()V", true },
		{ "C.f(String)", "f", "(" STRING ")V", true },
		{ "C.f(java.lang.String)", "f", "(" STRING ")V", true },
		{ "C.f(lang.String)", "f", "(" STRING ")V", false },
		{ "C.f(Ring)", "f", "(" STRING ")V", false },
		{ "C.f(String[])", "f", "([" STRING ")V", true },
		{ "C.f(String...)", "f", "([" STRING ")V", true },
		{ "C.f(String)", "f", "([" STRING ")V", false },
		{ "C.f(Map.Entry)", "f", "(Ljava/util/Map$Entry;)V", false },
		{ "C.f(java.util.Map.Entry)", "f", "(Ljava/util/Map$Entry;)V",
		  true },
		{ "C.f(Entry)", "f", "(Ljava/util/Map$Entry;)V", true },
		{ "C.f(J" STRING ")V", "f", "(J" STRING ")V", true },
		{ "C.f(J)V", "f", "(I)V", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct method_pattern m;
		struct error err;

		if (method_pattern_init(&m, cases[i].word, &err))
			fail_msg("%s: %s", cases[i].word, err.text);
		if (method_pattern_has_method(&m, cases[i].method,
					      cases[i].descriptor) !=
		    cases[i].matches)
			fail_msg("%s and %s%s", cases[i].word, cases[i].method,
				 cases[i].descriptor);
		method_pattern_release(&m);
	}
}

static void marks_select_subtypes_and_exclude(void **state)
{
	static const struct {
		const char *word;
		bool excludes, with_subtypes;
	} cases[] = {
		{ "com.acme.Handler.handle", false, false },
		{ "+com.acme.Handler.handle", false, true },
		{ "com.acme.Handler+.handle", false, true },
		{ "!com.acme.Handler.handle", true, false },
		{ "!+com.acme.Handler.handle", true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct method_pattern m;
		struct error err;

		assert_int_equal(method_pattern_init(&m, cases[i].word, &err),
				 0);
		assert_int_equal(m.excludes, cases[i].excludes);
		assert_int_equal(m.with_subtypes, cases[i].with_subtypes);
		assert_string_equal(m.class_name, "com.acme.Handler");
		assert_string_equal(m.method, "handle");
		method_pattern_release(&m);
	}
}

static void invalid_patterns_are_quoted(void **state)
{
	static const char *const words[] = {
		"",
		"submit",
		"Orders.",
		".submit",
		"C.f(int",
		"C.f(int,,long)",
		"C.f(..,int)",
		"C.f(JX;)V",
		"!",
		"::f",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct method_pattern m;
		struct error err = { 0 };

		if (method_pattern_init(&m, words[i], &err) == 0)
			fail_msg("%s is valid", words[i]);
		assert_int_equal(err.kind, ERROR_MISUSE);
		assert_non_null(strstr(err.text, words[i]));
		method_pattern_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_classes),
		cmocka_unit_test(patterns_match_methods_and_parameters),
		cmocka_unit_test(marks_select_subtypes_and_exclude),
		cmocka_unit_test(invalid_patterns_are_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
