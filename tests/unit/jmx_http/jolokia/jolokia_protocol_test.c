/* SPDX-License-Identifier: Apache-2.0 */
/* Requests, and recorded responses of an agent of Jolokia 2.6.1. */
#include "jmx_http/jolokia/jolokia_protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int release_arena(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* The caller frees the result by cJSON_Delete(). */
static cJSON *recorded(const char *name)
{
	static char bytes[1 << 16];
	char path[128];
	struct error err;
	size_t len;
	FILE *f;
	cJSON *json;

	snprintf(path, sizeof(path), "tests/data/jolokia/v2-%s.json", name);
	f = fopen(path, "r");
	assert_non_null(f);
	len = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	json = jolokia_json_parse(bytes, len, &err);
	if (!json)
		fail_msg("%s: %s", path, err.text);
	return json;
}

static const char *failure_of(const char *name, enum error_kind *kind)
{
	cJSON *json = recorded(name);
	const char *why = jolokia_failure(json, &arena, kind);

	cJSON_Delete(json);
	return why;
}

static void errors_of_2x_have_class_message_and_kind(void **state)
{
	enum error_kind kind;

	(void)state;
	assert_string_equal(failure_of("err-mbean", &kind),
			    "javax.management.InstanceNotFoundException: "
			    "no:type=X");
	assert_int_equal(kind, ERROR_NO_TARGET);
	assert_string_equal(failure_of("err-attr", &kind),
			    "javax.management.AttributeNotFoundException: "
			    "No such attribute: Nope");
	assert_int_equal(kind, ERROR_NO_TARGET);
	assert_non_null(
		strstr(failure_of("err-ignore", &kind), "Cannot convert a"));
	assert_int_equal(kind, ERROR_REFUSED);
	assert_non_null(failure_of("post-malformed", &kind));
	assert_null(failure_of("post-serlong", &kind));
}

static void an_agent_of_2x_has_versions_and_limits(void **state)
{
	cJSON *json = recorded("get-version");
	struct jolokia_agent agent;

	(void)state;
	assert_true(jolokia_to_agent(jolokia_json_member(json, "value"), &agent,
				     &arena));
	assert_string_equal(agent.agent, "2.6.1-SNAPSHOT");
	assert_string_equal(agent.protocol, "8.2");
	assert_int_equal(agent.max_depth, 15);
	assert_int_equal(agent.max_collection, 0);
	cJSON_Delete(json);
}

static cJSON *parsed(const char *json)
{
	struct error err;
	cJSON *made = jolokia_json_parse(json, strlen(json), &err);

	assert_non_null(made);
	return made;
}

/* As agents of 1.7.1 and 2.2.9 with maxCollectionSize=3 truncate. */
static void values_as_large_as_a_limit_are_recognized(void **state)
{
	static const struct {
		const char *json;
		bool is_list;
		const char *option;
	} values[] = {
		{ "[1,2]", false, NULL },
		{ "[1,2,3]", false, "maxCollectionSize" },
		{ "[1,2,3,4]", false, NULL },
		{ "[]", false, NULL },
		{ "{\"a\":[{\"b\":[1,2,3]}],\"c\":4}", false,
		  "maxCollectionSize" },
		{ "{\"init\":1,\"committed\":2,\"max\":3,\"used\":4}", false,
		  NULL },
		{ "{\"attr\":{\"A\":{},\"B\":{},\"C\":{},\"D\":{}}}", true,
		  "maxCollectionSize" },
		{ "{\"op\":{\"A\":{},\"B\":{},\"C\":{},\"D\":{}}}", true,
		  "maxCollectionSize" },
		{ "{\"attr\":{\"A\":{},\"B\":{},\"C\":{}}}", true, NULL },
		{ "[{\"waitedCount\":\"[Object limit exceeded]\"}]", false,
		  "maxObjects" },
	};
	const struct jolokia_agent agent = { .max_collection = 3,
					     .max_objects = 30 };
	const struct jolokia_agent unlimited = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		cJSON *json = parsed(values[i].json);
		const char *option = jolokia_limit_reached(
			json, values[i].is_list, &agent);

		assert_string_equal(option ? option : "none",
				    values[i].option ? values[i].option
						     : "none");
		assert_null(jolokia_limit_reached(json, values[i].is_list,
						  &unlimited));
		cJSON_Delete(json);
	}
}

/* The limit truncates the response to "version", too. */
static void agent_of_2x_without_configuration_has_a_limit(void **state)
{
	cJSON *json = parsed("{\"agent\":\"2.2.9\",\"protocol\":\"8.0\","
			     "\"details\":{},\"id\":\"66a29884-jvm\"}");
	struct jolokia_agent agent;

	(void)state;
	assert_true(jolokia_to_agent(json, &agent, &arena));
	assert_int_equal(agent.max_collection, 3);
	cJSON_Delete(json);
}

static void a_description_of_2x_has_flags_and_notifications(void **state)
{
	cJSON *json = recorded("get-list-domain");
	const struct jmx_info *info = jolokia_to_info(
		jolokia_json_member(json, "value"), &arena);

	(void)state;
	assert_non_null(info);
	assert_string_equal(info->class, "sun.management.MemoryImpl");
	assert_int_equal(info->attribute_count, 5);
	assert_string_equal(info->attributes[4].name, "Verbose");
	assert_true(info->attributes[4].writable);
	assert_true(info->attributes[4].is_getter);
	assert_false(info->attributes[0].writable);
	assert_int_equal(info->operation_count, 1);
	assert_string_equal(info->operations[0].name, "gc");
	assert_int_equal(info->notification_count, 1);
	assert_non_null(strstr(info->notifications[0].type,
			       "java.management.memory.threshold.exceeded, "));
	cJSON_Delete(json);
}

static void values_of_2x_are_converted(void **state)
{
	cJSON *json = recorded("post-serlong");
	const struct value *v = jolokia_to_value(
		jolokia_json_member(json, "value"), "long", &arena);

	(void)state;
	assert_int_equal(v->kind, VALUE_INTEGER);
	assert_true(v->integer == INT64_C(1795252518342));
	cJSON_Delete(json);
	json = recorded("post-threads-cpu");
	v = jolokia_to_value(jolokia_json_member(json, "value"), "", &arena);
	assert_int_equal(v->list.count, 3);
	assert_true(v->list.at[2]->integer == -1);
	cJSON_Delete(json);
	json = recorded("get-search");
	v = jolokia_to_names(jolokia_json_member(json, "value"), &arena);
	assert_int_equal(v->list.count, 2);
	assert_int_equal(v->list.at[0]->kind, VALUE_NAME);
	cJSON_Delete(json);
}

static const char *request_text(const struct jmx_request *q, size_t name)
{
	struct text out = { 0 };
	struct error err;
	const char *kept;
	cJSON *json;

	if (jolokia_add_request(&out, q, name, &err))
		return NULL;
	json = jolokia_json_parse(out.bytes, out.len, &err);
	assert_non_null(json);
	cJSON_Delete(json);
	kept = arena_copy(&arena, out.bytes, out.len);
	text_release(&out);
	return kept;
}

static void assert_has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("%s is not in %s", part, text);
}

static void requests_name_their_parts(void **state)
{
	static const char *const names[] = { "A\"", "B" };
	static const char *const signature[] = { "[J", "java.lang.String" };
	struct value *number = value_integer(&arena, "long", INT64_MAX);
	const struct value *const arguments[] = { number,
						  value_string(&arena, "x/y") };
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = "a:b=c",
		.names = names,
		.name_count = 2,
		.arguments = arguments,
		.signature = signature,
		.argument_count = 2,
	};

	(void)state;
	assert_has(request_text(&q, JOLOKIA_WHOLE),
		   "\"attribute\":[\"A\\\"\",\"B\"]");
	assert_has(request_text(&q, JOLOKIA_WHOLE), "\"ignoreErrors\":true");
	assert_has(request_text(&q, 1), "\"attribute\":\"B\"}");
	assert_has(request_text(&q, 1), "\"ignoreErrors\":false");
	q.verb = JMX_INVOKE;
	q.names = names + 1;
	assert_has(request_text(&q, JOLOKIA_WHOLE),
		   "\"operation\":\"B([J,java.lang.String)\",\"arguments\":"
		   "[9223372036854775807,\"x/y\"]}");
	q.verb = JMX_SET;
	assert_has(request_text(&q, JOLOKIA_WHOLE),
		   "\"value\":9223372036854775807}");
	q.verb = JMX_INFO;
	q.object = "a!/b:path=\"/x!\"";
	assert_has(request_text(&q, JOLOKIA_WHOLE),
		   "\"path\":\"a!!!/b/path=\\\"!/x!!\\\"\"}");
	q.verb = JMX_QUERY;
	q.object = NULL;
	assert_has(request_text(&q, JOLOKIA_WHOLE), "\"mbean\":\"*:*\"");
	q.object = "no name";
	assert_null(request_text(&q, JOLOKIA_WHOLE));
}

/* 1.x repeats the class, and returns a value in place of a failed one. */
static void failures_of_1x_are_recognized(void **state)
{
	static const char json
		[] = "{\"status\":403,\"error_type\":\"x.Y\",\"error\":\"x.Y : "
		     "no\"}";
	static const struct {
		const char *json;
		bool is_replaced;
	} values[] = {
		{ "\"ERROR: bad (class x.Y)\"", true },
		{ "\"Unsupported\"", true },
		{ "\"ERROR: bad\"", false },
		{ "\"\"", false },
		{ "5", false },
	};
	struct error err;
	cJSON *item = jolokia_json_parse(json, strlen(json), &err);
	enum error_kind kind;

	(void)state;
	assert_string_equal(jolokia_failure(item, &arena, &kind), "x.Y: no");
	assert_int_equal(kind, ERROR_PERMISSION);
	cJSON_Delete(item);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		item = jolokia_json_parse(values[i].json,
					  strlen(values[i].json), &err);
		assert_int_equal(jolokia_is_replaced(item),
				 values[i].is_replaced);
		cJSON_Delete(item);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_2x_have_class_message_and_kind),
		cmocka_unit_test(an_agent_of_2x_has_versions_and_limits),
		cmocka_unit_test(values_as_large_as_a_limit_are_recognized),
		cmocka_unit_test(agent_of_2x_without_configuration_has_a_limit),
		cmocka_unit_test(
			a_description_of_2x_has_flags_and_notifications),
		cmocka_unit_test(values_of_2x_are_converted),
		cmocka_unit_test(requests_name_their_parts),
		cmocka_unit_test(failures_of_1x_are_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, release_arena);
}
