/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/socks_request.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#define BYTES(literal) (literal), (sizeof(literal) - 1)

/*
 * The bytes are copied to an exact allocation, so that a sanitizer finds a read
 * beyond.
 */
static enum socks_status greeting(const char *bytes, size_t len, size_t *used)
{
	uint8_t *copy = calloc(1, len + 1);
	enum socks_status status;

	memcpy(copy + 1, bytes, len);
	status = socks_read_greeting(copy + 1, len, used);
	free(copy);
	return status;
}

static enum socks_status request(const char *bytes, size_t len,
				 struct socks_request *r, size_t *used)
{
	uint8_t *copy = calloc(1, len + 1);
	enum socks_status status;

	memcpy(copy + 1, bytes, len);
	status = socks_read_request(copy + 1, len, r, used);
	free(copy);
	return status;
}

static void greetings_are_parsed(void **state)
{
	size_t used = 0;

	(void)state;
	assert_int_equal(greeting(BYTES(""), &used), SOCKS_MORE);
	assert_int_equal(greeting(BYTES("\5"), &used), SOCKS_MORE);
	assert_int_equal(greeting(BYTES("\5\2\0"), &used), SOCKS_MORE);
	assert_int_equal(greeting(BYTES("\5\2\0\2more"), &used), SOCKS_DONE);
	assert_int_equal(used, 4);
	assert_int_equal(greeting(BYTES("\5\1\0"), &used), SOCKS_DONE);
	assert_int_equal(greeting(BYTES("\5\1\2"), &used), SOCKS_NO_METHOD);
	assert_int_equal(greeting(BYTES("\5\0"), &used), SOCKS_NO_METHOD);
	assert_int_equal(greeting(BYTES("\4"), &used), SOCKS_WRONG);
	assert_int_equal(greeting(BYTES("GET / "), &used), SOCKS_WRONG);
}

static void assert_wants(const char *bytes, size_t len, const char *host,
			 uint16_t port)
{
	struct socks_request r = { 0 };
	size_t used = 0;

	/* Each prefix is incomplete. */
	for (size_t i = 0; i < len; i++)
		assert_int_equal(request(bytes, i, &r, &used), SOCKS_MORE);
	assert_int_equal(request(bytes, len, &r, &used), SOCKS_DONE);
	assert_int_equal(used, len);
	assert_string_equal(r.host, host);
	assert_int_equal(r.port, port);
}

static void requests_are_parsed(void **state)
{
	char longest[7 + 255] = "\5\1\0\3\xff";

	(void)state;
	assert_wants(BYTES("\5\1\0\1\x0a\0\0\7\x23\x32"), "10.0.0.7", 9010);
	assert_wants(BYTES("\5\1\0\3\6pod-7f\0\1"), "pod-7f", 1);
	assert_wants(BYTES("\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\xff\xff"),
		     "::1", 65535);
	memset(longest + 5, 'a', 255);
	{
		char host[256] = "";

		memset(host, 'a', 255);
		assert_wants(longest, sizeof(longest), host, 0);
	}
}

static void unsupported_requests_are_distinguished(void **state)
{
	struct socks_request r;
	size_t used;

	(void)state;
	assert_int_equal(request(BYTES("\4\1\0\1"), &r, &used), SOCKS_WRONG);
	/* BIND and UDP */
	assert_int_equal(request(BYTES("\5\2\0\1"), &r, &used),
			 SOCKS_NO_COMMAND);
	assert_int_equal(request(BYTES("\5\3\0\1"), &r, &used),
			 SOCKS_NO_COMMAND);
	assert_int_equal(request(BYTES("\5\1\0\2"), &r, &used),
			 SOCKS_NO_ADDRESS);
	/* An empty name, and a name with a NUL. */
	assert_int_equal(request(BYTES("\5\1\0\3\0\0\1"), &r, &used),
			 SOCKS_WRONG);
	assert_int_equal(request(BYTES("\5\1\0\3\3a\0b\0\1"), &r, &used),
			 SOCKS_WRONG);
	assert_int_equal(socks_reply_of(SOCKS_NO_COMMAND),
			 SOCKS_UNKNOWN_COMMAND);
	assert_int_equal(socks_reply_of(SOCKS_NO_ADDRESS),
			 SOCKS_UNKNOWN_ADDRESS);
	assert_int_equal(socks_reply_of(SOCKS_WRONG), SOCKS_FAILED);
}

static void replies_follow_rfc_1928(void **state)
{
	struct text out = { 0 };

	(void)state;
	socks_add_method(&out, SOCKS_DONE);
	socks_add_method(&out, SOCKS_NO_METHOD);
	socks_add_reply(&out, SOCKS_GRANTED);
	socks_add_reply(&out, SOCKS_NOT_ALLOWED);
	assert_int_equal(out.len, 24);
	assert_memory_equal(out.bytes,
			    "\5\0\5\xff\5\0\0\1\0\0\0\0\0\0"
			    "\5\2\0\1\0\0\0\0\0\0",
			    24);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(greetings_are_parsed),
		cmocka_unit_test(requests_are_parsed),
		cmocka_unit_test(unsupported_requests_are_distinguished),
		cmocka_unit_test(replies_follow_rfc_1928),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
