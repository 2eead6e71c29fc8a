/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/http_backend.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/net/tls.h"

#include <errno.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Less than the time for which servers keep a connection, 20 s or more. */
#define IDLE_NS  (10 * CLOCK_NS_PER_S)
#define READ_LEN ((size_t)16 << 10)

struct http_backend {
	struct http_agent *agent;
	const struct http_backend_events *events;
	void *self;
	struct dial *dial;
	struct bufferevent *buffer; /* NULL while dialling */
	struct evbuffer *in;
	struct event *timer; /* limit to connect, or to be idle */
	bool is_ready, is_reused;
	/* While idle. */
	struct http_backend *next, **at;
	/*
	 * While dialling, if an idle connection may serve the request instead.
	 */
	struct http_backend *dialling_next, **dialling_at;
};

static void backend_fail(struct http_backend *b, enum error_kind kind,
			 const char *what)
{
	struct error err;

	fail(&err, kind, "%s: %s", b->agent->title, what);
	b->events->ended(b->self, &err, false);
}

void http_stream_send(struct bufferevent *to, struct evbuffer *bytes)
{
	struct evbuffer *waiting = bufferevent_get_output(to);

	/* The loop reports errors. */
	if (!bufferevent_openssl_get_ssl(to) && !evbuffer_get_length(waiting))
		evbuffer_write(bytes, bufferevent_getfd(to));
	if (evbuffer_get_length(bytes))
		bufferevent_write_buffer(to, bytes);
}

bool http_stream_fill(struct bufferevent *from, struct evbuffer *in)
{
	size_t before = evbuffer_get_length(in);
	bool is_tls = bufferevent_openssl_get_ssl(from);
	bool more = true;

	bufferevent_read_buffer(from, in);
	/*
	 * The event loop does not see bytes that libssl has decrypted already.
	 */
	if (is_tls && socket_pull(from))
		bufferevent_read_buffer(from, in);
	while (!is_tls && more && evbuffer_get_length(in) < HTTP_WAITING_MAX) {
		struct evbuffer_iovec space;
		ssize_t got;

		/* Less than one read of the event loop: there is no more. */
		if (evbuffer_get_length(in) - before < 4096 ||
		    evbuffer_reserve_space(in, READ_LEN, &space, 1) < 1)
			break;
		got = read(bufferevent_getfd(from), space.iov_base, READ_LEN);
		space.iov_len = got > 0 ? (size_t)got : 0;
		evbuffer_commit_space(in, &space, 1);
		more = got == (ssize_t)READ_LEN;
	}
	return evbuffer_get_length(in) > before;
}

/*
 * Sets the error of a failed connection: the agent's alert, or its certificate.
 */
static void backend_fail_tls(struct http_backend *b, unsigned long code)
{
	struct error why = { 0 };

	tls_fail_event(bufferevent_openssl_get_ssl(b->buffer), code, &why);
	backend_fail(b, why.kind, why.text);
}

static void backend_become_ready(struct http_backend *b)
{
	b->is_ready = true;
	evtimer_del(b->timer);
	b->events->ready(b->self);
}

static void backend_on_read(struct bufferevent *buffer, void *arg)
{
	struct http_backend *b = arg;

	(void)buffer;
	if (b->at)
		http_backend_free(b); /* bytes of the agent while the connection
					 is idle */
	else
		b->events->arrived(b->self);
}

static void backend_on_write(struct bufferevent *buffer, void *arg)
{
	struct http_backend *b = arg;

	(void)buffer;
	if (b->is_ready && !b->at)
		b->events->drained(b->self);
}

static void backend_on_event(struct bufferevent *buffer, short what, void *arg)
{
	struct http_backend *b = arg;
	int sys = EVUTIL_SOCKET_ERROR();
	bool is_tls = bufferevent_openssl_get_ssl(buffer);
	unsigned long code = is_tls ? bufferevent_get_openssl_error(buffer) : 0;

	if (b->at) {
		http_backend_free(b);
	} else if (what & BEV_EVENT_CONNECTED) {
		if (!b->is_ready)
			backend_become_ready(b);
	} else if (!b->is_ready || (code && ERR_GET_LIB(code))) {
		backend_fail_tls(b, code);
	} else if (what & BEV_EVENT_ERROR && sys && sys != EAGAIN) {
		backend_fail(b, ERROR_REFUSED, strerror(sys));
	} else {
		/*
		 * Without close_notify, anybody on the network may have cut the
		 * connection.
		 */
		b->events->ended(b->self, NULL, what & BEV_EVENT_ERROR);
	}
}

static void backend_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct http_backend *b = arg;

	(void)fd;
	(void)what;
	if (b->at)
		http_backend_free(b);
	else
		backend_fail(b, ERROR_REFUSED, "no TLS handshake in time");
}

static struct bufferevent *backend_new_buffer(struct http_backend *b,
					      evutil_socket_t fd)
{
	struct http_agent *a = b->agent;
	struct bufferevent *buffer;
	SSL *ssl;

	if (!a->tls)
		return bufferevent_socket_new(a->base, fd,
					      BEV_OPT_CLOSE_ON_FREE);
	ssl = tls_client_new(a->tls, a->tls_host);
	if (!ssl)
		return NULL;
	/* Libevent does not see bytes that libssl has read ahead. */
	SSL_set_read_ahead(ssl, 0);
	buffer = bufferevent_openssl_socket_new(a->base, fd, ssl,
						BUFFEREVENT_SSL_CONNECTING,
						BEV_OPT_CLOSE_ON_FREE);
	if (!buffer)
		SSL_free(ssl);
	return buffer;
}

static void backend_add_dialling(struct http_backend *b)
{
	struct http_agent *a = b->agent;

	b->dialling_at = a->dialling_end ? a->dialling_end : &a->dialling;
	*b->dialling_at = b;
	a->dialling_end = &b->dialling_next;
}

static void backend_remove_dialling(struct http_backend *b)
{
	struct http_backend *next = b->dialling_next;

	if (!b->dialling_at)
		return;
	*b->dialling_at = next;
	*(next ? &next->dialling_at : &b->agent->dialling_end) = b->dialling_at;
	b->dialling_next = NULL;
	b->dialling_at = NULL;
}

/* Gives the connection of b to the backend that has waited longest. */
static void backend_hand_over(struct http_backend *b)
{
	struct http_backend *to = b->agent->dialling;

	backend_remove_dialling(to);
	to->dial->dialer->ops->cancel(to->dial);
	to->dial = NULL;
	to->buffer = b->buffer;
	b->buffer = NULL;
	http_backend_free(b);
	bufferevent_setcb(to->buffer, backend_on_read, backend_on_write,
			  backend_on_event, to);
	bufferevent_enable(to->buffer, EV_READ);
	to->is_reused = true;
	backend_become_ready(to);
}

static void backend_on_dialled(void *self, evutil_socket_t fd,
			       const struct error *err)
{
	struct http_backend *b = self;
	struct timeval limit = socket_timeval(b->agent->connect_ns);

	b->dial = NULL;
	backend_remove_dialling(b);
	if (fd < 0) {
		b->events->ended(b->self, err, false);
		return;
	}
	socket_set(fd);
	b->buffer = backend_new_buffer(b, fd);
	if (!b->buffer) {
		close(fd);
		backend_fail(b, ERROR_FAILED, "cannot create a connection");
		return;
	}
	bufferevent_setcb(b->buffer, backend_on_read, backend_on_write,
			  backend_on_event, b);
	bufferevent_setwatermark(b->buffer, EV_READ, 0, HTTP_WAITING_MAX);
	bufferevent_enable(b->buffer, EV_READ | EV_WRITE);
	if (b->agent->tls)
		evtimer_add(b->timer, &limit);
	else
		backend_become_ready(b);
}

struct http_backend *http_backend_get(struct http_agent *a, bool may_reuse,
				      const struct http_backend_events *events,
				      void *self)
{
	struct http_backend *b = may_reuse ? a->idle : NULL;

	if (b) {
		*b->at = b->next;
		if (b->next)
			b->next->at = b->at;
		b->at = NULL;
		a->idle_count--;
		evtimer_del(b->timer);
		b->is_reused = true;
		b->events = events;
		b->self = self;
		return b;
	}
	b = xcalloc(1, sizeof(*b));
	b->agent = a;
	b->events = events;
	b->self = self;
	b->in = evbuffer_new();
	b->timer = evtimer_new(a->base, backend_on_timer, b);
	if (!b->timer || !b->in)
		alloc_give_up(sizeof(*b));
	b->dial = a->dialer->ops->begin(a->dialer, a->port, a->connect_ns,
					backend_on_dialled, b);
	if (may_reuse && a->dialer->ops->is_full)
		backend_add_dialling(b);
	return b;
}

bool http_backend_is_reused(const struct http_backend *b)
{
	return b->is_reused;
}

bool http_backend_is_ready(const struct http_backend *b) { return b->is_ready; }

void http_backend_send(struct http_backend *b, struct evbuffer *bytes)
{
	http_stream_send(b->buffer, bytes);
}

size_t http_backend_waiting(const struct http_backend *b)
{
	return evbuffer_get_length(bufferevent_get_output(b->buffer));
}

struct evbuffer *http_backend_input(struct http_backend *b) { return b->in; }

bool http_backend_fill(struct http_backend *b)
{
	return http_stream_fill(b->buffer, b->in);
}

void http_backend_pause(struct http_backend *b, bool paused)
{
	if (paused)
		bufferevent_disable(b->buffer, EV_READ);
	else
		bufferevent_enable(b->buffer, EV_READ);
}

void http_backend_put_back(struct http_backend *b)
{
	struct http_agent *a = b->agent;
	struct timeval limit = socket_timeval(IDLE_NS);

	if (evbuffer_get_length(b->in) || http_backend_waiting(b)) {
		http_backend_free(b);
		return;
	}
	if (a->dialling) {
		backend_hand_over(b);
		return;
	}
	if (a->idle_count >= HTTP_IDLE_MAX) {
		http_backend_free(b);
		return;
	}
	b->next = a->idle;
	b->at = &a->idle;
	if (b->next)
		b->next->at = &b->next;
	a->idle = b;
	a->idle_count++;
	evtimer_add(b->timer, &limit);
}

void http_backend_free(struct http_backend *b)
{
	if (!b)
		return;
	if (b->at) {
		*b->at = b->next;
		if (b->next)
			b->next->at = b->at;
		b->agent->idle_count--;
	}
	backend_remove_dialling(b);
	if (b->dial)
		b->dial->dialer->ops->cancel(b->dial);
	if (b->buffer)
		bufferevent_free(b->buffer);
	evbuffer_free(b->in);
	event_free(b->timer);
	free(b);
}

void http_agent_release(struct http_agent *a)
{
	for (struct http_backend *b = a->idle, *next; b; b = next) {
		next = b->next;
		http_backend_free(b);
	}
}
