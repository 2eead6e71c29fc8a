/* SPDX-License-Identifier: Apache-2.0 */
/* TCP dialers: blocking and in an event loop. */
#include "core/base/clock.h"
#include "jmx_http/net/dialer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_NS (60 * CLOCK_NS_PER_S)

/* Listens only on 127.0.0.1. */
static int listen_here(uint16_t *port)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	socklen_t len = sizeof(here);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&here, len), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &len), 0);
	*port = ntohs(here.sin_port);
	return fd;
}

static struct net_address addresses(uint16_t port, const char *first,
				    const char *second)
{
	const char *const both[] = { first, second };
	struct net_address a = { .host = "jvm.example", .port = port };

	for (size_t i = 0; i < 2; i++) {
		struct sockaddr_in *to = (struct sockaddr_in *)&a.list[i];

		to->sin_family = AF_INET;
		to->sin_port = htons(port);
		inet_pton(AF_INET, both[i], &to->sin_addr);
		a.count++;
	}
	return a;
}

static void assert_connected(int fd)
{
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);

	assert_true(fd >= 0);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&peer, &len), 0);
	assert_int_equal(peer.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void refused_address_is_followed_by_the_next(void **state)
{
	struct event_base *base = event_base_new();
	struct error err = { 0 };
	uint16_t port;
	int fd = listen_here(&port);
	struct net_address a = addresses(port, "127.0.0.2", "127.0.0.1");
	struct dialer *d = tcp_dialer_new(base, &a);
	int64_t deadline_ns = clock_monotonic_ns() + LIMIT_NS;

	(void)state;
	assert_connected(tcp_connect(&a, deadline_ns, &err));
	assert_connected(dialer_dial(d, &a, deadline_ns, &err));
	dialer_free(d);
	/* libevent frees a cancelled lookup from its loop. */
	event_base_loop(base, EVLOOP_NONBLOCK);
	event_base_free(base);
	close(fd);
}

static void error_names_the_last_address(void **state)
{
	struct event_base *base = event_base_new();
	struct error blocking = { 0 }, looping = { 0 };
	uint16_t port;
	int fd = listen_here(&port);
	struct net_address a = addresses(port, "127.0.0.2", "127.0.0.3");
	struct dialer *d = tcp_dialer_new(base, &a);
	int64_t deadline_ns = clock_monotonic_ns() + LIMIT_NS;
	char expected[128];

	(void)state;
	snprintf(expected, sizeof(expected),
		 "cannot connect to 127.0.0.3:%u: Connection refused", port);
	assert_int_equal(tcp_connect(&a, deadline_ns, &blocking), -1);
	assert_int_equal(dialer_dial(d, &a, deadline_ns, &looping), -1);
	assert_string_equal(blocking.text, expected);
	assert_string_equal(looping.text, expected);
	assert_int_equal(blocking.kind, ERROR_NO_TARGET);
	assert_int_equal(looping.kind, ERROR_NO_TARGET);
	dialer_free(d);
	/* libevent frees a cancelled lookup from its loop. */
	event_base_loop(base, EVLOOP_NONBLOCK);
	event_base_free(base);
	close(fd);
}

static void on_done(void *self, evutil_socket_t fd, const struct error *err)
{
	(void)self, (void)fd, (void)err;
	fail_msg("a cancelled attempt has called back");
}

static void cancelled_dial_does_not_call_back(void **state)
{
	struct event_base *base = event_base_new();
	uint16_t port;
	int fd = listen_here(&port), before = dup(0), after;
	struct net_address a = addresses(port, "127.0.0.1", "127.0.0.1");
	struct dialer *d = tcp_dialer_new(base, &a);

	(void)state;
	close(before);
	for (int turns = 0; turns < 2; turns++) {
		struct dial *dial = d->ops->begin(d, port, LIMIT_NS, on_done,
						  NULL);

		/* In the second round, connecting has started. */
		if (turns)
			event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		d->ops->cancel(dial);
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
	dialer_free(d);
	/* libevent frees a cancelled lookup from its loop. */
	event_base_loop(base, EVLOOP_NONBLOCK);
	event_base_free(base);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_address_is_followed_by_the_next),
		cmocka_unit_test(error_names_the_last_address),
		cmocka_unit_test(cancelled_dial_does_not_call_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
