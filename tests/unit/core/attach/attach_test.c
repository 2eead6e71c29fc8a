/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A literal that contains NULs, without the final one. */
#define BYTES(literal) literal, sizeof(literal) - 1

static const struct hotspot_protocol v1 = { .version = 1 };
static const struct hotspot_protocol v2 = { .version = 2 };
static const struct hotspot_protocol v2_streaming = { .version = 2,
						      .has_streaming = true };

static void assert_encodes(struct hotspot_protocol protocol,
			   const struct attach_request *request,
			   const char *wanted, size_t len)
{
	struct text out = { 0 };
	struct error err = { 0 };

	assert_int_equal(hotspot_encode(&out, protocol, request, &err), 0);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.bytes, wanted, len);
	text_release(&out);
}

static void protocol_1_always_has_three_arguments(void **state)
{
	const struct attach_request none = { .operation = "threaddump" };
	const struct attach_request two = { .operation = "load",
					    .args = { "instrument", "false" } };

	(void)state;
	assert_encodes(v1, &none, BYTES("1\0threaddump\0\0\0\0"));
	assert_encodes(v1, &two, BYTES("1\0load\0instrument\0false\0\0"));
}

/* The request is that of jcmd in JDK 25. */
static void protocol_2_has_a_length_and_options(void **state)
{
	const struct attach_request streamed = { .operation = "jcmd",
						 .args = { "VM.version" },
						 .streaming = true };
	const struct attach_request whole = { .operation = "threaddump",
					      .args = { "-l", "-e" } };

	(void)state;
	assert_encodes(v2_streaming, &streamed,
		       BYTES("2\0"
			     "28\0"
			     "jcmd streaming=1\0"
			     "VM.version\0"));
	assert_encodes(v2_streaming, &whole,
		       BYTES("2\0"
			     "29\0"
			     "threaddump streaming=0\0"
			     "-l\0"
			     "-e\0"));
}

static void request_omits_options_that_were_not_offered(void **state)
{
	const struct attach_request r = { .operation = "jcmd",
					  .args = { "help" } };

	(void)state;
	assert_encodes(v2, &r,
		       BYTES("2\0"
			     "10\0"
			     "jcmd\0"
			     "help\0"));
}

static void hotspot_encode_rejects_arguments_beyond_the_limit(void **state)
{
	char *argument = malloc(4 << 20);
	struct attach_request r = { .operation = "jcmd", .args = { argument } };
	const struct attach_request four = { .operation = "x",
					     .args = { "1", "2", "3", "4" } };
	struct text out = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_non_null(argument);
	memset(argument, 'a', 4 << 20);
	argument[(4 << 20) - 1] = '\0';
	assert_int_equal(hotspot_encode(&out, v2, &r, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
	argument[1025] = '\0';
	assert_int_equal(hotspot_encode(&out, v1, &r, &err), -1);
	argument[1024] = '\0';
	assert_int_equal(hotspot_encode(&out, v1, &r, &err), 0);
	text_clear(&out);
	assert_int_equal(hotspot_encode(&out, v1, &four, &err), -1);
	assert_int_equal(hotspot_encode(&out, v2, &four, &err), 0);
	text_release(&out);
	free(argument);
}

static void getversion_reply_tells_the_protocol(void **state)
{
	static const struct {
		int status;
		const char *text;
		int version;
		bool streaming;
	} replies[] = {
		{ -1, "Operation getversion not recognized!\n", 1, false },
		{ 0, "2 streaming", 2, true },
		{ 0, "2 streaming\n", 2, true },
		{ 0, "2", 2, false },
		{ 0, "2 notstreaming streamings", 2, false },
		{ 0, "2 other streaming", 2, true },
		{ 0, "3 streaming", 2, true },
		{ 0, "1", 1, false },
		{ 0, "", 1, false },
		{ 0, "nonsense", 1, false },
		{ 101, "2 streaming", 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
		struct hotspot_protocol p = hotspot_protocol_of(
			replies[i].status, replies[i].text,
			strlen(replies[i].text));

		assert_int_equal(p.version, replies[i].version);
		assert_int_equal(p.has_streaming, replies[i].streaming);
	}
}

/* Feeds byte by byte, as a slow peer would. */
static struct hotspot_status fed(const char *reply, size_t *body)
{
	struct hotspot_status s = { 0 };
	size_t i, len = strlen(reply);

	for (i = 0; i < len && hotspot_status_feed(&s, reply + i, 1); i++)
		;
	*body = i;
	return s;
}

static void status_ends_with_its_line(void **state)
{
	static const char reply[] = "-1\njava.lang.Illegal: 7\n";
	struct hotspot_status s = { 0 };
	size_t body;

	(void)state;
	assert_int_equal(hotspot_status_feed(&s, reply, sizeof(reply) - 1), 3);
	assert_true(s.is_known);
	assert_int_equal(s.value, -1);
	s = fed(reply, &body);
	assert_true(s.is_known);
	assert_int_equal(s.value, -1);
	assert_int_equal(body, 3);
	s = fed("101\n", &body);
	assert_int_equal(s.value, 101);
	s = fed("0", &body);
	assert_false(s.is_known);
	assert_false(s.is_wrong);
}

static void hotspot_status_detects_malformed_statuses(void **state)
{
	static const char *const wrong[] = {
		"\n",
		"-\n",
		"x\n",
		"1x\n",
		"0 \n",
		"--1\n",
		"99999999999\n",
		"<html><head><title>404</title>",
		"\033[2J\n",
		"00000000000000000000000000000000",
	};
	size_t body;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct hotspot_status s = fed(wrong[i], &body);

		assert_true(s.is_wrong);
		assert_false(s.is_known);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(protocol_1_always_has_three_arguments),
		cmocka_unit_test(protocol_2_has_a_length_and_options),
		cmocka_unit_test(request_omits_options_that_were_not_offered),
		cmocka_unit_test(
			hotspot_encode_rejects_arguments_beyond_the_limit),
		cmocka_unit_test(getversion_reply_tells_the_protocol),
		cmocka_unit_test(status_ends_with_its_line),
		cmocka_unit_test(hotspot_status_detects_malformed_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
