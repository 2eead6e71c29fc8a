/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/metrics/push_metrics.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* Connections over loopback are immediate; two steps are always enough. */
enum { STEPS = 4 };

static void fill(void *self, struct push_metrics_values *v)
{
	v->refused = *(size_t *)self;
}

static struct text ask_health(struct push_metrics *m)
{
	static const char request[] = "GET /healthz HTTP/1.1\r\n"
				      "Host: localhost\r\n\r\n";
	struct pollfd fds[PUSH_METRICS_FDS];
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	struct text reply = { 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(push_metrics_polls(m, fds) > 0);
	assert_int_equal(getsockname(fds[0].fd, (struct sockaddr *)&at, &len),
			 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(send(fd, request, strlen(request), 0),
			 strlen(request));
	text_puts(&reply, "");
	for (int i = 0; i < STEPS; i++) {
		char bytes[1024];
		ssize_t got;

		push_metrics_step(m);
		got = recv(fd, bytes, sizeof(bytes), 0);
		if (got > 0)
			text_add(&reply, bytes, (size_t)got);
	}
	close(fd);
	push_metrics_step(m);
	return reply;
}

static void expect_health(struct push_metrics *m, const char *status,
			  const char *body)
{
	struct text reply = ask_health(m);
	const char *end = strstr(reply.bytes, "\r\n\r\n");

	assert_int_equal(strncmp(reply.bytes, status, strlen(status)), 0);
	assert_non_null(end);
	assert_string_equal(end + 4, body);
	text_release(&reply);
}

/* A node whose new JVMs are not sampled is not healthy. */
static void health_is_503_while_jvms_are_refused(void **state)
{
	struct error err = { 0 };
	size_t refused = 0;
	const struct push_metrics_options options = {
		.address = "127.0.0.1:0",
		.fill = fill,
		.self = &refused,
	};
	struct push_metrics *m = push_metrics_open(&options, &err);

	(void)state;
	assert_non_null(m);
	expect_health(m, "HTTP/1.1 200 ", "sampling and sending\n");
	refused = 2;
	expect_health(m, "HTTP/1.1 503 ",
		      "2 JVMs cannot be sampled; the messages of sjkc have the "
		      "reasons\n");
	refused = 0;
	expect_health(m, "HTTP/1.1 200 ", "sampling and sending\n");
	push_metrics_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(health_is_503_while_jvms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
