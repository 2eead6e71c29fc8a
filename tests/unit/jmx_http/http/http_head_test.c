/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 heads and bodies, also those that two parsers could delimit
 * differently.
 */
#include "jmx_http/http/http_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define START "POST /jolokia HTTP/1.1\r\nHost: a\r\n"

static struct http_head head;
static struct http_fault fault;

/*
 * Returns the status of the rejection, 0 for a valid request, 1 for an
 * incomplete one.
 */
static unsigned request_status(const char *bytes, size_t len)
{
	size_t scanned = 0, head_len = 0;
	enum http_result r;

	fault = (struct http_fault){ 0 };
	r = http_head_find(bytes, len, &scanned, &head_len, &fault);
	if (r == HTTP_MORE)
		return 1;
	if (r == HTTP_DONE &&
	    http_request_parse(&head, bytes, head_len, &fault))
		return 0;
	assert_non_null(fault.why);
	return fault.status;
}

static unsigned response_status(const char *text, bool to_head)
{
	fault = (struct http_fault){ 0 };
	if (http_response_parse(&head, text, strlen(text), to_head, &fault))
		return 0;
	assert_non_null(fault.why);
	return 502;
}

static void head_is_found_at_its_last_byte_however_it_arrives(void **state)
{
	static const char text[] = START "Content-Length: 3\r\n\r\nabc";
	const size_t len = sizeof(START) - 1 +
			   strlen("Content-Length: 3\r\n"
				  "\r\n");
	size_t scanned = 0, found = 0;

	(void)state;
	assert_int_equal(http_head_find(NULL, 0, &scanned, &found, &fault),
			 HTTP_MORE);
	for (size_t i = 1; i < len; i++)
		assert_int_equal(
			http_head_find(text, i, &scanned, &found, &fault),
			HTTP_MORE);
	assert_int_equal(http_head_find(text, len, &scanned, &found, &fault),
			 HTTP_DONE);
	assert_int_equal(found, len);
	scanned = 0;
	assert_int_equal(http_head_find(text, sizeof(text) - 1, &scanned,
					&found, &fault),
			 HTTP_DONE);
	assert_int_equal(found, len);
}

static void request_has_its_parts(void **state)
{
	static const char text[] =
		"GET /jolokia/read?x=1 HTTP/1.1\r\nHost: localhost:9000\r\n"
		"X-Empty:\r\nX-Spaces: \t a b \t\r\nConnection: X-Empty, "
		"close\r\n\r\n";

	(void)state;
	assert_int_equal(request_status(text, sizeof(text) - 1), 0);
	assert_true(line_is(head.method, "GET"));
	assert_true(line_is(head.target, "/jolokia/read?x=1"));
	assert_true(line_is(head.host, "localhost:9000"));
	assert_int_equal(head.framing, HTTP_NO_BODY);
	assert_false(head.is_persistent);
	assert_int_equal(head.count, 4);
	assert_true(line_is(http_header_find(&head, "x-spaces")->value, "a b"));
	assert_true(http_header_is_hop_by_hop(
		&head, http_header_find(&head, "X-Empty")));
	assert_false(http_header_is_hop_by_hop(
		&head, http_header_find(&head, "X-Spaces")));
}

/* Requests that two parsers could understand differently, and others. */
static void ambiguous_requests_are_rejected(void **state)
{
	static const struct {
		const char *text;
		unsigned status;
	} all[] = {
		{ START
		  "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
		  400 },
		{ START "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400 },
		{ START "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400 },
		{ START "Content-Length: 3, 3\r\n\r\n", 400 },
		{ START "Content-Length: +3\r\n\r\n", 400 },
		{ START "Content-Length: -3\r\n\r\n", 400 },
		{ START "Content-Length: 0x3\r\n\r\n", 400 },
		{ START "Content-Length: 3 3\r\n\r\n", 400 },
		{ START "Content-Length:\r\n\r\n", 400 },
		{ START "Content-Length: 9999999999999999999\r\n\r\n", 400 },
		{ START "Content-Length : 3\r\n\r\n", 400 },
		{ START "X: 1\r\n y\r\n\r\n", 400 },
		{ START "X: 1\r\n\ty\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\nHost: a\n\n", 400 },
		{ START "X: 1\n\r\n", 400 },
		{ START "X: a\rb\r\n\r\n", 400 },
		{ START "X\r\n\r\n", 400 },
		{ START ": x\r\n\r\n", 400 },
		{ START "X(: x\r\n\r\n", 400 },
		{ START "X: \x7f\r\n\r\n", 400 },
		/* One empty line before a request is ignored. */
		{ "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 0 },
		{ "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ START "Transfer-Encoding: gzip, chunked\r\n\r\n", 501 },
		{ START "Transfer-Encoding: xchunked\r\n\r\n", 501 },
		{ START "Transfer-Encoding: identity\r\n\r\n", 501 },
		{ START "Transfer-Encoding: \x0b"
			"chunked\r\n\r\n",
		  400 },
		{ START "Transfer-Encoding: chunked\r\n"
			"Transfer-Encoding: identity\r\n\r\n",
		  501 },
		{ "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: "
		  "chunked\r\n\r\n",
		  400 },
		{ "GET / HTTP/1.1\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400 },
		{ "GET http://evil/ HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "CONNECT evil:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "GET /\\a HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400 },
		{ "GET /\r\nHost: a\r\n\r\n", 400 },
		{ "G\x01T / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
		{ "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505 },
		{ "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505 },
		{ "GET / http/1.1\r\nHost: a\r\n\r\n", 400 },
		{ START "Expect: a miracle\r\n\r\n", 417 },
		{ "{}", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (request_status(all[i].text, strlen(all[i].text)) !=
		    all[i].status)
			fail_msg("%s: %u %s", all[i].text, fault.status,
				 fault.why ? fault.why : "");
	assert_int_equal(
		request_status(START "X: a\0b\r\n\r\n", sizeof(START) + 9),
		400);
}

static void large_heads_are_rejected(void **state)
{
	static char text[HTTP_HEAD_MAX + 2];
	size_t len = (size_t)snprintf(text, sizeof(text), START "X: "),
	       scanned = 0, found;

	(void)state;
	memset(text + len, 'x', sizeof(text) - len);
	assert_int_equal(
		http_head_find(text, HTTP_HEAD_MAX, &scanned, &found, &fault),
		HTTP_MORE);
	assert_int_equal(http_head_find(text, HTTP_HEAD_MAX + 1, &scanned,
					&found, &fault),
			 HTTP_INVALID);
	assert_int_equal(fault.status, 431);
	/* An end just after the limit is rejected. */
	memcpy(text + HTTP_HEAD_MAX - 3, "\r\n\r\n", 4);
	assert_int_equal(request_status(text, HTTP_HEAD_MAX + 1), 431);
	memcpy(text + HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(request_status(text, HTTP_HEAD_MAX), 0);
	len = (size_t)snprintf(text, sizeof(text), START);
	for (int i = 0; i < HTTP_HEADERS_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"X: x\r\n");
	len += (size_t)snprintf(text + len, sizeof(text) - len, "\r\n");
	assert_int_equal(request_status(text, len), 431);
}

static void response_framing_depends_on_request_and_status(void **state)
{
	(void)state;
	assert_int_equal(response_status("HTTP/1.1 200 OK\r\n\r\n", false), 0);
	assert_int_equal(head.framing, HTTP_UNTIL_CLOSE);
	assert_false(head.is_persistent);
	assert_int_equal(response_status("HTTP/1.1 200 OK\r\nContent-Length: "
					 "5\r\n\r\n",
					 true),
			 0);
	assert_int_equal(head.framing, HTTP_NO_BODY);
	assert_int_equal(head.length, 5);
	assert_true(head.is_persistent);
	assert_int_equal(response_status("HTTP/1.1 304 \r\nContent-Length: "
					 "5\r\n\r\n",
					 false),
			 0);
	assert_int_equal(head.framing, HTTP_NO_BODY);
	assert_int_equal(response_status("HTTP/1.0 200 OK\r\nContent-Length: "
					 "5\r\n\r\n",
					 false),
			 0);
	assert_int_equal(head.framing, HTTP_LENGTH);
	assert_false(head.is_persistent);
	assert_int_equal(response_status("HTTP/1.1 200 OK\r\nContent-Length: "
					 "5\r\nTransfer-Encoding: "
					 "chunked\r\n\r\n",
					 false),
			 502);
	assert_int_equal(response_status("HTTP/1.1 99 OK\r\n\r\n", false), 502);
	assert_int_equal(response_status("HTTP/1.1 2000 OK\r\n\r\n", false),
			 502);
	assert_int_equal(response_status("ICY 200 OK\r\n\r\n", false), 502);
}

/*
 * Reads a body in pieces of step bytes and stores its data in out.  Returns the
 * length of the data, or -1.
 */
static int body_read(const char *text, size_t len, size_t step, char *out,
		     size_t *consumed)
{
	struct http_body b = { .framing = HTTP_CHUNKED };
	size_t at = 0, used;
	struct line data;
	int got = 0;

	while (at < len && !b.is_done) {
		size_t piece = len - at < step ? len - at : step;

		if (http_body_read(&b, text + at, piece, &used, &data,
				   &fault) == HTTP_INVALID)
			return -1;
		memcpy(out + got, data.text, data.len);
		got += (int)data.len;
		at += used;
	}
	*consumed = at;
	return b.is_done ? got : -2;
}

static void chunks_are_decoded_however_they_arrive(void **state)
{
	static const char text[] = "3\r\nabc\r\n00a\r\n0123456789\r\n0\r\n"
				   "X: trailer\r\n\r\nGET /next";
	const size_t body = sizeof(text) - 1 - strlen("GET /next");
	char out[64];
	size_t used;

	(void)state;
	for (size_t step = 1; step < sizeof(text); step++) {
		assert_int_equal(
			body_read(text, sizeof(text) - 1, step, out, &used),
			13);
		assert_memory_equal(out, "abc0123456789", 13);
		assert_int_equal(used, body);
	}
}

static void damaged_chunks_are_rejected(void **state)
{
	static const char *const all[] = {
		"\r\n",           "-1\r\n",          "+1\r\na\r\n",
		"0x1\r\na\r\n",   " 1\r\na\r\n",     "1 \r\na\r\n",
		"1;x=y\r\na\r\n", "1\na\r\n",        "1\r\na\n",
		"1\r\naX\r\n",    "1\r\na\rX",       "ffffffffffffffff\r\n",
		"0\r\n\n",        "0\r\nX: a\n\r\n", "0\r\n\rX",
	};
	char out[64], trailer[5000] = "0\r\n";
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (size_t step = 1; step < 20; step += 9)
			if (body_read(all[i], strlen(all[i]), step, out,
				      &used) != -1)
				fail_msg("%s", all[i]);
	memset(trailer + 3, 'x', sizeof(trailer) - 3);
	assert_int_equal(body_read(trailer, sizeof(trailer), 100, out, &used),
			 -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			head_is_found_at_its_last_byte_however_it_arrives),
		cmocka_unit_test(request_has_its_parts),
		cmocka_unit_test(ambiguous_requests_are_rejected),
		cmocka_unit_test(large_heads_are_rejected),
		cmocka_unit_test(
			response_framing_depends_on_request_and_status),
		cmocka_unit_test(chunks_are_decoded_however_they_arrive),
		cmocka_unit_test(damaged_chunks_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
