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

struct stub {
	struct java_bytes class;     /* of the stub, of its stream's arena */
	struct java_bytes reference; /* "UnicastRef", "UnicastRef2" */
	char host[JRMP_HOST_MAX + 1];
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
