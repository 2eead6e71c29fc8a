/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/relay.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_S 60

struct ends {
	struct event_base *base;
	struct relay *relay;
	int client, server; /* the far ends, which do not block */
	int endings;
};

static void take_end(void *self) { ((struct ends *)self)->endings++; }

static void too_late(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	(void)self;
	fail_msg("nothing happened for %d s", PATIENCE_S);
}

static void turn(struct ends *e)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct event *timer = evtimer_new(e->base, too_late, NULL);

	evtimer_add(timer, &patience);
	event_base_loop(e->base, EVLOOP_ONCE);
	event_free(timer);
}

static void set_up(struct ends *e)
{
	int client[2], server[2], none = SOCK_STREAM | SOCK_NONBLOCK;

	*e = (struct ends){ .base = event_base_new() };
	assert_int_equal(socketpair(AF_UNIX, none, 0, client), 0);
	assert_int_equal(socketpair(AF_UNIX, none, 0, server), 0);
	e->client = client[0];
	e->server = server[0];
	e->relay = relay_new(e->base,
			     bufferevent_socket_new(e->base, client[1],
						    BEV_OPT_CLOSE_ON_FREE),
			     server[1], take_end, e);
}

static void tear_down(struct ends *e)
{
	relay_free(e->relay);
	event_base_free(e->base);
	if (e->client >= 0)
		close(e->client);
	if (e->server >= 0)
		close(e->server);
}

/* Runs the event loop until the expected bytes have arrived. */
static void assert_arrives(struct ends *e, int fd, const char *expected)
{
	char bytes[64] = "";
	size_t at = 0, len = strlen(expected);

	while (at < len) {
		ssize_t got = read(fd, bytes + at, len - at);

		if (got > 0)
			at += (size_t)got;
		else if (got < 0 && errno == EAGAIN)
			turn(e);
		else
			fail();
	}
	assert_string_equal(bytes, expected);
}

static void assert_ends(struct ends *e, int fd)
{
	char byte;
	ssize_t got;

	while ((got = read(fd, &byte, 1)) < 0 && errno == EAGAIN)
		turn(e);
	assert_int_equal(got, 0);
}

static void relay_passes_bytes_both_ways(void **state)
{
	struct ends e;

	(void)state;
	set_up(&e);
	assert_int_equal(write(e.client, "call", 4), 4);
	assert_arrives(&e, e.server, "call");
	assert_int_equal(write(e.server, "return", 6), 6);
	assert_arrives(&e, e.client, "return");
	assert_int_equal(e.endings, 0);
	tear_down(&e);
}

static void half_close_leaves_the_other_direction_open(void **state)
{
	struct ends e;

	(void)state;
	set_up(&e);
	assert_int_equal(write(e.client, "last", 4), 4);
	shutdown(e.client, SHUT_WR);
	assert_arrives(&e, e.server, "last");
	assert_ends(&e, e.server);
	assert_int_equal(e.endings, 0);
	assert_int_equal(write(e.server, "answer", 6), 6);
	close(e.server);
	e.server = -1;
	assert_arrives(&e, e.client, "answer");
	assert_ends(&e, e.client);
	while (!e.endings)
		turn(&e);
	assert_int_equal(e.endings, 1);
	tear_down(&e);
}

/* If one side stops reading, the relay stops reading the other side. */
static void slow_reader_pauses_the_writer(void **state)
{
	static char block[1 << 16];
	size_t sent = 0, arrived = 0;
	struct ends e;

	(void)state;
	set_up(&e);
	for (int idle = 0; idle < 3;) {
		ssize_t put = write(e.server, block, sizeof(block));

		sent += put > 0 ? (size_t)put : 0;
		idle = put > 0 ? 0 : idle + 1;
		event_base_loop(e.base, EVLOOP_NONBLOCK);
	}
	/* The buffers of two sockets, and twice the relay's limit. */
	assert_true(sent < ((size_t)4 << 20));
	close(e.server);
	e.server = -1;
	for (;;) {
		ssize_t got = read(e.client, block, sizeof(block));

		if (got == 0)
			break;
		if (got < 0)
			turn(&e);
		else
			arrived += (size_t)got;
	}
	assert_int_equal(arrived, sent);
	tear_down(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relay_passes_bytes_both_ways),
		cmocka_unit_test(half_close_leaves_the_other_direction_open),
		cmocka_unit_test(slow_reader_pauses_the_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
