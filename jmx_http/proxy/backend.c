/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to a port, detects TLS, and greets by RMI. */
#include "jmx_http/proxy/backend.h"

#include "core/base/alloc.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/net/tls.h"
#include "jmx_http/rmi/jrmp.h"

#include <errno.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GREETING_MAX ((size_t)1 << 10)
/* A shorter message is copied: its own memory is larger than its bytes. */
#define COPIED_MAX ((size_t)4 << 10)

static void backend_dial(struct backend *b);

static void backend_fail(struct backend *b, enum error_kind kind,
			 const char *what)
{
	struct error err;

	fail(&err, kind, "%s", what);
	if (b->jvm)
		fail_in(&err, "port %u", b->endpoint.port);
	fail_in(&err, "%s", b->context.title);
	b->context.events->ended(b->context.self, b, &err, false);
}

static void backend_drop_buffer(struct backend *b)
{
	if (b->buffer)
		bufferevent_free(b->buffer);
	b->buffer = NULL;
}

static void backend_wipe(const void *bytes, size_t len, void *unused)
{
	(void)unused;
	explicit_bzero((void *)bytes, len);
	free((void *)bytes);
}

/* Takes ownership of the bytes, which may contain a password. */
static void backend_write_wiped(struct backend *b, struct text *bytes)
{
	struct evbuffer *out = bufferevent_get_output(b->buffer);

	if (!bytes->len || evbuffer_add_reference(out, bytes->bytes, bytes->len,
						  backend_wipe, NULL))
		text_release(bytes);
	*bytes = (struct text){ 0 };
}

static void backend_become_ready(struct backend *b)
{
	b->state = BACKEND_READY;
	evtimer_del(b->limit);
	if (b->context.events->ready)
		b->context.events->ready(b->context.self, b);
}

/* The connection is open, and its TLS handshake complete. */
static void backend_greet(struct backend *b)
{
	struct text hello = { 0 };

	if (!b->jvm) {
		backend_become_ready(b);
		return;
	}
	jrmp_add_hello(&hello);
	bufferevent_write(b->buffer, hello.bytes, hello.len);
	text_release(&hello);
	b->state = BACKEND_GREETING;
}

static void backend_greeted(struct backend *b)
{
	struct text endpoint = { 0 };

	if (b->endpoint.tls == ENDPOINT_LOOK)
		upstream_learn_tls(b->jvm, b->endpoint.port, ENDPOINT_PLAIN);
	if (b->requires_tls && !backend_is_tls(b)) {
		backend_fail(b, ERROR_REFUSED,
			     "the JVM does not use TLS, which --tls requires");
		return;
	}
	jrmp_add_endpoint(&endpoint);
	bufferevent_write(b->buffer, endpoint.bytes, endpoint.len);
	text_release(&endpoint);
	backend_write_wiped(b, &b->waiting);
	backend_become_ready(b);
}

/* The server replied to the plain hello with a TLS alert. */
static void backend_dial_by_tls(struct backend *b)
{
	if (b->endpoint.tls != ENDPOINT_LOOK || !b->context.tls) {
		backend_fail(b, ERROR_REFUSED, "the JVM requires TLS");
		return;
	}
	backend_drop_buffer(b);
	b->endpoint.tls = ENDPOINT_TLS;
	upstream_learn_tls(b->jvm, b->endpoint.port, ENDPOINT_TLS);
	backend_dial(b);
}

static void backend_read_greeting(struct backend *b)
{
	struct evbuffer *in = bufferevent_get_input(b->buffer);
	size_t len = evbuffer_get_length(in);
	struct jrmp_greeting greeting;
	enum jrmp_answer answer;

	if (len > GREETING_MAX)
		len = GREETING_MAX;
	answer = jrmp_read_answer(evbuffer_pullup(in, (ssize_t)len), len,
				  &greeting);
	if (answer == JRMP_GREETED) {
		evbuffer_drain(in, greeting.len);
		backend_greeted(b);
	} else if (answer == JRMP_TLS) {
		backend_dial_by_tls(b);
	} else if (answer != JRMP_SHORT) {
		backend_fail(b, ERROR_REFUSED, "the server does not speak RMI");
	}
}

static void backend_on_read(struct bufferevent *buffer, void *arg)
{
	struct backend *b = arg;

	(void)buffer;
	if (b->state == BACKEND_GREETING)
		backend_read_greeting(b);
	else if (b->state == BACKEND_READY)
		b->context.events->arrived(b->context.self, b);
}

static void backend_shut_if_due(struct backend *b)
{
	if (b->state != BACKEND_READY || !b->is_to_shut ||
	    evbuffer_get_length(bufferevent_get_output(b->buffer)))
		return;
	b->is_to_shut = false;
	if (b->endpoint.tls == ENDPOINT_TLS)
		SSL_shutdown(bufferevent_openssl_get_ssl(b->buffer));
	else
		shutdown(bufferevent_getfd(b->buffer), SHUT_WR);
}

static void backend_on_write(struct bufferevent *buffer, void *arg)
{
	struct backend *b = arg;

	(void)buffer;
	backend_shut_if_due(b);
	if (b->state == BACKEND_READY && b->context.events->drained)
		b->context.events->drained(b->context.self, b);
}

/*
 * Reports the server's alert, or the fault of its certificate.  With TLS 1.3, a
 * server may reject a client certificate after the handshake.
 */
static void backend_fail_tls(struct backend *b, unsigned long code)
{
	struct error why = { 0 };

	/* After a restart, the server may not use TLS. */
	if (b->jvm)
		upstream_learn_tls(b->jvm, b->jvm->registry.port,
				   ENDPOINT_LOOK);
	tls_fail_event(bufferevent_openssl_get_ssl(b->buffer), code, &why);
	backend_fail(b, why.kind, why.text);
}

/* Adds the dialer's reason, such as a failed command. */
static void backend_fail_greeting(struct backend *b, const char *what)
{
	struct dialer *d = b->context.dialer;
	struct text whole = { 0 };

	text_puts(&whole, what);
	text_puts(&whole, "; ");
	if (d->ops->why)
		d->ops->why(d, &whole);
	if (whole.bytes[whole.len - 1] == ' ')
		whole.bytes[whole.len - 2] = '\0';
	backend_fail(b, ERROR_REFUSED, whole.bytes);
	text_release(&whole);
}

/*
 * Dials once more if the server closed the connection before its first byte:
 * the way to the server may have been the way to the previous one.
 */
static bool backend_dial_again(struct backend *b, short what)
{
	struct dialer *d = b->context.dialer;
	int sys = EVUTIL_SOCKET_ERROR();
	bool is_closed = what & BEV_EVENT_EOF ||
			 (what & BEV_EVENT_ERROR && sys == ECONNRESET);

	if (!b->jvm || !is_closed || b->is_again || b->state == BACKEND_READY ||
	    evbuffer_get_length(bufferevent_get_input(b->buffer)) ||
	    !d->ops->again || !d->ops->again(d))
		return false;
	b->is_again = true;
	evtimer_del(b->limit);
	backend_drop_buffer(b);
	backend_dial(b);
	return true;
}

/* A JVM that is ready may close the connection in any way. */
static bool backend_tls_failed(const struct backend *b, unsigned long code)
{
	if (b->state == BACKEND_SHAKING)
		return true;
	return b->jvm ? b->state == BACKEND_GREETING && code
		      : ERR_GET_LIB(code);
}

static void backend_on_event(struct bufferevent *buffer, short what, void *arg)
{
	struct backend *b = arg;
	int sys = EVUTIL_SOCKET_ERROR();
	unsigned long code = backend_is_tls(b)
				     ? bufferevent_get_openssl_error(buffer)
				     : 0;

	if (what & BEV_EVENT_CONNECTED) {
		if (b->state == BACKEND_SHAKING)
			backend_greet(b);
	} else if (backend_dial_again(b, what)) {
		/* backend_on_dialled() continues. */
	} else if (backend_tls_failed(b, code)) {
		backend_fail_tls(b, code);
	} else if (b->state == BACKEND_GREETING) {
		backend_fail_greeting(
			b, what & BEV_EVENT_EOF
				   ? "the connection was closed without a reply"
				   : strerror(sys));
	} else if (what & BEV_EVENT_ERROR && sys && sys != EAGAIN) {
		backend_fail(b, ERROR_REFUSED, strerror(sys));
	} else {
		/*
		 * Without close_notify, anybody on the network may have cut the
		 * connection.
		 */
		b->context.events->ended(b->context.self, b, NULL,
					 what & BEV_EVENT_ERROR);
	}
}

/* The limit is for the whole greeting; bytes do not extend it. */
static void backend_on_limit(evutil_socket_t fd, short what, void *arg)
{
	struct backend *b = arg;

	(void)fd;
	(void)what;
	backend_fail(b, ERROR_REFUSED,
		     b->jvm ? "no reply in time" : "no TLS handshake in time");
}

static struct bufferevent *backend_new_buffer(struct backend *b,
					      evutil_socket_t fd)
{
	struct bufferevent *buffer;
	SSL *ssl;

	if (b->endpoint.tls != ENDPOINT_TLS)
		return bufferevent_socket_new(b->context.base, fd,
					      BEV_OPT_CLOSE_ON_FREE);
	ssl = tls_client_new(b->context.tls, b->context.host);
	if (!ssl)
		return NULL;
	/* Libevent would not notice bytes that libssl has read ahead. */
	SSL_set_read_ahead(ssl, 0);
	buffer = bufferevent_openssl_socket_new(b->context.base, fd, ssl,
						BUFFEREVENT_SSL_CONNECTING,
						BEV_OPT_CLOSE_ON_FREE);
	/* JVMs close RMI connections without close_notify. */
	if (buffer && b->jvm)
		bufferevent_openssl_set_allow_dirty_shutdown(buffer, 1);
	if (!buffer)
		SSL_free(ssl);
	return buffer;
}

static void backend_on_dialled(void *self, evutil_socket_t fd,
			       const struct error *err)
{
	struct backend *b = self;
	struct timeval limit = socket_timeval(b->context.connect_ns);

	b->dial = NULL;
	backend_leave_list(b);
	if (fd < 0) {
		b->context.events->ended(b->context.self, b, err, false);
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
	bufferevent_setwatermark(b->buffer, EV_READ, 0, b->context.waiting_max);
	if (b->jvm && !b->is_to_shut)
		bufferevent_setwatermark(b->buffer, EV_WRITE,
					 b->context.waiting_max / 2, 0);
	evtimer_add(b->limit, &limit);
	bufferevent_enable(b->buffer, EV_READ | EV_WRITE);
	if (b->endpoint.tls == ENDPOINT_TLS)
		b->state = BACKEND_SHAKING;
	else
		backend_greet(b);
}

static void backend_dial(struct backend *b)
{
	struct dialer *d = b->context.dialer;

	b->state = BACKEND_DIALLING;
	b->dial = d->ops->begin(d, b->endpoint.port, b->context.connect_ns,
				backend_on_dialled, b);
}

struct backend *backend_new(const struct backend_context *context,
			    struct upstream *jvm, struct endpoint endpoint)
{
	struct backend *b = xcalloc(1, sizeof(*b));

	b->context = *context;
	b->jvm = jvm;
	b->endpoint = endpoint;
	b->limit = evtimer_new(context->base, backend_on_limit, b);
	if (!b->limit)
		alloc_give_up(sizeof(*b));
	backend_dial(b);
	return b;
}

struct backend *backend_new_rmi(struct backend_context context,
				struct upstream *jvm, struct endpoint endpoint)
{
	context.title = jvm->title;
	context.host = jvm->host;
	context.dialer = jvm->dialer;
	context.waiting_max = BACKEND_WAITING_MAX;
	return backend_new(&context, jvm, endpoint);
}

void backend_leave_list(struct backend *b)
{
	if (b->list)
		TAILQ_REMOVE(b->list, b, link);
	b->list = NULL;
}

void backend_take_over(struct backend *b, struct backend *from)
{
	backend_leave_list(b);
	b->dial->dialer->ops->cancel(b->dial);
	b->dial = NULL;
	b->buffer = from->buffer;
	from->buffer = NULL;
	backend_free(from);
	bufferevent_setcb(b->buffer, backend_on_read, backend_on_write,
			  backend_on_event, b);
	bufferevent_enable(b->buffer, EV_READ);
	backend_become_ready(b);
}

void backend_free(struct backend *b)
{
	if (!b)
		return;
	backend_leave_list(b);
	if (b->dial)
		b->dial->dialer->ops->cancel(b->dial);
	backend_drop_buffer(b);
	if (b->in)
		evbuffer_free(b->in);
	event_free(b->limit);
	if (b->waiting.cap)
		explicit_bzero(b->waiting.bytes, b->waiting.cap);
	text_release(&b->waiting);
	free(b);
}

bool backend_is_tls(const struct backend *b)
{
	return b->endpoint.tls == ENDPOINT_TLS;
}

bool backend_require_tls(struct backend *b)
{
	b->requires_tls = true;
	return b->state != BACKEND_READY || backend_is_tls(b);
}

void backend_send(struct backend *b, struct text *bytes)
{
	if (b->state == BACKEND_READY && bytes->len > COPIED_MAX) {
		backend_write_wiped(b, bytes);
		return;
	}
	text_add(&b->waiting, bytes->bytes, bytes->len);
	explicit_bzero(bytes->bytes, bytes->len);
	text_release(bytes);
	if (b->state == BACKEND_READY)
		backend_write_wiped(b, &b->waiting);
}

bool backend_is_full(const struct backend *b)
{
	if (b->state != BACKEND_READY)
		return b->waiting.len > 0;
	return evbuffer_get_length(bufferevent_get_output(b->buffer)) >
	       BACKEND_WAITING_MAX;
}

struct evbuffer *backend_input(struct backend *b)
{
	return bufferevent_get_input(b->buffer);
}

void backend_pause(struct backend *b, bool paused)
{
	if (b->state != BACKEND_READY)
		return;
	if (paused)
		bufferevent_disable(b->buffer, EV_READ);
	else if (bufferevent_enable(b->buffer, EV_READ) == 0)
		socket_pull(b->buffer);
}

void backend_shut(struct backend *b)
{
	b->is_to_shut = true;
	if (b->buffer)
		bufferevent_setwatermark(b->buffer, EV_WRITE, 0, 0);
	backend_shut_if_due(b);
}
