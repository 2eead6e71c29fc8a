/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend: a connection of the proxy to a port of a JVM, by RMI, or to a
 * Jolokia agent, by HTTP.
 *
 *	DIALLING -> SHAKING (TLS) -> GREETING (RMI) -> READY
 *	    ^______________________________/
 *	         the RMI server speaks TLS: dial again
 */
#ifndef JMX_HTTP_PROXY_BACKEND_H
#define JMX_HTTP_PROXY_BACKEND_H

#include "jmx_http/proxy/upstream.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <openssl/ssl.h>
#include <sys/queue.h>

struct backend;

/* Each callback may free the backend. */
struct backend_events {
	/* Bytes may be sent at once.  NULL: backend_send() suffices. */
	void (*ready)(void *self, struct backend *b);
	/* Bytes have arrived at the input of b->buffer. */
	void (*arrived)(void *self, struct backend *b);
	/*
	 * Few bytes wait to be written: waiting_max / 2, or none by HTTP.
	 * NULL: ignored.
	 */
	void (*drained)(void *self, struct backend *b);
	/*
	 * The connection failed: *err; NULL: the server closed it, properly
	 * unless is_cut, which is of HTTP.
	 */
	void (*ended)(void *self, struct backend *b, const struct error *err,
		      bool is_cut);
};

/* A server, how to connect to it, and who receives the events; borrowed. */
struct backend_context {
	struct event_base *base;
	const char *title; /* for messages */
	const char *host;  /* that the certificate must name */
	struct dialer *dialer;
	SSL_CTX *tls;       /* NULL: TLS is not available */
	int64_t connect_ns; /* limit until the server may receive calls */
	size_t waiting_max; /* bytes to read ahead of the client */
	const struct backend_events *events;
	void *self;
};

#define BACKEND_WAITING_MAX ((size_t)32 << 10) /* of RMI, in each direction */

enum backend_state {
	BACKEND_DIALLING,
	BACKEND_SHAKING, /* TLS handshake */
	BACKEND_GREETING,
	BACKEND_READY,
};

TAILQ_HEAD(backend_list, backend);

struct backend {
	enum backend_state state;
	struct endpoint endpoint;
	struct bufferevent *buffer; /* NULL in BACKEND_DIALLING */
	struct event *limit;        /* until BACKEND_READY, or while idle */
	struct upstream *jvm;       /* NULL: by HTTP */
	/* Set by the session: a return was forwarded without finding its end */
	bool is_unparsed;

	/* Of http_agent.c. */
	struct http_agent *agent;
	bool is_reused;            /* has served a request before */
	struct evbuffer *in;       /* bytes that were read from the buffer */
	struct backend_list *list; /* one of the agent's, or NULL */
	TAILQ_ENTRY(backend) link;

	/* Private from here on. */
	struct backend_context context;
	struct dial *dial;
	struct text waiting;
	bool is_to_shut; /* after all output is written */
	bool requires_tls;
	bool is_again; /* the second attempt to connect */
};

/*
 * Starts to connect to a port of the server: of a JVM, which is borrowed, or by
 * HTTP if jvm is NULL.  The caller calls backend_free().
 */
struct backend *backend_new(const struct backend_context *context,
			    struct upstream *jvm, struct endpoint endpoint);

/*
 * As backend_new(), to a port of a JVM.  The context lacks what the JVM has:
 * title, host, dialer and waiting_max.
 */
struct backend *backend_new_rmi(struct backend_context context,
				struct upstream *jvm, struct endpoint endpoint);

/* Returns true if the connection uses TLS or will use it. */
bool backend_is_tls(const struct backend *b);

/*
 * Requires TLS.  Returns false if the backend is ready and has no TLS.  If it
 * is not ready yet and turns out to have no TLS, it calls ended() later.
 */
bool backend_require_tls(struct backend *b);

/* Closes the connection and frees b; no callback follows.  NULL is fine. */
void backend_free(struct backend *b);

/* Removes b from its list, if it is in one. */
void backend_leave_list(struct backend *b);

/*
 * Ends the attempt of b to connect, gives b the connection of `from`, and frees
 * `from`.
 */
void backend_take_over(struct backend *b, struct backend *from);

/*
 * Sends the bytes, or queues them until the backend is ready; takes their
 * memory, and wipes it afterwards.
 */
void backend_send(struct backend *b, struct text *bytes);

/* True while more than BACKEND_WAITING_MAX bytes wait to be written. */
bool backend_is_full(const struct backend *b);

/* Returns the bytes that have arrived at a ready backend, which owns them. */
struct evbuffer *backend_input(struct backend *b);

/* Stops or resumes reading, for a client that reads slowly. */
void backend_pause(struct backend *b, bool paused);

/* Closes the sending direction after all output is written. */
void backend_shut(struct backend *b);

#endif
