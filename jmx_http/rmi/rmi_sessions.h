/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_sessions: the RMIConnections of an rmi_server, in memory that worker
 * processes share.
 *
 * A client's calls may arrive at any worker, because an RMI client opens
 * several connections.  A session has a random ObjID and the credentials of its
 * login.  If all entries are in use, the session that was idle longest ends:
 * its client gets a NoSuchObjectException and connects again.
 */
#ifndef JMX_HTTP_RMI_RMI_SESSIONS_H
#define JMX_HTTP_RMI_RMI_SESSIONS_H

#include "jmx_http/rmi/jrmp.h"
#include "jmx_http/target.h"

#define RMI_SESSIONS_MAX 1024
#define RMI_LOGIN_MAX    256 /* bytes of a user name, and of a password */

struct rmi_sessions;

/* A copy of a session's login. */
struct rmi_login {
	bool has_credentials;
	char user[RMI_LOGIN_MAX], password[RMI_LOGIN_MAX];
};

/* Make it before the workers start; it ends the program on failure. */
struct rmi_sessions *rmi_sessions_new(void);
void rmi_sessions_free(struct rmi_sessions *s); /* NULL is fine */

/* Adds a session and returns its ObjID. */
struct jrmp_id rmi_sessions_add(struct rmi_sessions *s,
				const struct rmi_login *login);

/* Finds a session; false if it has ended. */
bool rmi_sessions_find(struct rmi_sessions *s, const struct jrmp_id *id,
		       struct rmi_login *login);

void rmi_sessions_remove(struct rmi_sessions *s, const struct jrmp_id *id);

/* Returns a number that no other call of any worker returns: 1 and so on. */
uint32_t rmi_sessions_next(struct rmi_sessions *s);

#endif
