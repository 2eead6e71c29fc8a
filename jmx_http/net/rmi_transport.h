/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_transport: bytes to a server and back, by a deadline: over a socket, or
 * by TLS over another transport.
 */
#ifndef JMX_HTTP_NET_RMI_TRANSPORT_H
#define JMX_HTTP_NET_RMI_TRANSPORT_H

#include "core/base/error.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/net/tls.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rmi_transport;

/*
 * Deadlines are of clock_monotonic_ns().  An operation that misses its deadline
 * fails with ERROR_REFUSED, and sys is ETIMEDOUT.
 */
struct rmi_transport_kind {
	/* Returns the number of bytes read, at most len; 0: the end; -1. */
	ssize_t (*read)(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err);
	/* Writes all bytes, or returns -1. */
	int (*write)(struct rmi_transport *t, const void *bytes, size_t len,
		     int64_t deadline_ns, struct error *err);
	/* Closes and frees t. */
	void (*close)(struct rmi_transport *t);
};

/* The first member of each kind's own struct. */
struct rmi_transport {
	const struct rmi_transport_kind *kind;
	struct sockaddr_storage local, peer; /* ends of the connection */
};

/*
 * Connects by a dialer, as dialer_dial(), whose errors it has: a dialer yields
 * a socket, or a transport of its own where its connections are not sockets.
 * Sets a->list and a->count where the dialer knows the addresses.
 */
struct rmi_transport *rmi_transport_dial(struct dialer *d,
					 struct net_address *a,
					 int64_t deadline_ns,
					 struct error *err);

/* Returns a transport that owns a connected socket; makes it non-blocking. */
struct rmi_transport *rmi_tcp_over(int fd);

/*
 * Performs a TLS handshake over t as a client.  host is the name that the
 * certificate must contain; it is sent as SNI unless it is an address.  Takes t
 * in any case.  NULL and *err on failure: ERROR_REFUSED, and ERROR_PERMISSION
 * when a client certificate is required or rejected.  *report is filled as far
 * as the handshake got, unless NULL; tls_report_release() is due.
 *
 * A server with TLS 1.3 may reject a client certificate only when it is first
 * read from: that read fails, with the alert's words.
 */
struct rmi_transport *rmi_tls_connect(struct rmi_transport *t, SSL_CTX *context,
				      const char *host, int64_t deadline_ns,
				      struct tls_report *report,
				      struct error *err);

/* NULL is fine. */
void rmi_transport_close(struct rmi_transport *t);

#endif
