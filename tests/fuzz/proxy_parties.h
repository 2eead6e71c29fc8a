/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session of the proxy whose client and JVM are the fuzzer, in an event loop
 * that never waits.  Each fuzzer includes it once, and adds a
 * front to parties.door.
 */
#ifndef TESTS_FUZZ_PROXY_PARTIES_H
#define TESTS_FUZZ_PROXY_PARTIES_H

#include "core/base/text.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/proxy/door.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JVM_PORT   9010
#define JVMS_MAX   16
#define ROUNDS_MAX 64

/* The JVM's end of a connection. */
struct jvm_end {
	int fd;
	struct text heard;
	size_t answered; /* length of the prefix of heard that has replies */
};

struct parties {
	struct door *door;
	int client;
	struct text client_heard;
	struct jvm_end jvms[JVMS_MAX];
	size_t jvm_count;
};

static struct parties parties;

struct fuzz_dial {
	struct dial dial;
	struct event *event;
	dial_done_fn *done;
	void *self;
};

static void fuzz_pair(int fds[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds))
		abort();
}

static void fuzz_dialled(evutil_socket_t fd, short what, void *arg)
{
	struct fuzz_dial *d = arg;
	struct error err = { .kind = ERROR_REFUSED };
	int fds[2] = { -1, -1 };

	(void)fd;
	(void)what;
	if (parties.jvm_count < JVMS_MAX) {
		fuzz_pair(fds);
		parties.jvms[parties.jvm_count++] = (struct jvm_end){
			.fd = fds[1],
		};
	}
	d->done(d->self, fds[0], &err);
	event_free(d->event);
	free(d);
}

static struct dial *fuzz_begin(struct dialer *dialer, uint16_t port,
			       int64_t timeout_ns, dial_done_fn *done,
			       void *self)
{
	struct fuzz_dial *d = calloc(1, sizeof(*d));
	struct timeval at_once = { 0, 0 };

	(void)timeout_ns;
	if (!d || !port)
		abort();
	d->dial.dialer = dialer;
	d->done = done;
	d->self = self;
	d->event = evtimer_new(parties.door->base, fuzz_dialled, d);
	evtimer_add(d->event, &at_once);
	return &d->dial;
}

static void fuzz_cancel(struct dial *dial)
{
	struct fuzz_dial *d = (struct fuzz_dial *)dial;

	event_free(d->event);
	free(d);
}

static void fuzz_free(struct dialer *d) { (void)d; }

static const struct dialer_ops fuzz_ops = {
	.begin = fuzz_begin,
	.cancel = fuzz_cancel,
	.free = fuzz_free,
};

static struct dialer fuzz_dialer = { .ops = &fuzz_ops };

static void fuzz_say(void *self, const char *line)
{
	(void)self;
	(void)line;
}

static void fuzz_call(void *self, const struct proxy_call *call)
{
	(void)self;
	if (!call->method[0] || !call->client[0])
		abort();
}

/* Creates the door. */
static void parties_open(void)
{
	static const struct door_options options = {
		.clients_max = 10,
		.clients_per_host_max = 10,
		.hello_ns = 1000000000,
		.connect_ns = 1000000000,
		.report = fuzz_say,
		.call = fuzz_call,
	};
	struct error err;

	signal(SIGPIPE, SIG_IGN); /* as in main() */
	parties.door = door_new(&options, &err);
	if (!parties.door)
		abort();
}

static struct sockaddr_storage fuzz_loopback(void)
{
	struct sockaddr_storage here = { .ss_family = AF_INET };

	((struct sockaddr_in *)&here)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return here;
}

/* A client that has just been accepted by the front. */
static void parties_connect(void)
{
	struct sockaddr_storage peer = { .ss_family = AF_INET };
	int fds[2];

	fuzz_pair(fds);
	parties.client = fds[1];
	parties.door->fronts->ops->begin(parties.door->fronts, fds[0], &peer);
}

static void fuzz_hear(int fd, struct text *heard)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		text_add(heard, bytes, (size_t)got);
}

/* Runs the event loop once and receives what the proxy sends. */
static void parties_step(void)
{
	event_base_loop(parties.door->base, EVLOOP_NONBLOCK);
	fuzz_hear(parties.client, &parties.client_heard);
	for (size_t i = 0; i < parties.jvm_count; i++)
		fuzz_hear(parties.jvms[i].fd, &parties.jvms[i].heard);
}

static void fuzz_send(int fd, const void *bytes, size_t len)
{
	/* The proxy may have closed the connection or stopped reading. */
	if (send(fd, bytes, len, MSG_NOSIGNAL) < 0)
		return;
}

static void parties_end(void)
{
	close(parties.client);
	for (size_t i = 0; i < parties.jvm_count; i++) {
		close(parties.jvms[i].fd);
		text_release(&parties.jvms[i].heard);
	}
	for (int i = 0; parties.door->clients && i < ROUNDS_MAX; i++)
		event_base_loop(parties.door->base, EVLOOP_NONBLOCK);
	while (parties.door->clients)
		parties.door->fronts->ops->free_client(parties.door->clients);
	if (parties.door->client_count || parties.door->memory ||
	    parties.door->untrusted_memory)
		abort();
	parties.jvm_count = 0;
	text_release(&parties.client_heard);
}

#endif
