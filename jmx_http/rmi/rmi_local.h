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

#include "core/attach/attach_peer.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "jmx_http/net/rmi_transport.h"

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
 * Finds out where the local connector is.  May start it only when start is
 * true.  ERROR_UNAVAILABLE when there is none and none may be started; else as
 * attach_open().  An address is believed when it is that of a stub, and of a
 * port on which the JVM itself listens, so far as that can be seen.
 * rmi_local_release() is due in any case.
 */
int rmi_local_find(struct rmi_local *l, const struct jvm *jvm, bool start,
		   int64_t timeout_ns, struct error *err);
/* Takes what ManagementAgent.status (JDK 9 on) says of the remote agent. */
void rmi_local_take_status(struct rmi_local *l, const struct text *status);

void rmi_local_release(struct rmi_local *l); /* zeroed storage is fine */

/*
 * A dialer for the local connector: it connects to the loopback interface, of
 * 127.0.0.1 or else ::1, in the JVM's network namespace, whatever host it is
 * asked for, since a stub's may be one that only others know
 * (java.rmi.server.hostname).  jvm is borrowed.  ERROR_PERMISSION when the
 * namespace may not be entered, ERROR_NO_TARGET when the JVM has ended.
 */
struct rmi_dialer *rmi_local_dialer(const struct jvm *jvm, struct error *err);

/*
 * The same for a JVM's port for others: it connects to the host that it is
 * asked for, from within the JVM's network.  Names are looked up outside.
 */
struct rmi_dialer *rmi_network_dialer(const struct jvm *jvm, struct error *err);
void rmi_local_dialer_free(struct rmi_dialer *d); /* NULL is fine */

/*
 * 1 when the JVM's network is another than ours, and may be entered; 0 when it
 * is ours; -1 and *err as rmi_local_dialer().
 */
int rmi_local_is_elsewhere(const struct jvm *jvm, struct error *err);

/*
 * What rmi_local_dialer() does elsewhere, for who waits for other things, too:
 * starts a child that connects to a port by the deadline; attach_peer_end() is
 * due after success.  Once its channel is readable, rmi_local_finish() gives
 * the socket, or -1 and *err.
 */
int rmi_local_begin(struct attach_peer *child, const struct jvm *jvm,
		    uint16_t port, int64_t deadline_ns, struct error *err);
int rmi_local_finish(struct attach_peer *child, const struct jvm *jvm,
		     struct error *err);

#endif
