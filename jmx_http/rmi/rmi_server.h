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
#include "jmx_http/rmi/rmi_sessions.h"

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
