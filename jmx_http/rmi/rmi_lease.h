/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_lease: says to a JVM that we hold a session's object.
 *
 * The JVM's own agent keeps it anyway; servers that are made otherwise give it
 * up when nobody has a lease on it.  Who has had one must renew it: when it
 * runs out, the JVM closes the session (javax.management.remote.rmi
 * .RMIConnectionImpl.unreferenced).
 */
#ifndef JMX_HTTP_RMI_RMI_LEASE_H
#define JMX_HTTP_RMI_RMI_LEASE_H

#include "jmx_http/rmi/jrmp.h"

#include <stdbool.h>

/* Ten minutes are asked for; it is renewed before half of them have passed. */
#define RMI_LEASE_RENEW_NS (INT64_C(240) * 1000000000)

/* A zeroed struct has no lease and is to have one. */
struct rmi_lease {
	/* Private. */
	uint8_t address[8], uid[14]; /* who we are: a VMID */
	uint64_t sequence;
	unsigned login;   /* of which session; 0: none */
	int64_t taken_ns; /* when it was asked for last */
	int64_t renew_ns; /* how long that does */
};

/* True when a lease on the session of that login is to be asked for. */
bool rmi_lease_is_due(const struct rmi_lease *l, unsigned login);

/* Appends the call that asks, and notes that it was. */
void rmi_lease_ask(struct rmi_lease *l, unsigned login,
		   const struct jrmp_id *session, struct text *out);

/* What the call returned: a JVM may give less (java.rmi.dgc.leaseValue). */
void rmi_lease_take(struct rmi_lease *l, const struct java_value *v);

#endif
