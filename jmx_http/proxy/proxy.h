/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy: lets clients of JMX through one port each to JVMs behind.
 *
 *	listener ─ session ─┬─ backend ─ dialer
 *	   │       request  │   (one for each port of the JVM)
 *	   └──── pair ──────┘
 *
 * A session is a client's connection.  What it sends is read by grammar
 * (request), message by message, and only what is whole, valid and allowed
 * (policy) is sent on, byte for byte, to the port that has the object which is
 * called (pair).  Of what comes back, only the returns of two methods are read:
 * they hold stubs, which are rewritten to lead here (rewrite).  All else is
 * passed on as it comes, however much it is, as fast as the client takes it.
 *
 * RMI is half duplex: a client's next message says that the last return is
 * whole, so that where it ends need not be known.
 *
 * All waits are libevent's; there is one thread.  The proxy talks through the
 * functions that it is given.
 */
#ifndef JMX_HTTP_PROXY_PROXY_H
#define JMX_HTTP_PROXY_PROXY_H

#include "core/base/error.h"
#include "jmx_http/net/cidr.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/stub.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proxy;

/* A call that was made; texts are foreign, and "" where there is none. */
struct proxy_call {
	const char *client;        /* "127.0.0.1:50000" */
	const char *target;        /* the pair's title */
	const char *method;        /* "getAttribute" */
	const char *object;        /* the MBean's name */
	const char *member;        /* attribute or operation */
	const char *refused;       /* why it was not passed on */
	bool is_exception;         /* the method threw one */
	uint64_t request_len, len; /* bytes there and back */
	int64_t ns;                /* until the last of them */
};

struct proxy_options {
	size_t clients_max, clients_of_peer_max; /* connections */
	int64_t hello_ns;   /* a client may take to say who it is */
	int64_t connect_ns; /* a JVM may take to answer */
	int64_t drain_ns;   /* what runs when it is to end may take */
	bool read_only;     /* only calls that change nothing pass */
	/* Who may connect, besides this machine; borrowed.  None: anybody. */
	const struct cidr *allowed;
	size_t allowed_count;
	SSL_CTX *to_jvm, *to_client; /* borrowed; NULL: no TLS there */
	/* A line about what happens, foreign text in it, without line feed. */
	void (*say)(void *self, const char *line);
	void (*call)(void *self, const struct proxy_call *call); /* or NULL */
	void *self;
};

struct proxy_pair {
	const char *title; /* the JVM, for messages */
	const char *host;  /* whose certificate its TLS is to show */
	/* Taken, in any case; made over proxy_base(). */
	struct dialer *dialer;
	uint16_t port; /* of its registry */
	/* Or what is behind the name "jmxrmi" of a JVM without one. */
	const struct stub *stub;
	/* Where clients connect; its port may be 0: any. */
	const struct sockaddr_storage *bind;
	/*
	 * Where stubs lead them: NULL is to where the client that asks has
	 * connected; port 0 is that of the listener.
	 */
	const char *advertise_host;
	uint16_t advertise_port;
};

/* NULL and *err when there is no event loop to be had. */
struct proxy *proxy_new(const struct proxy_options *options, struct error *err);

/* For dialers of its pairs. */
struct event_base *proxy_base(struct proxy *p);

/*
 * Adds a JVM and its listener.  Gives the port that it listens on, or -1 and
 * *err: ERROR_REFUSED when it cannot be bound.
 */
int proxy_add(struct proxy *p, const struct proxy_pair *pair,
	      struct error *err);

/*
 * Serves until SIGINT or SIGTERM, and then what is going on, for drain_ns at
 * most; the second signal is as if it were not here.
 */
int proxy_run(struct proxy *p, struct error *err);

void proxy_free(struct proxy *p); /* NULL is fine */

#endif
