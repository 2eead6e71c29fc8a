/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mx.h"

#include "core/base/alloc.h"
#include "tests/unit/scripted_jmx.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/mxdump_test.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* Returns the written document. */
static const char *written(void)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY);
	ssize_t len;

	assert_true(fd >= 0);
	len = read(fd, text, sizeof(text) - 1);
	assert_true(len >= 0);
	close(fd);
	text[len] = '\0';
	return text;
}

/* Dumps all MBeans and checks that the document is valid JSON. */
static const char *dump(struct scripted_jmx *s, int *status, struct error *err)
{
	const char **names = xcalloc(s->count + 1, sizeof(*names));
	struct output out;
	cJSON *json;

	for (size_t i = 0; i < s->count; i++)
		names[i] = s->mbeans[i].name;
	assert_int_equal(output_open(&out, path, err), 0);
	*status = mxdump_write(&s->jmx, names, s->count, &out, err);
	assert_int_equal(output_commit(&out, &(struct error){ 0 }), 0);
	output_close(&out);
	free(names);
	json = cJSON_ParseWithOpts(written(), NULL, true);
	assert_non_null(json);
	cJSON_Delete(json);
	return written();
}

static void same(struct scripted_jmx *s, enum error_kind kind,
		 const char *wanted)
{
	struct error err = { 0 };
	int status;

	assert_string_equal(dump(s, &status, &err), wanted);
	assert_int_equal(status, kind ? -1 : 0);
	assert_int_equal(err.kind, kind);
}

static const struct value text = { .kind = VALUE_STRING,
				   .type = "java.lang.String",
				   .text = { "t", 1 } };
static const struct value most = { .kind = VALUE_INTEGER,
				   .type = "long",
				   .integer = INT64_MAX };
static const struct value nan_value = { .kind = VALUE_REAL,
					.type = "double",
					.real = __builtin_nan("") };
static const struct value error = { .kind = VALUE_ERROR,
				    .type = "",
				    .text = { "X: why", 6 } };

static void attributes_are_members(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		{ .name = "a:b=c",
		  .class = "C",
		  .attributes = { { "T", &text },
				  { "L", &most },
				  { "N", &nan_value },
				  { "E", &error },
				  { "W", NULL },
				  { "", &text },
				  { "\033\"", &text } },
		  .count = 7 },
		{ .name = "a:d=\"</script>\033\"", .class = "C\n" },
	};
	struct scripted_jmx s;

	(void)state;
	scripted_jmx_init(&s, mbeans, 2);
	same(&s, ERROR_NONE,
	     "{\"beans\":[\n"
	     "{\"name\":\"a:b=c\",\"modelerType\":\"C\",\"T\":\"t\","
	     "\"L\":9223372036854775807,\"N\":\"NaN\","
	     "\"E\":{\"$error\":\"X: why\"},\"\":\"t\",\"\\u001b\\\"\":\"t\"}\n"
	     ",{\"name\":\"a:d=\\\"</script>\\u001b\\\"\","
	     "\"modelerType\":\"C\\n\"}]}\n");
}

static void reserved_attribute_name_gets_a_dollar(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		{ .name = "a:b=c",
		  .class = "C",
		  .attributes = { { "name", &text },
				  { "modelerType", &text },
				  { "$error", &text },
				  { "twice", &text },
				  { "twice", &text } },
		  .count = 5 },
	};
	struct scripted_jmx s;

	(void)state;
	scripted_jmx_init(&s, mbeans, 1);
	same(&s, ERROR_NONE,
	     "{\"beans\":[\n"
	     "{\"name\":\"a:b=c\",\"modelerType\":\"C\",\"$name\":\"t\","
	     "\"$modelerType\":\"t\",\"$$error\":\"t\",\"twice\":\"t\"}]}\n");
}

static const struct scripted_mbean three[] = {
	{ .name = "a",
	  .class = "C",
	  .attributes = { { "T", &text } },
	  .count = 1 },
	{ .name = "b",
	  .class = "C",
	  .attributes = { { "T", &text } },
	  .count = 1 },
	{ .name = "c",
	  .class = "C",
	  .attributes = { { "T", &text } },
	  .count = 1 },
};

static void vanished_mbean_is_an_error_in_its_place(void **state)
{
	static const struct scripted_mbean mbeans[] = {
		{ .name = "a", .class = "C", .info_failure = "gone" },
		{ .name = "b",
		  .class = "C",
		  .attributes = { { "T", &text } },
		  .count = 1,
		  .get_failure = "gone" },
	};
	struct scripted_jmx s;

	(void)state;
	scripted_jmx_init(&s, mbeans, 2);
	same(&s, ERROR_NONE,
	     "{\"beans\":[\n{\"name\":\"a\",\"$error\":\"gone\"}\n"
	     ",{\"name\":\"b\",\"modelerType\":\"C\",\"$error\":\"gone\"}]}\n");
}

static void
mbean_that_loses_the_connection_is_an_error_in_its_place(void **state)
{
	struct scripted_jmx s;

	(void)state;
	scripted_jmx_init(&s, three, 3);
	s.losses[0] = 3 + 2;
	s.losses[1] = 3 + 3;
	same(&s, ERROR_PARTIAL,
	     "{\"beans\":[\n{\"name\":\"a\",\"modelerType\":\"C\",\"T\":\"t\"}"
	     "\n,{\"name\":\"b\",\"modelerType\":\"C\","
	     "\"$error\":\"the line is cut\"}\n"
	     ",{\"name\":\"c\",\"modelerType\":\"C\",\"T\":\"t\"}]}\n");
}

static void ended_jvm_leaves_a_valid_partial_document(void **state)
{
	struct scripted_jmx s;

	(void)state;
	scripted_jmx_init(&s, three, 3);
	s.losses[0] = 3 + 2;
	s.lost_kind = ERROR_NO_TARGET;
	same(&s, ERROR_PARTIAL,
	     "{\"beans\":[\n{\"name\":\"a\",\"modelerType\":\"C\",\"T\":\"t\"}]"
	     ",\"$partial\":\"the line is cut\"}\n");
	/* The first request fails. */
	scripted_jmx_init(&s, three, 3);
	s.losses[0] = 1;
	s.lost_kind = ERROR_NO_TARGET;
	same(&s, ERROR_PARTIAL,
	     "{\"beans\":[],\"$partial\":\"the line is cut\"}\n");
}

static void no_mbeans_give_an_empty_array(void **state)
{
	struct scripted_jmx s;

	(void)state;
	scripted_jmx_init(&s, NULL, 0);
	same(&s, ERROR_NONE, "{\"beans\":[]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_members),
		cmocka_unit_test(reserved_attribute_name_gets_a_dollar),
		cmocka_unit_test(vanished_mbean_is_an_error_in_its_place),
		cmocka_unit_test(
			mbean_that_loses_the_connection_is_an_error_in_its_place),
		cmocka_unit_test(ended_jvm_leaves_a_valid_partial_document),
		cmocka_unit_test(no_mbeans_give_an_empty_array),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
