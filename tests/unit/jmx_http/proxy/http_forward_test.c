/* SPDX-License-Identifier: Apache-2.0 */
/* The requests that the HTTP proxy forwards, and to which agent. */
#include "jmx_http/proxy/http_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STACK_BYTES 16384

static char agent_name[] = HTTP_FRONT_PATH;
static struct http_target target = { .name = agent_name };
static struct http_front front = { .targets = &target, .target_count = 1 };
static struct http_session session;
static struct http_head head;
static bool is_tls;

/*
 * Fills the stack with invalid pointers, where the next function has its
 * locals.
 */
__attribute__((noinline)) static void stack_soil(void)
{
	volatile char bytes[STACK_BYTES];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0x5a;
}

/*
 * Returns the status of the rejection, or 0 if the request passes.  headers
 * begin with the Host.
 */
static unsigned status_with(const char *method, const char *path,
			    const char *headers)
{
	struct text bytes = { 0 };
	struct http_fault fault = { 0 };

	session = (struct http_session){ .front = &front,
					 .base.is_tls = is_tls };
	jolokia_call_begin(&session.call, &front.rules);
	text_printf(&bytes, "%s %s HTTP/1.1\r\nHost: %s\r\n\r\n", method, path,
		    headers);
	assert_true(http_request_parse(&head, bytes.bytes, bytes.len, &fault));
	stack_soil();
	http_forward_check(&session, &head, &fault);
	text_release(&bytes);
	return fault.status;
}

static unsigned forward_status(const char *method, const char *path)
{
	return status_with(method, path, "127.0.0.1");
}

#define READ    "/jolokia/read/java.lang:type=Memory"
#define CHANGE  "/jolokia/write/java.lang:type=Memory/Verbose/true"
#define HERE    "127.0.0.1:8080\r\n"
#define BROWSER "\r\nUser-Agent: Mozilla/5.0"
#define BODY    "127.0.0.1\r\nContent-Length: 2\r\n"

static void pages_of_other_sites_are_rejected(void **state)
{
	static const char *const origins[] = { "https://mine.example" };
	/* clang-format off */
	static const struct {
		unsigned status;
		bool is_tls;
		const char *method, *path, *headers;
	} rows[] = {
		/* The Host: a page may have any name for this machine. */
		{ 0, false, "GET", READ, "localhost" },
		{ 0, false, "GET", READ, "[::1]:8080" },
		{ 403, false, "GET", READ, "rebound.example" },
		{ 403, false, "GET", READ, "127.0.0.1.example:8080" },
		/* The Origin: scheme, host and port of the proxy itself. */
		{ 0, false, "GET", READ, HERE "Origin: http://127.0.0.1:8080" },
		{ 0, true, "GET", READ, HERE "Origin: https://127.0.0.1:8080" },
		{ 0, false, "GET", READ, HERE "Origin: HTTPS://MINE.example" },
		{ 403, false, "GET", READ, HERE "Origin: https://127.0.0.1:8080" },
		{ 403, true, "GET", READ, HERE "Origin: http://127.0.0.1:8080" },
		{ 403, false, "GET", READ, HERE "Origin: http://127.0.0.1" },
		{ 403, false, "GET", READ, HERE "Origin: http://127.0.0.1:80801" },
		{ 403, false, "GET", READ, HERE "Origin: null" },
		{ 403, false, "GET", READ, HERE "Origin: https://mine.example.org" },
		{ 403, false, "OPTIONS", READ, HERE "Origin: http://other" },
		/* The Origin counts before the Referer, the first of each. */
		{ 0, false, "GET", READ, HERE "Referer: http://127.0.0.1:8080/a/b" },
		{ 403, false, "GET", READ, HERE "Referer: http://other/127.0.0.1:8080" },
		{ 403, false, "GET", READ, HERE "Referer: http://127.0.0.1:8080\r\n"
			"Origin: http://other" },
		/* Without either, Sec-Fetch-Site. */
		{ 0, false, "GET", READ, HERE "Sec-Fetch-Site: none" },
		{ 0, false, "GET", READ, HERE "Sec-Fetch-Site: same-origin" },
		{ 403, false, "GET", READ, HERE "Sec-Fetch-Site: same-site" },
		{ 403, false, "GET", READ, HERE "Sec-Fetch-Site: cross-site" },
		/* A browser without these headers may read, but not change. */
		{ 0, false, "GET", READ, "127.0.0.1" BROWSER },
		{ 0, false, "GET", CHANGE, "127.0.0.1" },
		{ 403, false, "GET", CHANGE, "127.0.0.1" BROWSER },
		{ 403, false, "GET", READ "?callback=f", "127.0.0.1" BROWSER },
		{ 0, false, "GET", CHANGE, "127.0.0.1\r\nOrigin: http://127.0.0.1"
			BROWSER },
	};
	/* clang-format on */

	(void)state;
	front.origins = (struct http_names){ origins, 1 };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		is_tls = rows[i].is_tls;
		if (status_with(rows[i].method, rows[i].path,
				rows[i].headers) != rows[i].status)
			fail_msg("%s %s, Host: %s", rows[i].method,
				 rows[i].path, rows[i].headers);
	}
	is_tls = false;
	front.origins = (struct http_names){ 0 };
}

static void requests_that_an_agent_may_read_otherwise_are_rejected(void **state)
{
	/* clang-format off */
	static const struct {
		unsigned status;
		const char *method, *path, *headers;
	} rows[] = {
		{ 405, "DELETE", READ, "127.0.0.1" },
		{ 405, "get", READ, "127.0.0.1" },
		{ 404, "GET", "/other", "127.0.0.1" },
		{ 404, "GET", "/jolokia2/version", "127.0.0.1" },
		{ 404, "GET", "/", "127.0.0.1" },
		{ 400, "GET", "/jolokia/../other", "127.0.0.1" },
		{ 400, "GET", "/jolokia/%2e%2e/other", "127.0.0.1" },
		{ 0, "GET", "/jolokia", "127.0.0.1" },
		{ 0, "GET", "/jolokia?p=version", "127.0.0.1" },
		{ 400, "GET", READ, BODY },
		{ 400, "POST", "/jolokia", "127.0.0.1" },
		{ 413, "POST", "/jolokia", "127.0.0.1\r\nContent-Length: 99999999999" },
		{ 0, "POST", "/jolokia", BODY "Content-Encoding: identity" },
		{ 415, "POST", "/jolokia", BODY "Content-Encoding: gzip" },
		{ 0, "POST", "/jolokia", BODY "Content-Type: text/json; Charset=\"UTF-8\"" },
		{ 415, "POST", "/jolokia", BODY "Content-Type: text/json; charset=utf-16" },
		{ 415, "POST", "/jolokia", BODY "Content-Type: a; charset=utf-8; charset=utf-7" },
		{ 415, "POST", "/jolokia", BODY "Content-Type: a\r\nContent-Type: b" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (status_with(rows[i].method, rows[i].path,
				rows[i].headers) != rows[i].status)
			fail_msg("%s %s, Host: %s", rows[i].method,
				 rows[i].path, rows[i].headers);
}

static void read_only_rejects_changes_before_the_body(void **state)
{
	(void)state;
	front.rules.read_only = true;
	assert_int_equal(forward_status("GET", READ), 0);
	assert_int_equal(forward_status("GET", CHANGE), 403);
	assert_int_equal(status_with("POST", "/jolokia", BODY), 0);
	assert_int_equal(status_with("POST", "/jolokia/read/a:b=c", BODY), 403);
	front.rules.read_only = false;
}

static void metrics_at_the_root_pass_to_the_only_agent(void **state)
{
	(void)state;
	target.serves_metrics = true;
	assert_int_equal(forward_status("GET", "/metrics"), 0);
	assert_true(session.wants_metrics);
	assert_ptr_equal(session.target, &target);
	assert_int_equal(forward_status("HEAD", "/metrics?x"), 0);
	assert_int_equal(forward_status("GET", "/jolokia/metrics"), 0);
	assert_true(session.wants_metrics);
	assert_int_equal(forward_status("OPTIONS", "/metrics"), 405);
}

static void metrics_of_an_agent_without_them_are_not_found(void **state)
{
	(void)state;
	target.serves_metrics = false;
	assert_int_equal(forward_status("GET", "/metrics"), 404);
	assert_null(session.target);
	assert_false(session.wants_metrics);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_other_sites_are_rejected),
		cmocka_unit_test(
			requests_that_an_agent_may_read_otherwise_are_rejected),
		cmocka_unit_test(read_only_rejects_changes_before_the_body),
		cmocka_unit_test(metrics_at_the_root_pass_to_the_only_agent),
		cmocka_unit_test(
			metrics_of_an_agent_without_them_are_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
