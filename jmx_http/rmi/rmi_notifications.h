/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_notifications: notifications of MBeans.
 *
 * From the first listener on, the JVM keeps the last thousand notifications of
 * all MBeans, numbered.  A client requests the notifications from a number on.
 * The call blocks until there are some, so it uses a connection of its own.
 */
#ifndef JMX_HTTP_RMI_RMI_NOTIFICATIONS_H
#define JMX_HTTP_RMI_RMI_NOTIFICATIONS_H

#include "jmx_http/jmx.h"
#include "jmx_http/rmi/login.h"

/*
 * A lease on a session's object (RMI's distributed garbage collection).
 *
 * The JVM's own agent keeps sessions without a lease, other servers drop them.
 * A client must renew its lease: if the lease expires, the JVM closes the
 * session (javax.management.remote.rmi.RMIConnectionImpl.unreferenced).
 */

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

struct rmi_listener {
	char *object;
	int64_t id; /* the JVM's identifier */
};

/* A zeroed struct listens to nothing. */
struct rmi_notifications {
	/* Private. */
	struct rmi_connection connection;
	struct rmi_listener *listeners;
	size_t count, cap;
	unsigned login;  /* login of the session with the listeners; 0: none */
	int64_t next;    /* the number of the next notification */
	bool has_missed; /* missed notifications must be reported */
};

/* As jmx_listen(); object must not be a pattern. */
int rmi_notifications_listen(struct rmi_notifications *n, struct rmi_session *s,
			     const char *object, struct error *err);

/*
 * Subscribes again if the session has changed.  The client misses notifications
 * between the two sessions.
 */
int rmi_notifications_renew(struct rmi_notifications *n, struct rmi_session *s,
			    struct error *err);

/* As jmx_fetch(); also renews the session's lease. */
int rmi_notifications_fetch(struct rmi_notifications *n, struct rmi_session *s,
			    struct rmi_lease *lease, int64_t timeout_ns,
			    jmx_notification_fn *fn, void *self,
			    struct error *err);

/* Frees memory; the JVM drops the listeners together with the session. */
void rmi_notifications_release(struct rmi_notifications *n);

#endif
