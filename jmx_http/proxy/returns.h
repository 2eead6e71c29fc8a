/* SPDX-License-Identifier: Apache-2.0 */
/*
 * returns: writes returns of a registry in place of the JVM, and rewrites
 * returns of the JVM whose stub must lead to the proxy.
 */
#ifndef JMX_HTTP_PROXY_RETURNS_H
#define JMX_HTTP_PROXY_RETURNS_H

#include "jmx_http/rmi/request.h"
#include "jmx_http/rmi/stub.h"

/* The endpoint of a rewritten stub. */
struct stub_target {
	char host[JRMP_HOST_MAX + 1];
	uint16_t port;
	bool is_tls; /* with javax.rmi.ssl.SslRMIClientSocketFactory */
};

/*
 * Appends the return of a lookup or list call, as a registry in which only
 * "jmxrmi" is bound.  The object is that of stub, at the endpoint `to`.
 */
void returns_add_lookup(struct text *out, const struct request *r,
			const struct stub *stub, const struct stub_target *to);

/*
 * Appends a complete return, and replaces the endpoint of its stub by `to`.
 * Only the stub's reference changes: the host, the port and the socket factory.
 * This may add or remove objects of the stream, but nothing after the reference
 * refers to a handle.  The stub's offsets count from the stream, which starts
 * one byte after the return.
 */
void returns_rewrite(struct text *out, const char *bytes, size_t len,
		     const struct stub *stub, const struct stub_target *to);

#endif
