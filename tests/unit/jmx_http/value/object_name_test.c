/* SPDX-License-Identifier: Apache-2.0 */
/* tests/jvm compares thousands of names with Java's ObjectName. */
#include "jmx_http/value/object_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void parse(struct object_name *n, const char *text)
{
	struct error err;

	if (object_name_parse(n, text, strlen(text), &err))
		fail_msg("%s: %s", text, err.text);
}

static void names_are_parsed(void **state)
{
	struct object_name n;
	struct text t = { 0 };

	(void)state;
	parse(&n, "java.lang:type=Pool,name=\"G1, \\\"old\\\"\",a=");
	assert_string_equal(n.domain, "java.lang");
	assert_int_equal(n.property_count, 3);
	assert_string_equal(n.properties[0].key, "type");
	assert_string_equal(object_name_property(&n, "name"),
			    "\"G1, \\\"old\\\"\"");
	assert_string_equal(object_name_property(&n, "a"), "");
	assert_null(object_name_property(&n, "b"));
	assert_false(object_name_is_pattern(&n));
	object_name_canonical(&n, &t);
	assert_string_equal(t.bytes,
			    "java.lang:a=,name=\"G1, \\\"old\\\"\",type=Pool");
	text_release(&t);
	object_name_release(&n);
}

static void invalid_names_report_fault_and_position(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{ "nothing", "no ':' after the domain, at character 8" },
		{ "d:", "no properties, at character 3" },
		{ "d:a", "a key without '='" },
		{ "d:=b", "an empty key, at character 3" },
		{ "d:a=b,a=c", "a duplicate key" },
		{ "d:a=b,", "at character 6" },
		{ "d:a=\"b", "no closing quote" },
		{ "d:a=\"\\x\"", "unknown escape sequence, at character 7" },
		{ "d:*,*", "a second '*'" },
		{ "d:a=b\"", "only in a quoted value" },
		{ "d\ne:a=b", "a newline in the domain, at character 2" },
	};
	struct object_name n;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(object_name_parse(&n, wrong[i].text,
						   strlen(wrong[i].text), &err),
				 -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
		if (!strstr(err.text, wrong[i].says))
			fail_msg("%s: %s", wrong[i].text, err.text);
		object_name_release(&n);
	}
	assert_int_equal(object_name_parse(&n, "d:a=\0b", 6, &err), -1);
	assert_non_null(strstr(err.text, "a NUL, at character 5"));
}

/* In Java, U+1F600 is two characters, and is sorted before U+FF01. */
static void characters_are_utf16_units(void **state)
{
	struct object_name n;
	struct text t = { 0 };

	(void)state;
	parse(&n, "d:\xef\xbc\x81=1,\xf0\x9f\x98\x80=2");
	object_name_canonical(&n, &t);
	assert_string_equal(t.bytes, "d:\xf0\x9f\x98\x80=2,\xef\xbc\x81=1");
	text_release(&t);
	object_name_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_parsed),
		cmocka_unit_test(invalid_names_report_fault_and_position),
		cmocka_unit_test(characters_are_utf16_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
