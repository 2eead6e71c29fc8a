/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_transport: bytes to a server and back, by a deadline.
 *
 * TCP is one kind; TLS (rmi_tls.h) is another, around any.
 */
#ifndef JMX_HTTP_NET_RMI_TRANSPORT_H
#define JMX_HTTP_NET_RMI_TRANSPORT_H

#include "core/base/error.h"
#include "jmx_http/net/dialer.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rmi_transport;

/* Deadlines are of clock_monotonic_ns(); who lets one pass fails with
 * ERROR_REFUSED and sys ETIMEDOUT. */
struct rmi_transport_kind {
	/* Gives how many bytes came, at most len; 0 at the end; -1. */
	ssize_t (*read)(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err);
	/* All of them, or -1. */
	int (*write)(struct rmi_transport *t, const void *bytes, size_t len,
		     int64_t deadline_ns, struct error *err);
	/* Frees t, too. */
	void (*close)(struct rmi_transport *t);
};

/* What each kind begins with. */
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
					 struct rmi_address *a,
					 int64_t deadline_ns,
					 struct error *err);

/* Returns a transport that owns a connected socket; makes it non-blocking. */
struct rmi_transport *rmi_tcp_over(int fd);

/* NULL is fine. */
void rmi_transport_close(struct rmi_transport *t);

#endif
