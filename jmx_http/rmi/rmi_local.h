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
#include "jmx_http/rmi/rmi_transport.h"

/* What a JVM says of its JMX; texts are foreign. */
struct rmi_local {
	struct text url; /* of the local connector: service:jmx:…; or empty */
	bool was_started; /* by us, just now: it stays */
	/* What was configured for clients from elsewhere. */
	bool has_remote;
	struct text remote_url;
	bool authenticate, ssl, registry_ssl, need_client_auth;
	struct text properties; /* com.sun.management.…=…, a line each */
};

/*
 * Finds out.  May start the local connector only when start is true.
 * ERROR_UNAVAILABLE when there is none and none may be started; else as
 * attach_open().
 */
int rmi_local_find(struct rmi_local *l, const struct jvm *jvm, bool start,
		   int64_t timeout_ns, struct error *err);
void rmi_local_release(struct rmi_local *l);

/*
 * A dialer whose connections begin in the JVM's network namespace; jvm is
 * borrowed.  It is &rmi_tcp_dialer when that is ours.  ERROR_PERMISSION when it
 * may not be entered.
 */
struct rmi_dialer *rmi_local_dialer(const struct jvm *jvm, struct error *err);
void rmi_local_dialer_free(struct rmi_dialer *d); /* NULL is fine */

#endif
