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
#include "jmx_http/rmi/rmi_lease.h"

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
