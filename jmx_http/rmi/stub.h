/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub: which remote object a stub is for, and where it says that one is.
 *
 * java.rmi.server.RemoteObject writes it, in block data: the name of the
 * reference's class, then what sun.rmi.transport.LiveRef writes.
 */
#ifndef JMX_HTTP_RMI_STUB_H
#define JMX_HTTP_RMI_STUB_H

#include "core/base/error.h"
#include "jmx_http/rmi/jrmp.h"

/*
 * The host that Java's clients connect to when a stub names none:
 * InetAddress.getByName("") is loopback.  A JVM writes such stubs when its own
 * host name does not resolve and java.rmi.server.hostname is not set
 * (sun.rmi.transport.tcp.TCPEndpoint.getLocalHost(), JDK 8 to 28).
 */
#define STUB_LOOPBACK "127.0.0.1"

struct stub {
	struct java_bytes class;     /* of the stub, of its stream's arena */
	struct java_bytes reference; /* "UnicastRef", "UnicastRef2" */
	/* STUB_LOOPBACK when the stub names no host. */
	char host[JRMP_HOST_MAX + 1];
	bool names_no_host;
	uint16_t port;
	/* The class that makes a client's sockets: TLS; none: plain TCP. */
	struct java_bytes factory;
	struct jrmp_id id;
	bool is_result; /* its receiver was to acknowledge it */
	/*
	 * Where in its stream the reference is written: all of it, and the
	 * block data that it begins with, behind which a factory stands.
	 */
	size_t begin, end, block_end;
};

/*
 * Takes a value for a stub, a dynamic one (a proxy), too.  Fails with
 * ERROR_REFUSED when it is none, or none of a kind that is known.
 */
int stub_of(const struct java_value *v, struct stub *stub, struct error *err);

#endif
