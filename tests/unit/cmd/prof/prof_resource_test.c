/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_push.h"
#include "core/base/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Appends "key=value;" of each attribute. */
static void print_attributes(struct text *out, const struct text *resource)
{
	struct cursor c = cursor_over(resource->bytes, resource->len);
	struct protobuf_field attribute, pair, value;

	while (protobuf_next(&c, &attribute))
		while (protobuf_next(&attribute.bytes, &pair))
			if (pair.number == 1) {
				text_add(out, pair.bytes.at,
					 cursor_left(&pair.bytes));
				text_puts(out, "=");
			} else if (protobuf_next(&pair.bytes, &value)) {
				text_add(out, value.bytes.at,
					 cursor_left(&value.bytes));
				text_puts(out, ";");
			}
}

static void expect_list(const char *list, const char *expected,
			uint64_t omitted)
{
	struct text resource = { 0 }, printed = { 0 };

	text_puts(&printed, "");
	assert_int_equal(prof_resource_add_list(list, &resource), omitted);
	print_attributes(&printed, &resource);
	assert_string_equal(printed.bytes, expected);
	text_release(&resource);
	text_release(&printed);
}

static void pairs_are_decoded_and_trimmed(void **state)
{
	(void)state;
	expect_list("", "", 0);
	expect_list("team=blue%20one", "team=blue one;", 0);
	expect_list(" team = blue , a.b-c_9=x=y,", "team=blue;a.b-c_9=x=y;", 0);
	expect_list("none,=empty,empty=", "", 0);
}

static void attributes_with_other_sources_are_not_copied(void **state)
{
	(void)state;
	expect_list("service.name=a,service_name=b,host.name=c,process_pid=1,"
		    "k8s.pod.name=d,container_id=e,hostess=f",
		    "hostess=f;", 0);
}

static void invalid_and_repeated_keys_are_omitted(void **state)
{
	char list[2048] = "";
	struct text pairs = { 0 };

	(void)state;
	expect_list("a\xff=1,b c=2,d=3,e\x01=4", "d=3;", 3);
	expect_list("a.b=1,a_b=2,a.b=3,a.c=4", "a.b=1;a.c=4;", 2);
	memset(list, 'k', 129);
	memcpy(list + 129, "=1", 3);
	expect_list(list, "", 1);
	memcpy(list, "v=", 2);
	memset(list + 2, 'x', 1025);
	list[2 + 1025] = '\0';
	expect_list(list, "", 1);
	for (int i = 0; i < 20; i++)
		text_printf(&pairs, "key%d=1,", i);
	expect_list(pairs.bytes,
		    "key0=1;key1=1;key2=1;key3=1;key4=1;key5=1;key6=1;key7=1;"
		    "key8=1;key9=1;key10=1;key11=1;key12=1;key13=1;key14=1;"
		    "key15=1;",
		    4);
	text_release(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_decoded_and_trimmed),
		cmocka_unit_test(attributes_with_other_sources_are_not_copied),
		cmocka_unit_test(invalid_and_repeated_keys_are_omitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
