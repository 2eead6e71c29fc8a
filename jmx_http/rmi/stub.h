/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub: the remote object that a stub refers to, and its endpoint.
 *
 * java.rmi.server.RemoteObject writes the reference as block data: the name of
 * its class, then the data of sun.rmi.transport.LiveRef.
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
	/* The client's socket factory: TLS, or a custom one; "": plain TCP. */
	struct java_bytes factory;
	struct jrmp_id id;
	bool is_result; /* its receiver has to acknowledge it */
	/*
	 * Offsets of the reference in its stream: all of it, and the end of
	 * the block data that it begins with, which a factory follows.
	 */
	size_t begin, end, block_end;
};

/*
 * Reads a value as a stub, static or dynamic (a proxy).  Fails with
 * ERROR_REFUSED when it is not a stub, or has an unknown kind of reference.
 */
int stub_of(const struct java_value *v, struct stub *stub, struct error *err);

#endif
