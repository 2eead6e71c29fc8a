/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_server: serves MBeans to JMX clients over RMI, from another carrier.
 *
 * It serves one connection at a time and blocks.  Registry, RMIServer, and
 * every RMIConnection are at any server with the same sessions.  RMIConnection
 * methods that the carrier lacks throw UnsupportedOperationException.
 */
#ifndef JMX_HTTP_RMI_RMI_SERVER_H
#define JMX_HTTP_RMI_RMI_SERVER_H

#include "jmx_http/jmx.h"
#include "jmx_http/rmi/jrmp.h"
#include "jmx_http/target.h"

#define RMI_SESSIONS_MAX 1024
#define RMI_LOGIN_MAX    256 /* bytes of a user name, and of a password */

/*
 * The RMIConnections of a server, in memory that worker processes share.
 *
 * A client's calls may arrive at any worker, because an RMI client opens
 * several connections.  A session has a random ObjID and the credentials of its
 * login.  If all entries are in use, the session that was idle longest ends:
 * its client gets a NoSuchObjectException and connects again.
 */
struct rmi_sessions;

/* A copy of a session's login. */
struct rmi_credentials {
	bool has_credentials;
	char user[RMI_LOGIN_MAX], password[RMI_LOGIN_MAX];
};

/* Make it before the workers start; it ends the program on failure. */
struct rmi_sessions *rmi_sessions_new(void);
void rmi_sessions_free(struct rmi_sessions *s); /* NULL is fine */

/* Adds a session and returns its ObjID. */
struct jrmp_id rmi_sessions_add(struct rmi_sessions *s,
				const struct rmi_credentials *login);

/* Finds a session; false if it has ended. */
bool rmi_sessions_find(struct rmi_sessions *s, const struct jrmp_id *id,
		       struct rmi_credentials *login);

void rmi_sessions_remove(struct rmi_sessions *s, const struct jrmp_id *id);

/* Returns a number that no other call of any worker returns: 1 and so on. */
uint32_t rmi_sessions_next(struct rmi_sessions *s);

/* The registry's port in stubs. */
#define RMI_SERVER_PORT 1099

struct rmi_server_options {
	/*
	 * Connects to the MBeans with the login of a client; login is NULL if
	 * the client has none, or takes_login is false.  Errors as jmx_open().
	 */
	struct jmx *(*open)(void *self, const struct jmx_credentials *login,
			    struct error *err);
	void *self;
	/* Clients log in at the carrier; otherwise their login is ignored. */
	bool takes_login;
	struct rmi_sessions *sessions;
};

/* Serves a connected blocking socket until its other end is closed. */
void rmi_server_run(const struct rmi_server_options *options, int fd);

#endif
