/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub: reads the remote object and the endpoint in a stub.
 *
 * java.rmi.server.RemoteObject writes the reference as block data: the name of
 * its class, then the data of sun.rmi.transport.LiveRef.
 */
#ifndef JMX_HTTP_RMI_STUB_H
#define JMX_HTTP_RMI_STUB_H

#include "core/base/error.h"
#include "jmx_http/rmi/jrmp.h"

/*
 * The host that Java clients use if a stub names none:
 * InetAddress.getByName("") is loopback.  A JVM writes such stubs if its own
 * host name does not resolve and java.rmi.server.hostname is not set
 * (sun.rmi.transport.tcp.TCPEndpoint.getLocalHost(), JDK 8 to 28).
 */
#define STUB_LOOPBACK "127.0.0.1"

struct stub {
	struct java_bytes class;     /* of the stub; in its stream's arena */
	struct java_bytes reference; /* "UnicastRef", "UnicastRef2" */
	/* STUB_LOOPBACK if the stub names no host. */
	char host[JRMP_HOST_MAX + 1];
	bool names_no_host;
	uint16_t port;
	/* The class of the client's socket factory; "": plain TCP. */
	struct java_bytes factory;
	struct jrmp_id id;
	bool is_result; /* the receiver must acknowledge the stub */
	/*
	 * Offsets of the reference in its stream.  block_end is the end of its
	 * first block data, which a factory may follow.
	 */
	size_t begin, end, block_end;
};

/*
 * Reads a static or dynamic stub (a java.lang.reflect.Proxy).  -1 and
 * ERROR_REFUSED if the value is not a stub, or has an unknown kind of
 * reference.
 */
int stub_of(const struct java_value *v, struct stub *stub, struct error *err);

#endif
