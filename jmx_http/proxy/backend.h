/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend: the connection of a session to one port of its JVM.
 *
 *	DIALLING -> SHAKING (TLS) -> GREETING (RMI) -> READY
 *	    ^______________________________/
 *	         the server speaks TLS: dial again
 *
 * backend_send() queues bytes until the backend is ready.
 */
#ifndef JMX_HTTP_PROXY_BACKEND_H
#define JMX_HTTP_PROXY_BACKEND_H

#include "jmx_http/proxy/upstream.h"

#include <event2/bufferevent.h>
#include <openssl/ssl.h>

struct backend;

/* Each callback may free the backend. */
struct backend_events {
	/* Bytes have arrived in backend_input(). */
	void (*arrived)(void *self, struct backend *b);
	/* Fewer than BACKEND_WAITING_MAX bytes wait to be written. */
	void (*drained)(void *self, struct backend *b);
	/* The connection failed: *err; NULL: the JVM closed it. */
	void (*ended)(void *self, struct backend *b, const struct error *err);
};

#define BACKEND_WAITING_MAX ((size_t)32 << 10) /* bytes in each direction */

struct backend_context {
	struct event_base *base;
	SSL_CTX *tls;       /* NULL: TLS is not available */
	int64_t connect_ns; /* limit until the greeting has arrived */
	const struct backend_events *events;
	void *self;
};

enum backend_state {
	BACKEND_DIALLING,
	BACKEND_SHAKING, /* TLS handshake */
	BACKEND_GREETING,
	BACKEND_READY,
};

struct backend {
	enum backend_state state;
	struct endpoint endpoint;
	struct bufferevent *buffer; /* NULL in BACKEND_DIALLING */
	/* Set by the session: a return was forwarded without finding its end */
	bool is_unparsed;

	/* Private from here on. */
	struct backend_context context;
	struct upstream *jvm;
	struct dial *dial;
	struct event *limit; /* until BACKEND_READY */
	struct text waiting;
	bool is_to_shut; /* after all output is written */
	bool requires_tls;
	bool is_again; /* the second attempt to connect */
};

/*
 * Starts to connect to the endpoint of a JVM, which is borrowed.  The caller
 * calls backend_free().
 */
struct backend *backend_new(const struct backend_context *context,
			    struct upstream *jvm, struct endpoint endpoint);

/* Returns true if the connection uses TLS or will use it. */
bool backend_is_tls(const struct backend *b);

/*
 * Requires TLS.  Returns false if the backend is ready and has no TLS.  If it
 * is not ready yet and turns out to have no TLS, it calls ended() later.
 */
bool backend_require_tls(struct backend *b);

/* Closes the connection and frees b; NULL is fine. */
void backend_free(struct backend *b);

/* Sends the bytes, takes their memory, and wipes it afterwards. */
void backend_send(struct backend *b, struct text *bytes);

/* True while more than BACKEND_WAITING_MAX bytes wait to be written. */
bool backend_is_full(const struct backend *b);

/*
 * Returns the bytes that have arrived; the backend owns the buffer and must be
 * ready.
 */
struct evbuffer *backend_input(struct backend *b);

/*
 * Moves bytes that arrive to out until it holds max bytes.  Libevent reads
 * 4 KiB at a time, which is slow for large replies.
 */
void backend_read_into(struct backend *b, struct evbuffer *out, size_t max);

/* Stops or resumes reading, for a client that reads slowly. */
void backend_pause(struct backend *b, bool paused);

/* Closes the sending direction after all output is written. */
void backend_shut(struct backend *b);

#endif
