/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_local: the JMX of a JVM on this machine, by its pid.
 *
 * A JVM whose agent runs says in its counters where its local connector is.
 * Where none runs, the JVM can be asked to start one, which then stays until
 * the JVM ends.  The connector listens on loopback only: that of the JVM's own
 * network namespace.
 */
#ifndef JMX_HTTP_RMI_RMI_LOCAL_H
#define JMX_HTTP_RMI_RMI_LOCAL_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

/* What a JVM says of its JMX; texts are foreign, and empty for none. */
struct rmi_local {
	struct text url;  /* of the local connector: service:jmx:… */
	uint16_t port;    /* it listens on; 0 without */
	bool was_started; /* by us, just now: it stays */
	/* What was configured for clients from elsewhere. */
	bool has_remote;
	struct text remote_url;
	uint16_t remote_port; /* of its registry; 0: not known */
	bool authenticate, ssl, registry_ssl, need_client_auth;
	/* com.sun.management.…=… of its command line, a line each. */
	struct text properties;
};

/*
 * Finds out without asking the JVM: from its counters and its command line.
 * The JVM is only asked, by rmi_local_find(), where that did not tell.
 * ERROR_NO_TARGET when it has ended; without a counter and without a word on
 * the command line nothing is found, which is no failure.
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

/* Takes what ManagementAgent.status (JDK 9 on) says of the remote agent. */
void rmi_local_take_status(struct rmi_local *l, const struct text *status);

void rmi_local_release(struct rmi_local *l); /* zeroed storage is fine */

#endif
