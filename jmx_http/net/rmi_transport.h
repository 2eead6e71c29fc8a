/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_transport: bytes to a server and back, by a deadline.
 *
 * TCP is one kind; TLS (rmi_tls.h) is another, around any.
 */
#ifndef JMX_HTTP_NET_RMI_TRANSPORT_H
#define JMX_HTTP_NET_RMI_TRANSPORT_H

#include "core/base/error.h"
#include "jmx_http/net/rmi_address.h"

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
 * Connects to the first address of a, which is resolved, that takes it; each
 * gets its part of the time.  The first gives a socket, to be used without
 * waiting, the second a transport.  Fails with sys set to what errno said of
 * the last: ERROR_NO_TARGET when nothing is there or nothing listens, else
 * ERROR_REFUSED.
 */
int rmi_tcp_socket(const struct rmi_address *a, int64_t deadline_ns,
		   struct error *err);
struct rmi_transport *rmi_tcp_connect(const struct rmi_address *a,
				      int64_t deadline_ns, struct error *err);

/* What it means that connect(2) failed with that errno, as above. */
enum error_kind rmi_connect_kind(int sys);

/*
 * Who connects to a host and port.  The first member of every dialer's own
 * struct; it outlives what it gives.
 */
struct rmi_dialer {
	/*
	 * Resolves a, whose host and port are set, where that is its business,
	 * and connects; NULL and *err as rmi_tcp_connect() and
	 * rmi_address_resolve().
	 */
	struct rmi_transport *(*dial)(struct rmi_dialer *d,
				      struct rmi_address *a,
				      int64_t deadline_ns, struct error *err);
};

/* From here, by TCP. */
extern struct rmi_dialer rmi_tcp_dialer;

/* Takes a connected socket, which is made non-blocking, for a transport. */
struct rmi_transport *rmi_tcp_over(int fd);

/* NULL is fine. */
void rmi_transport_close(struct rmi_transport *t);

#endif
