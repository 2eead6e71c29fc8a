/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_front: a listening port for the RMI clients of one JVM.
 *
 * Each client has a session.  The session parses each message (request).  If
 * the message is complete, valid and allowed (policy), the session writes it
 * again from its values, and sends it to the port of the JVM that has the
 * called object (upstream).  The session parses only the returns of two
 * methods: they contain stubs, which it rewrites to lead to the proxy
 * (session_reply).  It forwards all other bytes unparsed, as fast as the client
 * reads them.
 *
 * RMI is half duplex: a client's next message shows that the last return is
 * complete, so the session need not find the end of a return.
 */
#ifndef JMX_HTTP_PROXY_RMI_FRONT_H
#define JMX_HTTP_PROXY_RMI_FRONT_H

#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/upstream.h"

struct rmi_front_options {
	struct upstream_options jvm;
	/* The address to listen on; port 0: any free port. */
	const struct sockaddr_storage *bind;
	/*
	 * The endpoint in rewritten stubs.  NULL: the host that the client has
	 * connected to; port 0: the port of this front.
	 */
	const char *advertise_host;
	uint16_t advertise_port;
};

/*
 * Adds a JVM to the door, and listens for its clients.  Always takes ownership
 * of the dialer.  Returns the port, or -1 and *err as door_listen().
 */
int rmi_front_add(struct door *d, const struct rmi_front_options *o,
		  struct error *err);

#endif
