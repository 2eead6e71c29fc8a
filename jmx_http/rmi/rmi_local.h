/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_local: finds the JMX connectors of a JVM on this machine.
 *
 * A JVM publishes the address of a running local JMX connector in its counters.
 * Otherwise the JVM can start one on request, which stays until the JVM exits.
 * The connector listens only on loopback, in the JVM's own network namespace.
 */
#ifndef JMX_HTTP_RMI_RMI_LOCAL_H
#define JMX_HTTP_RMI_RMI_LOCAL_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

/* The connectors of a JVM.  Texts are foreign, and empty if unset. */
struct rmi_local {
	struct text url;  /* of the local JMX connector: service:jmx:… */
	uint16_t port;    /* of the local JMX connector; 0: none */
	bool was_started; /* sjkc has just started the local JMX connector */
	/* The configuration for remote clients. */
	bool has_remote;
	struct text remote_url;
	uint16_t remote_port; /* of its registry; 0: unknown */
	bool authenticate, ssl, registry_ssl, need_client_auth;
	/* com.sun.management.…=… of the command line, one per line. */
	struct text properties;
};

/*
 * Reads the counters and the command line, without a request to the JVM.  Also
 * returns 0 if they contain nothing about JMX.  -1 and ERROR_NO_TARGET if the
 * JVM has exited.
 */
int rmi_local_look(struct rmi_local *l, const struct jvm *jvm,
		   struct error *err);

/*
 * Finds the local JMX connector.  If none runs, calls starting and makes the
 * JVM start one; with starting NULL: -1 and ERROR_UNAVAILABLE.  Other errors
 * are those of attach_open().  Accepts only an address with a stub whose port
 * the JVM itself listens on, if sockets are visible.  The caller calls
 * rmi_local_release() in any case.
 */
int rmi_local_find(struct rmi_local *l, const struct jvm *jvm,
		   void (*starting)(const struct jvm *jvm), int64_t timeout_ns,
		   struct error *err);

/* Reads the remote agent from the reply to ManagementAgent.status (JDK 9). */
void rmi_local_read_status(struct rmi_local *l, const struct text *status);

void rmi_local_release(struct rmi_local *l); /* zeroed storage is fine */

#endif
