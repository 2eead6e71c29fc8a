/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/loaded_classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As JDK 25 prints it, with the versions of a redefined class. */
static const char hierarchy[] =
	"java.lang.Object/null\n"
	"|--com.acme.Orders/0x00007f4e3c0ab470\n"
	"|--com.acme.Base/0x00007f4e3c0ab470\n"
	"|  implements com.acme.Handler/0x00007f4e3c0ab470 (declared intf)\n"
	"|  |--com.acme.Derived/0x00007f4e3c0ab470\n"
	"|  |  implements com.acme.Handler/0x00007f4e3c0ab470 "
	"(inherited intf)\n"
	"|  |--com.acme.Base$$Lambda/0x00007f4e3c0ab470/0x00007f4e3c0ab470\n"
	"|--com.acme.Other/0x00007f4e3c0ab470\n"
	"|--com.acme.Orders/0x00007f4e3c0ab470\n"
	"|--com.acme.Handler/0x00007f4e3c0ab470 (intf)\n"
	"|--org.Orders/0x00007f4e3c0ab471\n";

static void expect_chosen(const char *first, const char *second,
			  const char *expected)
{
	const char *const words[] = { first, second };
	const size_t count = second ? 2 : 1;
	struct method_pattern patterns[2];
	struct loaded_classes l = { 0 };
	struct text got = { 0 };
	struct error err;

	text_puts(&got, "");
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			method_pattern_init(&patterns[i], words[i], &err), 0);
	loaded_classes_parse(&l, hierarchy, strlen(hierarchy), patterns, count);
	for (size_t i = 0; i < l.chosen_count; i++)
		text_printf(&got, "%s:%zu ", l.chosen[i].name,
			    l.chosen[i].pattern);
	assert_string_equal(got.bytes, expected);
	for (size_t i = 0; i < count; i++)
		method_pattern_release(&patterns[i]);
	loaded_classes_release(&l);
	text_release(&got);
}

static void patterns_choose_each_class_once(void **state)
{
	(void)state;
	expect_chosen("com.acme.Orders.f", NULL, "com.acme.Orders:0 ");
	expect_chosen("Orders.f", NULL, "com.acme.Orders:0 org.Orders:0 ");
	expect_chosen("Base.f", "Other.f", "com.acme.Base:0 com.acme.Other:1 ");
	expect_chosen("None.f", NULL, "");
}

static void subtypes_are_those_of_classes_and_interfaces(void **state)
{
	(void)state;
	expect_chosen("+Base.f", NULL, "com.acme.Base:0 com.acme.Derived:0 ");
	expect_chosen("+com.acme.Handler.f", NULL,
		      "com.acme.Base:0 com.acme.Derived:0 com.acme.Handler:0 ");
	expect_chosen("com.acme.Handler.f", NULL, "com.acme.Handler:0 ");
}

static void excluded_classes_are_not_chosen(void **state)
{
	(void)state;
	expect_chosen("com.acme.*.f", "!+Base.*",
		      "com.acme.Handler:0 com.acme.Orders:0 com.acme.Other:0 ");
	/* Other methods of the class remain. */
	expect_chosen("Base.*", "!Base.g", "com.acme.Base:0 ");
}

static void expect_suggestion(const char *word, const char *expected)
{
	struct loaded_classes l = { 0 };
	struct method_pattern m;
	struct text got = { 0 };
	struct error err;

	text_puts(&got, "");
	assert_int_equal(method_pattern_init(&m, word, &err), 0);
	loaded_classes_parse(&l, hierarchy, strlen(hierarchy), &m, 1);
	loaded_classes_suggest(&l, &m, &got);
	assert_string_equal(got.bytes, expected);
	method_pattern_release(&m);
	loaded_classes_release(&l);
	text_release(&got);
}

static void near_miss_is_suggested_with_its_package(void **state)
{
	(void)state;
	expect_suggestion("Handlr.f", "; did you mean 'com.acme.Handler'?");
	expect_suggestion("com.acme.Derivd.f",
			  "; did you mean 'com.acme.Derived'?");
	expect_suggestion("Unrelated.f", "");
}

static void damaged_reply_is_read_as_far_as_possible(void **state)
{
	struct method_pattern m;
	struct error err;

	(void)state;
	assert_int_equal(method_pattern_init(&m, "+Base.f", &err), 0);
	for (size_t len = 0; len < strlen(hierarchy); len++) {
		struct loaded_classes l = { 0 };

		loaded_classes_parse(&l, hierarchy + len,
				     strlen(hierarchy) - len, &m, 1);
		assert_true(l.chosen_count <= l.names.count);
		loaded_classes_release(&l);
	}
	method_pattern_release(&m);
}

/* As JDK 25 prints it, without empty lines. */
static const char loaders
	[] = "4711:\n"
	     "+-- <bootstrap>\n"
	     "      |           Loader Data: 0x00007f4e3c0ab400\n"
	     "      +-- \"platform\", "
	     "jdk.internal.loader.ClassLoaders$PlatformClassLoader\n"
	     "      |     |            Loader Oop: 0x00000000ffe1eb18\n"
	     "      |     |           Loader Data: 0x00007f4e3c0ab401\n"
	     "      |     +-- \"app\", "
	     "jdk.internal.loader.ClassLoaders$AppClassLoader\n"
	     "      |           |           Loader Data: 0x00007f4e3c0ab470\n"
	     "      |           +-- java.net.URLClassLoader\n"
	     "      |                       Loader Data: 0x00007f4e3c0ab472\n"
	     "      +-- \"strict\", a.Strict\n"
	     "            |           Loader Data: 0x00007f4e3c0ab471\n"
	     "            +-- java.net.URLClassLoader\n"
	     "                        Loader Data: 0x00007f4e3c0ab473\n";

static const char loaded_by_several[] = "java.lang.Object/null\n"
					"|--a.App/0x00007f4e3c0ab470\n"
					"|--a.Url/0x00007f4e3c0ab472\n"
					"|--a.Strict/0x00007f4e3c0ab471\n"
					"|--a.BelowStrict/0x00007f4e3c0ab473\n"
					"|--a.Twice/0x00007f4e3c0ab471 (intf)\n"
					"|--a.Twice/0x00007f4e3c0ab470\n"
					"|--a.Unlisted/0x00007f4e3c0ab479\n";

static void expect_barring(const struct loaded_classes *l, const char *name,
			   const char *loader)
{
	const char *got = loaded_classes_barring(l, name);

	if (loader)
		assert_string_equal(got, loader);
	else
		assert_null(got);
}

static void only_loaders_that_ask_their_parent_do_not_bar_a_name(void **state)
{
	struct loaded_classes l = { 0 };
	struct method_pattern m;
	struct error err;

	(void)state;
	assert_int_equal(method_pattern_init(&m, "a.App.f", &err), 0);
	loaded_classes_parse(&l, loaded_by_several, strlen(loaded_by_several),
			     &m, 1);
	loaded_classes_parse_loaders(&l, loaders, strlen(loaders));
	expect_barring(&l, "java.lang.Object", NULL);
	expect_barring(&l, "a.App", NULL);
	expect_barring(&l, "a.Url", NULL);
	expect_barring(&l, "a.Strict", "\"strict\", a.Strict");
	expect_barring(&l, "a.BelowStrict", "java.net.URLClassLoader");
	expect_barring(&l, "a.Twice", "\"strict\", a.Strict");
	expect_barring(&l, "a.Unlisted", "a loader that the JVM does not list");
	expect_barring(&l, "a.NotLoaded", NULL);
	assert_int_equal(l.barring, 2);
	/* A part of the reply accepts no more loaders. */
	for (size_t len = 0; len < strlen(loaders); len++) {
		l.barring = 0;
		loaded_classes_parse_loaders(&l, loaders, len);
		assert_non_null(loaded_classes_barring(&l, "a.Strict"));
		loaded_classes_parse_loaders(&l, loaders + len,
					     strlen(loaders) - len);
		assert_non_null(loaded_classes_barring(&l, "a.Strict"));
	}
	method_pattern_release(&m);
	loaded_classes_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_choose_each_class_once),
		cmocka_unit_test(subtypes_are_those_of_classes_and_interfaces),
		cmocka_unit_test(excluded_classes_are_not_chosen),
		cmocka_unit_test(near_miss_is_suggested_with_its_package),
		cmocka_unit_test(damaged_reply_is_read_as_far_as_possible),
		cmocka_unit_test(
			only_loaders_that_ask_their_parent_do_not_bar_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
