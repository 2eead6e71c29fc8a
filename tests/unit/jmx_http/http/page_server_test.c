/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/http/page_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* Connections over loopback are immediate; two steps are always enough. */
enum { STEPS = 4 };

static void answer(void *self, const char *path, struct page *page)
{
	(void)self;
	if (strcmp(path, "/page") != 0)
		return;
	page->status = 200;
	page->type = "text/test";
	text_puts(&page->body, "hello\n");
}

static int refused_count;

static void count_refused(void *self, const struct sockaddr_storage *peer)
{
	(void)self, (void)peer;
	refused_count++;
}

static struct page_server *open_server(const char *host,
				       const struct cidr *allowed,
				       struct sockaddr_in *at)
{
	static const char *const own_name = "node.example";
	const struct page_server_options o = {
		.answer = answer,
		.allowed = allowed,
		.refused = count_refused,
		.allowed_count = allowed ? 1 : 0,
		.hosts = &own_name,
		.host_count = 1,
	};
	struct sockaddr_storage to = { .ss_family = AF_INET };
	struct text name = { 0 };
	struct page_server *s;
	struct error err;

	*at = (struct sockaddr_in){ .sin_family = AF_INET };
	assert_int_equal(inet_pton(AF_INET, host, &at->sin_addr), 1);
	memcpy(&to, at, sizeof(*at));
	s = page_server_open(&to, &o, &err);
	assert_non_null(s);
	page_server_add_address(s, &name);
	at->sin_port = htons(
		(uint16_t)strtol(strrchr(name.bytes, ':') + 1, NULL, 10));
	text_release(&name);
	return s;
}

static int connect_to(const struct sockaddr_in *at)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)at, sizeof(*at)),
			 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

/* Sends a request and returns the response, which the caller releases. */
static struct text ask(struct page_server *s, int fd, const char *request)
{
	struct text reply = { 0 };
	char bytes[1024];

	text_puts(&reply, "");
	assert_int_equal(send(fd, request, strlen(request), 0),
			 strlen(request));
	for (int i = 0; i < STEPS; i++) {
		ssize_t got;

		page_server_step(s);
		got = recv(fd, bytes, sizeof(bytes), 0);
		if (got > 0)
			text_add(&reply, bytes, (size_t)got);
	}
	close(fd);
	page_server_step(s);
	return reply;
}

static void expect_reply(struct page_server *s, const struct sockaddr_in *at,
			 const char *request, const char *expected)
{
	struct text reply = ask(s, connect_to(at), request);

	assert_int_equal(strncmp(reply.bytes, expected, strlen(expected)), 0);
	text_release(&reply);
}

static void pages_are_served_and_others_rejected(void **state)
{
	struct sockaddr_in at;
	struct page_server *s = open_server("127.0.0.1", NULL, &at);
	struct text reply, request = { 0 };

	(void)state;
	reply = ask(s, connect_to(&at),
		    "GET /page?x=1 HTTP/1.1\r\n"
		    "Host: localhost\r\n\r\n");
	assert_string_equal(reply.bytes, "HTTP/1.1 200 OK\r\n"
					 "Content-Type: text/test\r\n"
					 "Content-Length: 6\r\n"
					 "Connection: close\r\n\r\n"
					 "hello\n");
	text_release(&reply);
	reply = ask(s, connect_to(&at),
		    "HEAD /page HTTP/1.1\r\n"
		    "Host: localhost\r\n\r\n");
	assert_null(strstr(reply.bytes, "hello"));
	assert_non_null(strstr(reply.bytes, "Content-Length: 6\r\n"));
	text_release(&reply);
	expect_reply(s, &at, "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n",
		     "HTTP/1.1 404 Not Found\r\n");
	expect_reply(s, &at, "POST /page HTTP/1.1\r\nHost: localhost\r\n\r\n",
		     "HTTP/1.1 405 Method Not Allowed\r\n");
	expect_reply(s, &at, "GET  /page HTTP/1.1\r\nHost: localhost\r\n\r\n",
		     "HTTP/1.1 400 ");
	text_puts(&request, "GET /");
	while (request.len < 8192)
		text_puts(&request, "long");
	expect_reply(s, &at, request.bytes, "HTTP/1.1 4");
	text_release(&request);
	page_server_close(s);
}

/* A page whose name resolves to this machine has that name in Host. */
static void only_own_names_are_accepted_in_host(void **state)
{
	static const struct {
		const char *host, *status;
	} cases[] = {
		{ "127.0.0.1:9464", "200" },
		{ "[::1]:9464", "200" },
		{ "LocalHost:1", "200" },
		{ "node.example", "200" },
		{ "evil.example", "403" },
		{ "localhost.evil.example", "403" },
		{ "127.0.0.1.evil.example", "403" },
	};
	struct sockaddr_in at;
	struct page_server *s = open_server("127.0.0.1", NULL, &at);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text request = { 0 }, status = { 0 };

		text_printf(&request, "GET /page HTTP/1.1\r\nHost: %s\r\n\r\n",
			    cases[i].host);
		text_printf(&status, "HTTP/1.1 %s ", cases[i].status);
		expect_reply(s, &at, request.bytes, status.bytes);
		text_release(&request);
		text_release(&status);
	}
	page_server_close(s);
}

/* A connection that comes later replaces the oldest after a second. */
static void silent_clients_take_a_limited_number_of_connections(void **state)
{
	struct sockaddr_in at;
	struct page_server *s = open_server("127.0.0.1", NULL, &at);
	int silent[PAGE_CLIENTS + 4], probe;
	struct text reply;

	(void)state;
	for (size_t i = 0; i < PAGE_CLIENTS + 4; i++)
		silent[i] = connect_to(&at);
	probe = fcntl(silent[0], F_DUPFD_CLOEXEC, 0);
	close(probe);
	for (int i = 0; i < STEPS; i++)
		page_server_step(s);
	/* The lowest free descriptor tells how many connections were taken. */
	assert_int_equal(fcntl(silent[0], F_DUPFD_CLOEXEC, 0),
			 probe + PAGE_CLIENTS);
	close(probe + PAGE_CLIENTS);
	usleep(1100 * 1000);
	reply = ask(s, connect_to(&at),
		    "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_non_null(strstr(reply.bytes, "hello"));
	text_release(&reply);
	for (size_t i = 0; i < PAGE_CLIENTS + 4; i++)
		close(silent[i]);
	page_server_close(s);
}

static bool polls_are_ready(const struct page_server *s)
{
	struct pollfd fds[PAGE_FDS];

	return poll(fds, page_server_polls(s, fds), 0) > 0;
}

static void polled_descriptors_tell_when_a_step_is_due(void **state)
{
	struct sockaddr_in at;
	struct page_server *s = open_server("127.0.0.1", NULL, &at);
	int clients[PAGE_CLIENTS + 1];
	struct text reply;

	(void)state;
	assert_false(polls_are_ready(s));
	for (size_t i = 0; i < PAGE_CLIENTS; i++) {
		clients[i] = connect_to(&at);
		assert_true(polls_are_ready(s));
		page_server_step(s);
		assert_false(polls_are_ready(s));
	}
	/* A client that finds no place waits. */
	clients[PAGE_CLIENTS] = connect_to(&at);
	assert_false(polls_are_ready(s));
	assert_int_equal(send(clients[0], "GET", 3, 0), 3);
	assert_true(polls_are_ready(s));
	reply = ask(s, clients[0],
		    " /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_non_null(strstr(reply.bytes, "hello"));
	text_release(&reply);
	for (int i = 0; i < STEPS; i++)
		page_server_step(s);
	assert_false(polls_are_ready(s));
	for (size_t i = 1; i <= PAGE_CLIENTS; i++)
		close(clients[i]);
	page_server_close(s);
}

/* Stores an address of this machine that is not loopback. */
static bool find_own_address(char host[INET_ADDRSTRLEN])
{
	struct ifaddrs *list = NULL;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (struct ifaddrs *a = list; a && !found; a = a->ifa_next) {
		const struct sockaddr_in *in = (const void *)a->ifa_addr;

		found = in && in->sin_family == AF_INET &&
			ntohl(in->sin_addr.s_addr) >> 24 != 127 &&
			inet_ntop(AF_INET, &in->sin_addr, host,
				  INET_ADDRSTRLEN);
	}
	freeifaddrs(list);
	return found;
}

static void other_networks_are_rejected(void **state)
{
	char host[INET_ADDRSTRLEN];
	struct page_server *s;
	struct sockaddr_in at;
	struct cidr allowed;
	struct error err;
	struct text reply;

	(void)state;
	if (!find_own_address(host))
		skip();
	assert_int_equal(cidr_parse(&allowed, "203.0.113.77", &err), 0);
	s = open_server(host, &allowed, &at);
	reply = ask(s, connect_to(&at),
		    "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_non_null(strstr(reply.bytes, " 403 "));
	assert_null(strstr(reply.bytes, "hello"));
	assert_int_equal(refused_count, 1);
	text_release(&reply);
	reply = ask(s, connect_to(&at),
		    "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
	text_release(&reply);
	/* It is reported once. */
	assert_int_equal(refused_count, 1);
	assert_int_equal(cidr_parse(&allowed, host, &err), 0);
	reply = ask(s, connect_to(&at),
		    "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_non_null(strstr(reply.bytes, "hello"));
	text_release(&reply);
	page_server_close(s);
	/* Without networks, only this machine may connect. */
	s = open_server(host, NULL, &at);
	reply = ask(s, connect_to(&at),
		    "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_non_null(strstr(reply.bytes, " 403 "));
	text_release(&reply);
	page_server_close(s);
}

static void used_address_is_refused(void **state)
{
	const struct page_server_options o = { .answer = answer };
	struct sockaddr_storage to = { 0 };
	struct sockaddr_in at;
	struct page_server *s = open_server("127.0.0.1", NULL, &at);
	struct error err;

	(void)state;
	memcpy(&to, &at, sizeof(at));
	assert_null(page_server_open(&to, &o, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "cannot listen on 127.0.0.1:"));
	page_server_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_served_and_others_rejected),
		cmocka_unit_test(only_own_names_are_accepted_in_host),
		cmocka_unit_test(
			silent_clients_take_a_limited_number_of_connections),
		cmocka_unit_test(polled_descriptors_tell_when_a_step_is_due),
		cmocka_unit_test(other_networks_are_rejected),
		cmocka_unit_test(used_address_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
