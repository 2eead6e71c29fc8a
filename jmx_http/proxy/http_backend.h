/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_backend: connections of the HTTP proxy to one Jolokia agent.
 *
 * A connection serves one request at a time.  Afterwards it is idle for a few
 * seconds, for the next request of any client; idle connections are bounded.
 */
#ifndef JMX_HTTP_PROXY_HTTP_BACKEND_H
#define JMX_HTTP_PROXY_HTTP_BACKEND_H

#include "jmx_http/net/dialer.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

#define HTTP_IDLE_MAX    32                 /* idle connections to an agent */
#define HTTP_WAITING_MAX ((size_t)64 << 10) /* bytes in each direction */

struct http_backend;

/* An agent.  The owner sets the upper part. */
struct http_agent {
	const char *title;     /* for messages; borrowed */
	const char *tls_host;  /* that the certificate must name; borrowed */
	struct dialer *dialer; /* borrowed */
	uint16_t port;
	struct event_base *base;
	SSL_CTX *tls; /* NULL: no TLS */
	int64_t connect_ns;

	/* Private. */
	struct http_backend *idle;
	size_t idle_count;
	struct http_backend *dialling, **dialling_end; /* oldest first */
};

/* Each callback may free the backend. */
struct http_backend_events {
	/* Connected: bytes may be sent. */
	void (*ready)(void *self);
	/* Bytes have arrived at the backend's input. */
	void (*arrived)(void *self);
	/* All bytes were written. */
	void (*drained)(void *self);
	/*
	 * The connection failed: *err; NULL: the agent closed it, properly
	 * unless is_cut.
	 */
	void (*ended)(void *self, const struct error *err, bool is_cut);
};

/*
 * Returns a connection that is idle, or starts to connect; may_reuse: false
 * for a new one in any case.
 */
struct http_backend *http_backend_get(struct http_agent *a, bool may_reuse,
				      const struct http_backend_events *events,
				      void *self);

/* Returns true if the connection has served a request before. */
bool http_backend_is_reused(const struct http_backend *b);

bool http_backend_is_ready(const struct http_backend *b);

/* Sends and empties bytes; the backend is ready. */
void http_backend_send(struct http_backend *b, struct evbuffer *bytes);

/* The number of bytes that wait to be written. */
size_t http_backend_waiting(const struct http_backend *b);

/* The bytes that have arrived, of a backend that is ready. */
struct evbuffer *http_backend_input(struct http_backend *b);

/* Reads more, at most HTTP_WAITING_MAX; false when nothing more has come. */
bool http_backend_fill(struct http_backend *b);

/* Stops or resumes reading. */
void http_backend_pause(struct http_backend *b, bool paused);

/*
 * Keeps the connection for another request, or gives it to a backend that waits
 * for a connection of a bounded dialer; no callback for b follows.
 */
void http_backend_put_back(struct http_backend *b);

/* Closes the connection; no callback follows.  NULL is fine. */
void http_backend_free(struct http_backend *b);

/* Closes the idle connections of an agent. */
void http_agent_release(struct http_agent *a);

/*
 * Sends bytes, and empties them.  Libevent writes only after another turn of
 * its loop, so this writes at once as much as the socket takes.
 */
void http_stream_send(struct bufferevent *to, struct evbuffer *bytes);

/*
 * Moves bytes that have arrived to in until it holds HTTP_WAITING_MAX.
 * Libevent reads 4 KiB a turn.  False when nothing was moved.
 */
bool http_stream_fill(struct bufferevent *from, struct evbuffer *in);

#endif
