/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_query.h"

#include <setjmp.h>
#include <stdarg.h>
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

static struct line line_of(const char *text)
{
	return (struct line){ text, strlen(text) };
}

/* Compares the request object that a path becomes; NULL: it is invalid. */
static void assert_path(const char *target, const char *expected)
{
	struct error err = { 0 };
	cJSON *json = jolokia_query_of_path(line_of(target), &err);
	char *text = json ? cJSON_PrintUnformatted(json) : NULL;

	if (expected)
		assert_string_equal(text ? text : err.text, expected);
	else
		assert_null(json);
	if (!json)
		assert_int_equal(err.kind, ERROR_MISUSE);
	cJSON_free(text);
	cJSON_Delete(json);
}

static void path_becomes_a_request_object(void **state)
{
	(void)state;
	assert_path("", "{\"type\":\"version\"}");
	assert_path("/", "{\"type\":\"version\"}");
	assert_path("/read/a:b=c", "{\"type\":\"read\",\"mbean\":\"a:b=c\"}");
	assert_path("/read/a:b=c/X/y/0",
		    "{\"type\":\"read\",\"mbean\":\"a:b=c\",\"attribute\":"
		    "\"X\",\"path\":\"y/0\"}");
	assert_path("/read/a:b=c/X,Y",
		    "{\"type\":\"read\",\"mbean\":\"a:b=c\",\"attribute\":"
		    "[\"X\",\"Y\"]}");
	assert_path("/write/a:b=c/X/1/y",
		    "{\"type\":\"write\",\"mbean\":\"a:b=c\",\"attribute\":"
		    "\"X\",\"value\":\"1\",\"path\":\"y\"}");
	assert_path("/exec/a:b=c/f(int,int)/1/2",
		    "{\"type\":\"exec\",\"mbean\":\"a:b=c\",\"operation\":"
		    "\"f(int,int)\",\"arguments\":[\"1\",\"2\"]}");
	assert_path("/exec/a:b=c/f/[null]/%22%22",
		    "{\"type\":\"exec\",\"mbean\":\"a:b=c\",\"operation\":"
		    "\"f\",\"arguments\":[null,\"\"]}");
	assert_path("/search/*:*?maxDepth=1",
		    "{\"type\":\"search\",\"mbean\":\"*:*\"}");
	assert_path("/list/a/b=c", "{\"type\":\"list\",\"path\":\"a/b=c\"}");
}

static void escapes_of_a_path_are_removed_once(void **state)
{
	(void)state;
	assert_path("/read/a:b=!/c!!d!%22/X",
		    "{\"type\":\"read\",\"mbean\":\"a:b=/c!d\\\"\","
		    "\"attribute\":\"X\"}");
	assert_path("/read/a:b=%2521+x", "{\"type\":\"read\",\"mbean\":"
					 "\"a:b=%21+x\"}");
	/* The path of a value keeps its escapes. */
	assert_path("/read/a:b=c/X/!/y!!",
		    "{\"type\":\"read\",\"mbean\":\"a:b=c\",\"attribute\":"
		    "\"X\",\"path\":\"!/y!!\"}");
	assert_path("?p=/read/a%3Ab=c%2Bd+e",
		    "{\"type\":\"read\",\"mbean\":\"a:b=c+d e\"}");
	/* "!" at the end escapes nothing. */
	assert_path("/read/a:b=c!", "{\"type\":\"read\",\"mbean\":\"a:b=c!\"}");
}

static void invalid_paths_are_rejected(void **state)
{
	struct text many = { 0 };

	(void)state;
	assert_path("/no", "No type with name 'no' exists");
	assert_path("/read", NULL);
	assert_path("/write/a:b=c/X", NULL);
	assert_path("/exec/a:b=c", NULL);
	assert_path("/read/%zz", NULL);
	assert_path("/read/a%0", NULL);
	assert_path("/read/a%00b", NULL);
	for (int i = 0; i < 1000; i++)
		text_puts(&many, "/x");
	assert_path(many.bytes, NULL);
	text_release(&many);
}

static struct jolokia_query query_of(const char *body, const char *query,
				     int expected)
{
	struct error err = { 0 };
	struct jolokia_query q;
	cJSON *json = jolokia_json_parse(body, strlen(body), &err);

	assert_non_null(json);
	assert_int_equal(
		jolokia_query_parse(&q, json, line_of(query), &arena, &err),
		expected);
	if (expected)
		assert_int_equal(err.kind, ERROR_MISUSE);
	/* Only options are compared after this. */
	cJSON_Delete(json);
	return q;
}

static void options_of_the_request_win_over_the_url(void **state)
{
	static const char body[] = "{\"type\":\"version\",\"config\":"
				   "{\"maxDepth\":2,\"ignoreErrors\":true}}";
	struct jolokia_query q = query_of(
		body,
		"maxDepth=1&maxObjects=3&maxCollectionSize=%34&"
		"canonicalNaming=false&serializeLong=string&"
		"includeRequest=false",
		0);

	(void)state;
	assert_int_equal(q.options.max_depth, 2);
	assert_int_equal(q.options.max_objects, 3);
	assert_int_equal(q.options.max_collection, 4);
	assert_true(q.options.ignore_errors);
	assert_false(q.options.canonical_naming);
	assert_true(q.options.has_long_texts);
	assert_false(q.options.include_request);
	assert_false(q.options.include_stack_trace);
}

static void limits_are_integers_of_java(void **state)
{
	static const char *const invalid[] = {
		"maxDepth=x",
		"maxDepth=",
		"maxObjects=1x",
		"maxObjects=--1",
		"maxCollectionSize=2147483648",
	};
	static const char version[] = "{\"type\":\"version\"}";
	struct jolokia_query q = query_of(version,
					  "maxObjects=-1&"
					  "maxCollectionSize=%2b2147483647",
					  0);

	(void)state;
	assert_int_equal(q.options.max_depth, 15);
	assert_int_equal(q.options.max_objects, -1);
	assert_int_equal(q.options.max_collection, INT32_MAX);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++)
		query_of(version, invalid[i], -1);
	query_of("{\"type\":\"version\",\"config\":{\"maxDepth\":1.5}}", "",
		 -1);
}

static void invalid_requests_are_rejected(void **state)
{
	static const char *const bodies[] = {
		"1",
		"{}",
		"{\"type\":1}",
		"{\"type\":\"Read\",\"mbean\":\"a:b=c\"}",
		"{\"type\":\"read\"}",
		"{\"type\":\"read\",\"mbean\":\"a\"}",
		"{\"type\":\"read\",\"mbean\":\"a:b=c\",\"attribute\":{}}",
		"{\"type\":\"read\",\"mbean\":\"a:b=c\",\"path\":[]}",
		"{\"type\":\"write\",\"mbean\":\"a:b=c\"}",
		"{\"type\":\"write\",\"mbean\":\"a:b=c\",\"attribute\":[\"X\"]"
		"}",
		"{\"type\":\"exec\",\"mbean\":\"a:b=c\"}",
		"{\"type\":\"exec\",\"mbean\":\"a:b=c\",\"operation\":\"f\","
		"\"arguments\":1}",
		"{\"type\":\"version\",\"target\":null}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		query_of(bodies[i], "", -1);
}

static void deep_arguments_are_rejected(void **state)
{
	struct text body = { 0 };

	(void)state;
	for (int depth = 10; depth <= 200; depth += 190) {
		text_clear(&body);
		text_puts(&body, "{\"type\":\"exec\",\"mbean\":\"a:b=c\","
				 "\"operation\":\"f\",\"arguments\":");
		for (int i = 0; i < depth; i++)
			text_putc(&body, '[');
		for (int i = 0; i < depth; i++)
			text_putc(&body, ']');
		text_putc(&body, '}');
		query_of(body.bytes, "", depth > 100 ? -1 : 0);
	}
	text_release(&body);
}

static void request_is_echoed_as_it_was_understood(void **state)
{
	static const char body
		[] = "{\"path\":\"!/x/y!!\",\"unknown\":1,\"type\":\"read\","
		     "\"mbean\":\"a:b=c\",\"attribute\":[\"X\",5]}";
	struct error err = { 0 };
	struct jolokia_query q;
	struct text out = { 0 };
	struct json j = json_into(&out);
	cJSON *json = jolokia_json_parse(body, strlen(body), &err);

	(void)state;
	assert_int_equal(
		jolokia_query_parse(&q, json, line_of(""), &arena, &err), 0);
	assert_int_equal(q.path_count, 2);
	assert_string_equal(q.path[0], "/x");
	assert_string_equal(q.path[1], "y!");
	jolokia_query_json(&j, &q);
	assert_string_equal(out.bytes,
			    "{\"mbean\":\"a:b=c\",\"attribute\":[\"X\",\"5\"],"
			    "\"path\":\"!/x/y!!\",\"type\":\"read\"}");
	text_release(&out);
	cJSON_Delete(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_becomes_a_request_object),
		cmocka_unit_test(escapes_of_a_path_are_removed_once),
		cmocka_unit_test(invalid_paths_are_rejected),
		cmocka_unit_test(options_of_the_request_win_over_the_url),
		cmocka_unit_test(limits_are_integers_of_java),
		cmocka_unit_test(invalid_requests_are_rejected),
		cmocka_unit_test(deep_arguments_are_rejected),
		cmocka_unit_test(request_is_echoed_as_it_was_understood),
	};

	return cmocka_run_group_tests(tests, NULL, release_arena);
}
