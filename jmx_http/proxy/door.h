/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door: the event loop, listening sockets, limits, messages and shutdown, which
 * all fronts of the proxy share.
 *
 *	door ─┬─ RMI front, one for each JVM ── session ────── backend ── dialer
 *	      ├─ HTTP front ─────────────────── http_session ─ backend ── dialer
 *	      └─ SOCKS front ────────────────── client ─────── relay ──── dialer
 *
 * A front speaks one protocol to its clients.  The door accepts a connection,
 * checks --allow and the limits, and hands it to the front, which registers the
 * client.  The door has the client's stream and its time limit, and frees a
 * client that has ended from the event loop, when none of its callbacks runs.
 * All waits are libevent's; there is one thread.
 */
#ifndef JMX_HTTP_PROXY_DOOR_H
#define JMX_HTTP_PROXY_DOOR_H

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/cidr.h"
#include "jmx_http/proxy/policy.h"

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* A finished call.  Texts are foreign, and "" if absent. */
struct proxy_call {
	const char *client;        /* "127.0.0.1:50000" */
	const char *target;        /* the JVM's title */
	const char *method;        /* "getAttribute" */
	const char *object;        /* the MBean's name */
	const char *member;        /* attribute or operation */
	const char *refused;       /* why it was not forwarded */
	bool is_exception;         /* the method threw an exception */
	uint64_t request_len, len; /* bytes of the call and of the return */
	int64_t ns;                /* duration until the last byte */
};

/*
 * A client's last call, for any protocol, until it is printed.  Zeroed: none.
 *
 * The proxy forwards most returns without parsing them, so it cannot see where
 * a return ends.  A call is over when the next call begins, or when no byte has
 * arrived for a while.
 */
struct call_log {
	const char *method; /* NULL: no call */
	struct text object, member;
	const char *refused;
	uint64_t request_len, len;
	int64_t begin_ns, end_ns; /* until the last byte of the return */
	bool is_exception;
};

struct door_options {
	/* Maximum number of clients of all fronts, and of one address. */
	size_t clients_max, clients_per_host_max;
	int64_t hello_ns;    /* limit for a client's first message */
	int64_t connect_ns;  /* limit for a JVM to connect and greet */
	int64_t shutdown_ns; /* limit for running calls after a signal */
	bool read_only;      /* forward only calls that change nothing */
	bool tls_required;   /* forward calls only over TLS */
	/* Networks that may connect, beside loopback; borrowed.  None: all. */
	const struct cidr *allowed;
	size_t allowed_count;
	SSL_CTX *to_jvm, *to_client; /* borrowed; NULL: no TLS on that side */
	/* Receives a message without newline; contains foreign text. */
	void (*report)(void *self, const char *line);
	/* Receives each finished call; may be NULL. */
	void (*call)(void *self, const struct proxy_call *call);
	void *self;
};

struct door_front;
struct door_client;

struct door_front_ops {
	/*
	 * Receives an accepted connection; the front owns fd.  Calls
	 * door_enter() for the client.
	 */
	void (*begin)(struct door_front *f, evutil_socket_t fd,
		      const struct sockaddr_storage *peer);
	/*
	 * Called ten times a second during shutdown: ends the client unless one
	 * of its calls is running.  May free any number of clients.
	 */
	void (*drain)(struct door_client *c);
	/* Called five times a second if calls are logged; may be NULL. */
	void (*tick)(struct door_client *c);
	/* The time of door_client_limit() is over. */
	void (*on_limit)(struct door_client *c);
	/* Ends and frees the client; calls door_leave(). */
	void (*free_client)(struct door_client *c);
	void (*free)(struct door_front *f); /* after its clients */
};

/* The first member of each front's own struct. */
struct door_front {
	const struct door_front_ops *ops;
	const char *title; /* for messages: "10.0.0.7:9010", "SOCKS" */

	/* Private to the door. */
	struct door *door;
	struct door_front *next;
	struct evconnlistener *listener;
};

/* The first member of each front's struct for a client. */
struct door_client {
	struct door_front *front;
	struct sockaddr_storage peer;
	struct bufferevent *stream; /* NULL: given away */
	bool is_tls;                /* the stream uses TLS */

	/* Private to the door. */
	struct door_client *next, **at;
	size_t memory;
	bool is_trusted, is_dead;
	struct event *timer;
	int64_t deadline_ns; /* 0: none */
	int64_t armed_ns;    /* when the timer fires; 0: it does not */
};

/*
 * While the door shuts down, a reply whose length is unknown is complete after
 * this time without a byte.
 */
#define DOOR_STILL_NS    (2 * CLOCK_NS_PER_S)

#define DOOR_LIMITED_MAX 16

/* A rate-limited message. */
struct door_message {
	const char *about;
	int64_t quiet_until_ns;
	uint64_t suppressed;
};

struct door {
	struct event_base *base;
	struct door_options options;

	/* Private. */
	struct door_front *fronts;
	struct door_client *clients; /* fronts may read the list */
	size_t client_count;
	size_t memory, untrusted_memory;
	int reserve; /* descriptor to close if no other is free */
	bool is_draining;
	struct door_message messages[DOOR_LIMITED_MAX];
};

/* NULL and *err if libevent cannot create an event loop. */
struct door *door_new(const struct door_options *options, struct error *err);

/*
 * Listens for clients of a front, whose ops and title are set, and takes
 * ownership of the front.  Returns the port; or -1 and *err, ERROR_REFUSED if
 * the address cannot be bound: then the caller still owns the front.
 */
int door_listen(struct door *d, struct door_front *f,
		const struct sockaddr_storage *bind, struct error *err);

/*
 * Serves clients until SIGINT or SIGTERM, then finishes running calls for at
 * most shutdown_ns.  A second signal has the effect it had before door_run().
 */
int door_run(struct door *d, struct error *err);

/* Frees clients, fronts and the door; NULL is fine. */
void door_free(struct door *d);

/*
 * Registers a client of the front, which counts against the limits, and creates
 * its stream over fd.
 */
void door_enter(struct door_front *f, struct door_client *c, evutil_socket_t fd,
		const struct sockaddr_storage *peer);

/* Closes the stream of a client, and forgets the client. */
void door_leave(struct door_client *c);

/* Makes the stream, of which nothing was read, accept TLS from the client. */
void door_client_accept_tls(struct door_client *c);

/*
 * Returns true, and goes on writing, if the client may still read after this
 * event of its stream: it has only closed its sending direction.
 */
bool door_client_may_read(struct door_client *c, short what);

/* Calls on_limit() after ns, unless the limit is set again; ns 0: never. */
void door_client_limit(struct door_client *c, int64_t ns);

/*
 * Ends the client: stops the callbacks of its stream, and calls free_client()
 * from the event loop.
 */
void door_client_die(struct door_client *c);

/*
 * Prints "TITLE: client HOST EVENT: WHY", limited as door_report_limited();
 * event: "disconnected", or NULL.
 */
void door_client_report(const struct door_client *c, const char *about,
			const char *event, const char *why);

/*
 * Sets the memory, in bytes, of the message that the client is sending.  All
 * clients share one budget; clients without a login share a small part of it.
 * False if the budget is exceeded: the front must disconnect the client.
 */
bool door_set_memory(struct door_client *c, size_t bytes, bool is_trusted);

/* Starts a call.  Keeps its names, but never its arguments. */
void call_log_begin(struct call_log *l, const struct policy_call *c,
		    size_t request_len);

/* Adds a number of bytes of the return. */
void call_log_add(struct call_log *l, size_t len);

/* True if bytes of the return arrived, but none since since_ns. */
bool call_log_is_over(const struct call_log *l, int64_t since_ns);

void call_log_release(struct call_log *l); /* leaves no call */

/*
 * Prints a call of the client to a target with this title, and releases it. The
 * door logs calls.
 */
void door_log_call(const struct door_client *c, struct call_log *l,
		   const char *target);

/* Prints a message. */
void door_report(struct door *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Prints a message that clients can cause, at most once in ten seconds, and the
 * number of messages suppressed meanwhile.  Messages with the same address in
 * about count as the same message; NULL: fmt.
 */
void door_report_limited(struct door *d, const char *about, const char *fmt,
			 ...) __attribute__((format(printf, 3, 4)));

#endif
