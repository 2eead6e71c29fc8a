/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend: a session's connection to one port of its JVM.
 *
 * It is made when it is first written to: dialled, TLS where that is spoken,
 * RMI's greeting.  What was written meanwhile waits.
 */
#ifndef JMX_HTTP_PROXY_BACKEND_H
#define JMX_HTTP_PROXY_BACKEND_H

#include "jmx_http/proxy/upstream.h"

#include <event2/bufferevent.h>
#include <openssl/ssl.h>

struct backend;

/* Each may end the backend. */
struct backend_events {
	/* There are bytes in backend_input(). */
	void (*arrived)(void *self, struct backend *b);
	/* Less waits to be written than BACKEND_WAITING_MAX. */
	void (*drained)(void *self, struct backend *b);
	/* It ended, or could not be made: *err; NULL: the JVM ended it. */
	void (*ended)(void *self, struct backend *b, const struct error *err);
};

#define BACKEND_WAITING_MAX ((size_t)32 << 10) /* bytes either way */

struct backend_context {
	struct event_base *base;
	SSL_CTX *tls;       /* NULL: it cannot be spoken */
	int64_t connect_ns; /* until the greeting has come */
	const struct backend_events *events;
	void *self;
};

enum backend_state {
	BACKEND_DIALLING,
	BACKEND_SHAKING, /* hands, by TLS */
	BACKEND_GREETING,
	BACKEND_READY,
};

struct backend {
	enum backend_state state;
	struct endpoint endpoint;
	struct bufferevent *buffer; /* NULL while it is dialled */

	/* Private from here on. */
	struct backend_context context;
	struct upstream *jvm;
	struct dial *dial;
	struct event *limit; /* for all of it until it is ready */
	struct text waiting;
	bool is_to_shut; /* once all is written */
	bool requires_tls;
};

/* Begins to connect. */
struct backend *backend_new(const struct backend_context *context,
			    struct upstream *jvm, struct endpoint endpoint);

/* True when the connection uses TLS, or will. */
bool backend_is_tls(const struct backend *b);

/*
 * Fails the backend unless it uses TLS: false when it is ready and does not,
 * else by ended() once that is known.
 */
bool backend_require_tls(struct backend *b);

/* Closes it; NULL is fine. */
void backend_free(struct backend *b);

/* Sends a copy of the bytes, which is wiped once it was written. */
void backend_send(struct backend *b, const void *bytes, size_t len);

/* True while more waits to be written than is good. */
bool backend_is_full(const struct backend *b);

/* What has come and was not taken.  The backend is ready. */
struct evbuffer *backend_input(struct backend *b);

/*
 * Reads what has come meanwhile, until out holds so many bytes: libevent takes
 * 4 KiB at a time, which is slow for much.
 */
void backend_read_on(struct backend *b, struct evbuffer *out, size_t max);

/* Stops and goes on to read: who reads is to be waited for. */
void backend_pause(struct backend *b, bool paused);

/* Says that nothing more will be sent. */
void backend_shut(struct backend *b);

#endif
