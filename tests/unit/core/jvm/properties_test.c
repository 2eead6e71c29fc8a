/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/properties.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* All properties of a text as "key|value\n". */
static void assert_read(const char *text, const char *expected)
{
	struct properties p;
	struct text all = { 0 };

	properties_init(&p, text, strlen(text));
	text_puts(&all, "");
	while (properties_next(&p)) {
		text_add(&all, p.key.bytes, p.key.len);
		text_putc(&all, '|');
		text_add(&all, p.value.bytes, p.value.len);
		text_putc(&all, '\n');
	}
	assert_string_equal(all.bytes, expected);
	text_release(&all);
	properties_release(&p);
}

static void reply_of_a_jvm_is_parsed(void **state)
{
	(void)state;
	assert_read("#Sat Nov 21 08:51:04 UTC 2026\n"
		    "java.library.path=/usr/java/lib\\:/lib64\n"
		    "line.separator=\\n\n"
		    "empty=\n",
		    "java.library.path|/usr/java/lib:/lib64\n"
		    "line.separator|\n\n"
		    "empty|\n");
}

static void escapes_are_undone(void **state)
{
	(void)state;
	assert_read("a\\=b\\ c\\:\\#=\\ x\\\\\\t\\u00e9\\u20AC\n",
		    "a=b c:#| x\\\t\xc3\xa9\xe2\x82\xac\n");
	/* Incomplete escapes are kept. */
	assert_read("k=\\u12\\q\n", "k|u12q\n");
	assert_read("k=\\", "k|\n");
}

static void bytes_are_latin_1(void **state)
{
	(void)state;
	assert_read("k=\xe9\n", "k|\xc3\xa9\n");
}

static void lines_are_continued(void **state)
{
	(void)state;
	assert_read("k=a\\\n   b\\\n\\ c\nnext=d\n", "k|ab c\nnext|d\n");
	assert_read("k=a\\\\\nnext=d\n", "k|a\\\nnext|d\n");
	assert_read("k\\\n=a\n", "k|a\n");
}

static void keys_end_as_in_java(void **state)
{
	(void)state;
	assert_read("a b\nc : d\ne==f\n  g\n! no\n\n:h\n",
		    "a|b\nc|d\ne|=f\ng|\n|h\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reply_of_a_jvm_is_parsed),
		cmocka_unit_test(escapes_are_undone),
		cmocka_unit_test(bytes_are_latin_1),
		cmocka_unit_test(lines_are_continued),
		cmocka_unit_test(keys_end_as_in_java),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
