/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct jmx_feature parameters[] = {
	{ .name = "id", .type = "long", .description = "an id" },
};

static const struct jmx_feature operations[] = {
	{ .name = "stop", .type = "void", .description = "stops" },
	{ .name = "get",
	  .type = "int",
	  .description = "gets",
	  .parameters = parameters,
	  .parameter_count = 1 },
	{ .name = "get", .type = "int", .description = "gets all" },
};

static const struct jmx_feature attributes[] = {
	{ .name = "Size",
	  .type = "int",
	  .description = "its size",
	  .readable = true },
	{ .name = "On",
	  .type = "boolean",
	  .description = "",
	  .readable = true,
	  .writable = true,
	  .is_getter = true },
	{ .name = "Secret",
	  .type = "int",
	  .description = "",
	  .writable = true },
};

static const struct jmx_feature notifications[] = {
	{ .name = "a.Change", .type = "one, two", .description = "changes" },
	{ .name = "a.Other", .type = "", .description = "" },
};

static struct arena arena;

static int release_arena(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* Compares the description as JSON, truncated below the levels. */
static void assert_list(const struct jmx_info *info, int64_t levels,
			const char *expected)
{
	const struct value *v = jolokia_list_truncate(
		jolokia_list_bean(info, &arena), levels, &arena);
	struct text t = { 0 };
	struct json j = json_into(&t);

	value_json(&j, v);
	assert_string_equal(t.bytes, expected);
	text_release(&t);
}

static void overloads_are_an_array_and_others_an_object(void **state)
{
	const struct jmx_info info = {
		.class = "a.B",
		.description = "b",
		.operations = operations,
		.operation_count = 3,
	};

	(void)state;
	assert_list(&info, 0,
		    "{\"op\":{\"get\":["
		    "{\"args\":[{\"name\":\"id\",\"type\":\"long\",\"desc\":"
		    "\"an id\"}],\"ret\":\"int\",\"desc\":\"gets\"},"
		    "{\"args\":[],\"ret\":\"int\",\"desc\":\"gets all\"}],"
		    "\"stop\":{\"args\":[],\"ret\":\"void\",\"desc\":\"stops\"}"
		    "},\"class\":\"a.B\",\"desc\":\"b\"}");
}

static void attributes_have_their_access(void **state)
{
	const struct jmx_info info = {
		.class = "a.B",
		.description = "b",
		.attributes = attributes,
		.attribute_count = 3,
	};

	(void)state;
	assert_list(&info, 0,
		    "{\"attr\":{"
		    "\"Size\":{\"r\":true,\"w\":false,\"rw\":false,\"is\":false"
		    ",\"type\":\"int\",\"desc\":\"its size\"},"
		    "\"On\":{\"r\":true,\"w\":true,\"rw\":true,\"is\":true"
		    ",\"type\":\"boolean\",\"desc\":\"\"},"
		    "\"Secret\":{\"r\":false,\"w\":true,\"rw\":false,\"is\":"
		    "false,\"type\":\"int\",\"desc\":\"\"}},"
		    "\"class\":\"a.B\",\"desc\":\"b\"}");
}

static void notifications_have_a_list_of_types(void **state)
{
	const struct jmx_info info = {
		.class = "a.B",
		.description = "b",
		.notifications = notifications,
		.notification_count = 2,
	};

	(void)state;
	assert_list(&info, 0,
		    "{\"notif\":{\"a.Change\":{\"types\":[\"one\",\"two\"],"
		    "\"name\":\"a.Change\",\"desc\":\"changes\"},"
		    "\"a.Other\":{\"types\":[],\"name\":\"a.Other\",\"desc\":"
		    "\"\"}},\"class\":\"a.B\",\"desc\":\"b\"}");
}

/* Agents of 1.7.1 replace objects by "1" and arrays by their JSON. */
static void truncated_levels_are_texts(void **state)
{
	const struct jmx_info info = {
		.class = "a.B",
		.description = "b",
		.operations = operations,
		.operation_count = 1,
	};

	(void)state;
	assert_list(&info, 1,
		    "{\"op\":\"1\",\"class\":\"a.B\",\"desc\":\"b\"}");
	assert_list(
		&info, 2,
		"{\"op\":{\"stop\":\"1\"},\"class\":\"a.B\",\"desc\":\"b\"}");
	assert_list(&info, 3,
		    "{\"op\":{\"stop\":{\"args\":\"[]\",\"ret\":\"void\","
		    "\"desc\":\"stops\"}},\"class\":\"a.B\",\"desc\":\"b\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			overloads_are_an_array_and_others_an_object,
			release_arena),
		cmocka_unit_test_teardown(attributes_have_their_access,
					  release_arena),
		cmocka_unit_test_teardown(notifications_have_a_list_of_types,
					  release_arena),
		cmocka_unit_test_teardown(truncated_levels_are_texts,
					  release_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
