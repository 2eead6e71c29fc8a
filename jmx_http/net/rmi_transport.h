/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_transport: reads and writes bytes with deadlines, over a socket or by TLS
 * over another transport.
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
 * Deadlines are times of clock_monotonic_ns().  An operation that misses its
 * deadline fails with ERROR_REFUSED, and err->sys is ETIMEDOUT.
 */
struct rmi_transport_kind {
	/* Returns the number of bytes read; 0 at the end; -1 and *err. */
	ssize_t (*read)(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err);
	/* Writes all bytes; -1 and *err. */
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
 * Connects by a dialer; errors and a->list as in dialer_dial().  A dialer whose
 * connections are not sockets makes its own transport.
 */
struct rmi_transport *rmi_transport_dial(struct dialer *d,
					 struct net_address *a,
					 int64_t deadline_ns,
					 struct error *err);

/* Returns a transport that owns a connected socket; makes it non-blocking. */
struct rmi_transport *rmi_tcp_over(int fd);

/*
 * Performs a TLS handshake over t as a client, and takes ownership of t.  host
 * is the name that the certificate must contain; it is sent as SNI unless it is
 * an address.  NULL and *err on failure: ERROR_PERMISSION if a client
 * certificate is required or rejected, else ERROR_REFUSED.  report may be NULL;
 * otherwise it describes the handshake, even a failed one, and the caller calls
 * tls_report_release().
 *
 * With TLS 1.3, a server may reject a client certificate after the handshake:
 * then the first read fails with the server's alert.
 */
struct rmi_transport *rmi_tls_connect(struct rmi_transport *t, SSL_CTX *context,
				      const char *host, int64_t deadline_ns,
				      struct tls_report *report,
				      struct error *err);

/* NULL is fine. */
void rmi_transport_close(struct rmi_transport *t);

#endif
