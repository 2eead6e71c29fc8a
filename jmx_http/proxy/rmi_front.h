/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_front: a port on which RMI clients reach one JVM.
 *
 * Each client has a session.  A message is read by grammar (request), and only
 * one that is whole, valid and permitted (rmi_policy) is sent on, byte for
 * byte, to the port of the JVM that has the called object (upstream).  Of what
 * comes back, only the returns of two methods are read: they hold stubs, which
 * are rewritten to lead here (reply).  Everything else is passed on as it
 * comes, as fast as the client reads it.
 *
 * RMI is half duplex: a client's next message tells that the last return is
 * complete, so the end of a return need not be known.
 */
#ifndef JMX_HTTP_PROXY_RMI_FRONT_H
#define JMX_HTTP_PROXY_RMI_FRONT_H

#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/upstream.h"

struct rmi_front_options {
	struct upstream_options jvm;
	/* Where clients connect; port 0: any that is free. */
	const struct sockaddr_storage *bind;
	/*
	 * Where stubs lead clients.  NULL: where the asking client has
	 * connected; port 0: the port of this front.
	 */
	const char *advertise_host;
	uint16_t advertise_port;
};

/*
 * Adds a JVM to the door, and listens for its clients.  Takes the dialer in any
 * case.  Returns the port, or -1 and *err as door_listen().
 */
int rmi_front_add(struct door *d, const struct rmi_front_options *o,
		  struct error *err);

#endif
