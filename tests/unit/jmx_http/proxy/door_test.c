/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, the memory budget and messages, which all fronts share. */
#include "core/base/alloc.h"
#include "core/base/text.h"
#include "jmx_http/proxy/door.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

struct test_client {
	struct door_client base;
};

static void front_begin(struct door_front *f, evutil_socket_t fd,
			const struct sockaddr_storage *peer)
{
	struct test_client *c = xcalloc(1, sizeof(*c));

	door_enter(f, &c->base, fd, peer);
}

static void front_drain(struct door_client *c) { (void)c; }

static void front_free_client(struct door_client *base)
{
	struct test_client *c = (struct test_client *)base;

	door_leave(base);
	free(c);
}

static void front_free(struct door_front *f) { free(f); }

static const struct door_front_ops ops = {
	.begin = front_begin,
	.drain = front_drain,
	.free_client = front_free_client,
	.free = front_free,
};

static struct text said;

static void take_line(void *self, const char *line)
{
	(void)self;
	text_puts(&said, line);
	text_putc(&said, '\n');
}

static struct door *open_door(size_t clients_max, size_t per_host_max)
{
	const struct door_options options = {
		.clients_max = clients_max,
		.clients_per_host_max = per_host_max,
		.report = take_line,
	};
	struct error err;
	struct door *d = door_new(&options, &err);

	text_release(&said);
	text_puts(&said, "");
	assert_non_null(d);
	return d;
}

static uint16_t add_front(struct door *d, const char *title)
{
	struct door_front *f = xcalloc(1, sizeof(*f));
	struct sockaddr_storage here = { .ss_family = AF_INET };
	struct error err;
	int port;

	((struct sockaddr_in *)&here)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*f = (struct door_front){ .ops = &ops, .title = title };
	port = door_listen(d, f, &here, &err);
	assert_true(port > 0);
	return (uint16_t)port;
}

/* Returns true if a client with this loopback address is accepted. */
static bool connects(struct door *d, uint16_t port, uint32_t host)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	size_t before = d->client_count;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	from.sin_addr.s_addr = htonl(host);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	event_base_loop(d->base, EVLOOP_ONCE);
	close(fd);
	return d->client_count > before;
}

static void limits_count_the_clients_of_all_fronts(void **state)
{
	struct door *d = open_door(3, 2);
	uint16_t one = add_front(d, "one"), two = add_front(d, "two");

	(void)state;
	assert_true(connects(d, one, INADDR_LOOPBACK));
	assert_true(connects(d, two, INADDR_LOOPBACK));
	assert_false(connects(d, one, INADDR_LOOPBACK));
	assert_string_equal(said.bytes,
			    "one: client 127.0.0.1 rejected: the limit of "
			    "--max-clients-per-host is reached\n");
	assert_true(connects(d, one, INADDR_LOOPBACK + 1));
	assert_false(connects(d, two, INADDR_LOOPBACK + 2));
	assert_non_null(strstr(said.bytes, "limit of --max-clients is"));
	/* A closed connection no longer counts. */
	front_free_client(d->clients);
	assert_true(connects(d, two, INADDR_LOOPBACK + 2));
	door_free(d);
}

static void clients_that_have_not_logged_in_share_32_mib(void **state)
{
	struct door *d = open_door(9, 9);
	uint16_t port = add_front(d, "front");
	struct door_client *a, *b;

	(void)state;
	assert_true(connects(d, port, INADDR_LOOPBACK));
	a = d->clients;
	assert_true(connects(d, port, INADDR_LOOPBACK));
	b = d->clients;
	assert_true(door_set_memory(a, 20 * MIB, false));
	assert_false(door_set_memory(b, 13 * MIB, false));
	/* A login moves its bytes to the larger budget. */
	assert_true(door_set_memory(a, 64 * MIB, true));
	assert_true(door_set_memory(b, 13 * MIB, false));
	assert_false(door_set_memory(a, 250 * MIB, true));
	assert_true(door_set_memory(a, 0, true));
	assert_true(door_set_memory(b, 32 * MIB, false));
	front_free_client(b);
	assert_true(door_set_memory(a, 32 * MIB, false));
	assert_true(door_set_memory(a, 256 * MIB, true));
	door_free(d);
}

static void limited_message_is_printed_once_in_ten_seconds(void **state)
{
	static const char *const about = "a reason";
	struct door *d = open_door(1, 1);

	(void)state;
	for (int i = 0; i < 100; i++) {
		door_report_limited(d, about, "client %d", i);
		door_report_limited(d, NULL, "other");
	}
	assert_string_equal(said.bytes, "client 0\nother\n");
	/* Pretends that the ten seconds have passed. */
	d->messages[0].quiet_until_ns = d->messages[1].quiet_until_ns = 0;
	door_report_limited(d, about, "client %d", 100);
	assert_string_equal(said.bytes, "client 0\nother\nclient 100\n"
					"99 similar messages suppressed\n");
	door_free(d);
	text_release(&said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_count_the_clients_of_all_fronts),
		cmocka_unit_test(clients_that_have_not_logged_in_share_32_mib),
		cmocka_unit_test(
			limited_message_is_printed_once_in_ten_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
