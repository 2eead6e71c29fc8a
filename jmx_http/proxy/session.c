/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a session, and the messages of its client. */
#include "jmx_http/proxy/session.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"

#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

/* Java RMI Specification, 10.2. */
#define HELLO         "JRMI\0\2"
#define HELLO_LEN     6
#define TLS_HANDSHAKE 0x16

/* A call is logged after this time without a byte. */
#define LOG_NS     (CLOCK_NS_PER_S / 5)

#define PIECE_MAX  4096
#define FINISH_NS  (10 * CLOCK_NS_PER_S) /* limit for the last output */
#define MESSAGE_NS (60 * CLOCK_NS_PER_S) /* limit for one message */

static void session_die(struct session *s)
{
	if (s->state == SESSION_DEAD)
		return;
	if (s->look)
		event_free(s->look);
	s->look = NULL;
	s->state = SESSION_DEAD;
	door_client_die(&s->base);
}

void session_limit(struct session *s, int64_t ns)
{
	if (s->state < SESSION_ENDING)
		door_client_limit(&s->base, ns);
}

void session_touch(struct session *s)
{
	if (s->client_ended && s->state < SESSION_ENDING)
		door_client_limit(&s->base, FINISH_NS);
}

/* Charges the memory of the message; false if the budget is exceeded. */
static bool session_charge_request(struct session *s)
{
	return door_set_memory(&s->base, request_memory(&s->request),
			       s->request.is_trusted);
}

static void session_drop_request(struct session *s)
{
	request_release(&s->request);
	session_charge_request(s);
}

static void rmi_front_free_client(struct door_client *c)
{
	struct session *s = (struct session *)c;

	if (s->look)
		event_free(s->look);
	for (size_t i = 0; i < SESSION_BACKENDS_MAX; i++)
		backend_free(s->backends[i]);
	session_log(s);
	session_reply_release(s);
	session_drop_request(s);
	door_leave(&s->base);
	free(s);
}

void session_end(struct session *s, const char *why)
{
	if (s->state == SESSION_DEAD)
		return;
	if (why)
		door_client_report(&s->base, why, "disconnected", why);
	session_die(s);
}

void session_log(struct session *s)
{
	if (s->log.method)
		door_log_call(&s->base, &s->log, s->front->jvm.title);
}

static bool session_has_output(const struct session *s)
{
	return evbuffer_get_length(bufferevent_get_output(s->base.stream)) > 0;
}

void session_finish(struct session *s)
{
	if (s->state >= SESSION_ENDING)
		return;
	s->state = SESSION_ENDING;
	if (!session_has_output(s)) {
		session_die(s);
		return;
	}
	bufferevent_disable(s->base.stream, EV_READ);
	bufferevent_setwatermark(s->base.stream, EV_WRITE, 0, 0);
	door_client_limit(&s->base, FINISH_NS);
}

void session_expect(struct session *s, enum session_wait wait)
{
	if (wait == WAIT_NOTHING && s->is_pinging) {
		session_limit(s, 0);
		s->is_pinging = false;
	}
	s->wait = wait;
}

void session_write(struct session *s, const struct text *bytes)
{
	rmi_call_log_return(&s->log, bytes->bytes, bytes->len);
	bufferevent_write(s->base.stream, bytes->bytes, bytes->len);
}

/* Greets with the client's address, as RMI servers do. */
static void session_greet(struct session *s)
{
	struct text host = { 0 }, out = { 0 };

	socket_add_host(&host, &s->base.peer);
	text_putc(&out, JRMP_ACK);
	text_putc(&out, 0);
	text_putc(&out, (char)host.len);
	text_add(&out, host.bytes, host.len);
	text_putc(&out, 0);
	text_putc(&out, 0);
	text_putc(&out, (char)(socket_port(&s->base.peer) >> 8));
	text_putc(&out, (char)socket_port(&s->base.peer));
	session_write(s, &out);
	text_release(&host);
	text_release(&out);
	s->state = SESSION_ENDPOINT;
}

static bool session_read_hello(struct session *s, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in);
	size_t known = len < HELLO_LEN ? len : HELLO_LEN;
	const uint8_t *bytes = evbuffer_pullup(
		in, (ssize_t)(known + (len > known)));

	if (known && bytes[0] == TLS_HANDSHAKE) {
		session_end(s,
			    "the client speaks TLS, which requires --tls-cert");
		return false;
	}
	if (memcmp(bytes, HELLO, known) != 0) {
		session_end(s, "the client does not speak RMI");
		return false;
	}
	if (len <= HELLO_LEN)
		return false;
	if (bytes[HELLO_LEN] == JRMP_STREAM) {
		evbuffer_drain(in, HELLO_LEN + 1);
		session_greet(s);
		return true;
	}
	if (bytes[HELLO_LEN] == JRMP_MULTI) {
		struct text nack = { 0 };

		text_putc(&nack, JRMP_NACK);
		session_write(s, &nack);
		text_release(&nack);
		session_finish(s);
		return false;
	}
	session_end(s, "the client requests an unsupported RMI protocol");
	return false;
}

/* The client's own name is ignored, as RMI servers do. */
static bool session_read_endpoint(struct session *s, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in), host_len;
	const uint8_t *bytes;

	if (len < 2)
		return false;
	bytes = evbuffer_pullup(in, 2);
	host_len = (size_t)bytes[0] << 8 | bytes[1];
	if (host_len > JRMP_HOST_MAX) {
		session_end(s, "the client's host name is too long");
		return false;
	}
	if (len < 2 + host_len + 4)
		return false;
	evbuffer_drain(in, 2 + host_len + 4);
	door_client_limit(&s->base, 0);
	s->state = SESSION_MESSAGES;
	return true;
}

/* Handles a whole message; true if the next one may be parsed. */
static bool session_finish_message(struct session *s)
{
	s->request_is_whole = !session_call(s);
	if (s->request_is_whole)
		return false;
	session_drop_request(s);
	return s->state == SESSION_MESSAGES;
}

/* A client that calls a session's object has logged in. */
static void session_trust_known(struct session *s)
{
	struct request *r = &s->request;

	if (r->has_head && !r->is_trusted &&
	    upstream_has_session(&s->front->jvm, &r->object))
		request_trust(r);
}

static bool session_read_message(struct session *s, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in), used;
	bool is_new = s->request.kind == REQUEST_NONE;
	enum request_status status;
	uint8_t *bytes;

	/* The limits of the message depend on the object in its head. */
	if (len > (s->request.has_head ? PIECE_MAX : REQUEST_HEAD_MAX))
		len = s->request.has_head ? PIECE_MAX : REQUEST_HEAD_MAX;
	bytes = evbuffer_pullup(in, (ssize_t)len);
	status = request_read(&s->request, bytes, len, &used);
	if (request_is_login(&s->request))
		explicit_bzero(bytes, used);
	evbuffer_drain(in, used);
	session_trust_known(s);
	if (status == REQUEST_WHOLE)
		request_write(&s->request);
	if (status == REQUEST_MORE && !session_charge_request(s)) {
		session_end(s, "the memory for incomplete calls is used up");
		return false;
	}
	if (status == REQUEST_MORE && is_new)
		door_client_limit(&s->base, MESSAGE_NS);
	else if (status == REQUEST_WHOLE)
		door_client_limit(&s->base, 0);
	switch (status) {
	case REQUEST_MORE:
		return true;
	case REQUEST_WHOLE:
		return session_finish_message(s);
	case REQUEST_ENDED:
		session_finish(s);
		return false;
	default:
		session_end(s, s->request.wrong);
		return false;
	}
}

/*
 * Closes the sending direction to the JVM after the client has closed its own
 * and all its messages were forwarded.  The client may still read; the JVM
 * closes the connection after its reply.
 */
static void session_forward_end(struct session *s)
{
	struct evbuffer *in = bufferevent_get_input(s->base.stream);

	if (!s->client_ended || s->state >= SESSION_ENDING)
		return;
	if (s->state == SESSION_MESSAGES &&
	    (s->request_is_whole || evbuffer_get_length(in)))
		return;
	if (!s->current || s->request.kind != REQUEST_NONE)
		session_finish(s);
	else
		backend_shut(s->current);
}

void session_continue(struct session *s)
{
	struct evbuffer *in = bufferevent_get_input(s->base.stream);
	bool more = s->state < SESSION_ENDING;

	if (more && s->request_is_whole)
		more = session_finish_message(s);
	while (more &&
	       (evbuffer_get_length(in) || socket_pull(s->base.stream))) {
		if (s->current && backend_is_full(s->current))
			break;
		if (s->state == SESSION_HELLO)
			more = session_read_hello(s, in);
		else if (s->state == SESSION_ENDPOINT)
			more = session_read_endpoint(s, in);
		else
			more = session_read_message(s, in);
	}
	session_forward_end(s);
}

static void session_on_read(struct bufferevent *client, void *arg)
{
	(void)client;
	session_continue(arg);
}

/* The client has read its data: resume reading from the JVM. */
static void session_on_write(struct bufferevent *client, void *arg)
{
	struct session *s = arg;

	(void)client;
	if (s->state == SESSION_ENDING) {
		if (!session_has_output(s))
			session_die(s);
		return;
	}
	if (s->current) {
		backend_pause(s->current, false);
		if (s->current->state == BACKEND_READY)
			session_backend_events.arrived(s, s->current);
	}
}

static void session_on_event(struct bufferevent *client, short what, void *arg)
{
	struct session *s = arg;

	(void)client;
	if (!door_client_may_read(&s->base, what)) {
		session_end(s, s->base.is_tls && s->state == SESSION_HELLO
				       ? "TLS handshake with the client failed"
				       : NULL);
		return;
	}
	if (!(what & BEV_EVENT_EOF))
		return;
	s->client_ended = true;
	session_continue(s);
	session_touch(s);
}

static void rmi_front_on_limit(struct door_client *c)
{
	struct session *s = (struct session *)c;

	switch (s->state) {
	case SESSION_LOOK:
		session_end(s, "the client sent nothing");
		break;
	case SESSION_HELLO:
	case SESSION_ENDPOINT:
		session_end(s,
			    "the client did not complete its greeting in time");
		break;
	case SESSION_MESSAGES:
		session_end(s, s->client_ended ? NULL
			       : s->is_pinging
				       ? "the JVM did not reply to a ping"
				       : "the client did not complete a "
					 "message in time");
		break;
	default:
		session_end(s, "the client does not read its reply");
		break;
	}
}

static void session_begin_reading(struct session *s)
{
	bufferevent_setcb(s->base.stream, session_on_read, session_on_write,
			  session_on_event, s);
	bufferevent_setwatermark(s->base.stream, EV_READ, 0,
				 BACKEND_WAITING_MAX);
	bufferevent_setwatermark(s->base.stream, EV_WRITE,
				 BACKEND_WAITING_MAX / 2, 0);
	bufferevent_enable(s->base.stream, EV_READ | EV_WRITE);
	s->state = SESSION_HELLO;
}

/* Detects TLS by the first byte. */
static void session_on_look(evutil_socket_t fd, short what, void *arg)
{
	struct session *s = arg;
	uint8_t first = 0;

	(void)what;
	if (recv(fd, &first, 1, MSG_PEEK) != 1) {
		session_end(s, NULL);
		return;
	}
	event_free(s->look);
	s->look = NULL;
	if (first == TLS_HANDSHAKE)
		door_client_accept_tls(&s->base);
	door_client_limit(&s->base, session_door(s)->options.hello_ns);
	session_begin_reading(s);
}

static void rmi_front_begin(struct door_front *f, evutil_socket_t fd,
			    const struct sockaddr_storage *peer)
{
	struct session *s = xcalloc(1, sizeof(*s));
	struct door *d = f->door;

	door_enter(f, &s->base, fd, peer);
	s->front = (struct rmi_front *)f;
	door_client_limit(&s->base, d->options.hello_ns);
	if (!d->options.to_client) {
		session_begin_reading(s);
		return;
	}
	s->look = event_new(d->base, fd, EV_READ, session_on_look, s);
	if (!s->look)
		alloc_give_up(sizeof(*s));
	event_add(s->look, NULL);
}

/* Ends a session that is between two messages. */
static void rmi_front_drain(struct door_client *c)
{
	struct session *s = (struct session *)c;
	bool is_still = !session_has_output(s) &&
			clock_monotonic_ns() - s->moved_ns > DOOR_STILL_NS;

	if (s->wait == WAIT_NOTHING && s->request.kind == REQUEST_NONE &&
	    is_still)
		session_finish(s);
}

/* Logs a call whose return has paused for LOG_NS. */
static void rmi_front_tick(struct door_client *c)
{
	struct session *s = (struct session *)c;

	if (call_log_is_over(&s->log, clock_monotonic_ns() - LOG_NS))
		session_log(s);
}

static void rmi_front_free(struct door_front *front)
{
	struct rmi_front *f = (struct rmi_front *)front;

	upstream_release(&f->jvm);
	free(f->advertise_host);
	free(f);
}

static const struct door_front_ops rmi_front_ops = {
	.begin = rmi_front_begin,
	.drain = rmi_front_drain,
	.tick = rmi_front_tick,
	.on_limit = rmi_front_on_limit,
	.free_client = rmi_front_free_client,
	.free = rmi_front_free,
};

int rmi_front_add(struct door *d, const struct rmi_front_options *o,
		  struct error *err)
{
	struct rmi_front *f = xcalloc(1, sizeof(*f));
	int port;

	upstream_init(&f->jvm, &o->jvm);
	if (o->advertise_host)
		f->advertise_host = xstrdup(o->advertise_host);
	f->advertise_port = o->advertise_port;
	f->front = (struct door_front){ .ops = &rmi_front_ops,
					.title = f->jvm.title };
	port = door_listen(d, &f->front, o->bind, err);
	if (port < 0)
		rmi_front_free(&f->front);
	return port;
}
