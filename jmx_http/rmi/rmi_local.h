/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_local: the JMX of a JVM on this machine, by its pid.
 *
 * A JVM whose agent runs publishes the address of its local connector in its
 * counters.  Otherwise the JVM can be asked to start one, which stays until the
 * JVM exits.  The connector listens on loopback only, in the JVM's own network
 * namespace.
 */
#ifndef JMX_HTTP_RMI_RMI_LOCAL_H
#define JMX_HTTP_RMI_RMI_LOCAL_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

/* The JMX of a JVM; texts are foreign, and empty when unset. */
struct rmi_local {
	struct text url;  /* of the local connector: service:jmx:… */
	uint16_t port;    /* of the local connector; 0: none */
	bool was_started; /* sjkc has just started it */
	/* The configuration for remote clients. */
	bool has_remote;
	struct text remote_url;
	uint16_t remote_port; /* of its registry; 0: unknown */
	bool authenticate, ssl, registry_ssl, need_client_auth;
	/* com.sun.management.…=… of its command line, one per line. */
	struct text properties;
};

/*
 * Reads the counters and the command line, without a request to the JVM.
 * Succeeds when they contain nothing about JMX.  ERROR_NO_TARGET when the JVM
 * has exited.
 */
int rmi_local_look(struct rmi_local *l, const struct jvm *jvm,
		   struct error *err);

/*
 * Finds out where the local connector is.  Where none runs, calls starting and
 * has the JVM start one; starting NULL: fails with ERROR_UNAVAILABLE.  Else
 * fails as attach_open().  An address is believed when it is that of a stub,
 * and of a port on which the JVM itself listens, so far as that can be seen.
 * rmi_local_release() is due in any case.
 */
int rmi_local_find(struct rmi_local *l, const struct jvm *jvm,
		   void (*starting)(const struct jvm *jvm), int64_t timeout_ns,
		   struct error *err);

/* Reads the remote agent's part of ManagementAgent.status (JDK 9 on). */
void rmi_local_take_status(struct rmi_local *l, const struct text *status);

void rmi_local_release(struct rmi_local *l); /* zeroed storage is fine */

#endif
