/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialer: who connects the proxy to a JVM's ports, whatever is between.
 *
 * A dialer is for one machine, or one container; it is told the port only, so
 * that no peer can have it connect elsewhere.
 */
#ifndef JMX_HTTP_NET_DIALER_H
#define JMX_HTTP_NET_DIALER_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/rmi_address.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

struct dialer;

/* A connection that is being made.  The first member of a dialer's own. */
struct dial {
	struct dialer *dialer;
};

/*
 * Has the connected socket, non-blocking and close-on-exec, which is its to
 * close; or fd is -1, and err says why: ERROR_NO_TARGET when nothing listens,
 * else ERROR_REFUSED.  The dial is over.
 */
typedef void dial_done_fn(void *self, evutil_socket_t fd,
			  const struct error *err);

struct dialer_ops {
	/*
	 * Begins to connect to a port.  done is called once, from the loop,
	 * never before this returns, unless the dial is cancelled before.
	 */
	struct dial *(*begin)(struct dialer *d, uint16_t port,
			      int64_t timeout_ns, dial_done_fn *done,
			      void *self);
	/* Ends a dial that is not over; frees it. */
	void (*cancel)(struct dial *dial);
	void (*free)(struct dialer *d);
	/*
	 * Appends what is known of why a connection has just ended without an
	 * answer, foreign; or nothing.  May be NULL.
	 */
	void (*why)(struct dialer *d, struct text *out);
	bool goes_anywhere; /* to whatever port the JVM has */
};

/* The first member of every dialer's own struct. */
struct dialer {
	const struct dialer_ops *ops;
};

/*
 * By TCP, to the addresses of a host, one after the other.  They were looked up
 * before, and are those for as long as one of them takes a connection; else the
 * name is looked up again, for the next dial, by DNS and /etc/hosts.
 */
struct dialer *tcp_dialer_new(struct event_base *base,
			      const struct rmi_address *address);

/* NULL is fine. */
void dialer_free(struct dialer *d);

#endif
