/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_lease: a lease on a session's object (RMI's distributed garbage
 * collection).
 *
 * The JVM's own agent keeps sessions without a lease, other servers drop them.
 * A client must renew its lease: if the lease expires, the JVM closes the
 * session (javax.management.remote.rmi.RMIConnectionImpl.unreferenced).
 */
#ifndef JMX_HTTP_RMI_RMI_LEASE_H
#define JMX_HTTP_RMI_RMI_LEASE_H

#include "jmx_http/rmi/jrmp.h"

#include <stdbool.h>

/* A lease is requested for ten minutes, and renewed after four. */
#define RMI_LEASE_RENEW_NS (INT64_C(240) * 1000000000)

/* A zeroed struct has no lease. */
struct rmi_lease {
	/* Private. */
	uint8_t address[8], uid[14]; /* this client's VMID */
	uint64_t sequence;
	unsigned login;   /* number of the session's login; 0: none */
	int64_t taken_ns; /* time of the last request */
	int64_t renew_ns; /* time from a request to the next */
};

/* True if a lease on the session of the login must be requested. */
bool rmi_lease_is_due(const struct rmi_lease *l, unsigned login);

/* Appends the call that requests a lease, and notes the time. */
void rmi_lease_request(struct rmi_lease *l, unsigned login,
		       const struct jrmp_id *session, struct text *out);

/* Reads the return; a JVM may grant less time (java.rmi.dgc.leaseValue). */
void rmi_lease_read(struct rmi_lease *l, const struct java_value *v);

#endif
