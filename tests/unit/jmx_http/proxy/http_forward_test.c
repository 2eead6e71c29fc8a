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

/* Returns the status of the rejection, or 0 if the request passes. */
static unsigned forward_status(const char *method, const char *path)
{
	struct text bytes = { 0 };
	struct http_fault fault = { 0 };

	session = (struct http_session){ .front = &front };
	text_printf(&bytes, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", method,
		    path);
	assert_true(http_request_parse(&head, bytes.bytes, bytes.len, &fault));
	stack_soil();
	http_forward_check(&session, &head, &fault);
	text_release(&bytes);
	return fault.status;
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
		cmocka_unit_test(metrics_at_the_root_pass_to_the_only_agent),
		cmocka_unit_test(
			metrics_of_an_agent_without_them_are_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
