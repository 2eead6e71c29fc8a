/* SPDX-License-Identifier: Apache-2.0 */
/*
 * returns: RMI returns that the proxy writes in place of the JVM, and returns
 * of the JVM with a stub that it rewrites to lead here.
 */
#ifndef JMX_HTTP_PROXY_RETURNS_H
#define JMX_HTTP_PROXY_RETURNS_H

#include "jmx_http/proxy/request.h"
#include "jmx_http/rmi/stub.h"

enum refusal_kind {
	REFUSAL_SECURITY,    /* java.lang.SecurityException */
	REFUSAL_UNREACHABLE, /* java.rmi.ConnectException */
	REFUSAL_NOT_BOUND,   /* java.rmi.NotBoundException */
};

/* Where a rewritten stub leads. */
struct stub_target {
	char host[JRMP_HOST_MAX + 1];
	uint16_t port;
	bool is_tls; /* with javax.rmi.ssl.SslRMIClientSocketFactory */
};

/* Appends a return that throws an exception; message is UTF-8. */
void returns_add_refusal(struct text *out, enum refusal_kind kind,
			 const char *message);

/*
 * Appends what a registry returns to a call of its lookup or list, if nothing
 * but "jmxrmi" is bound: to stub, which leads to `to`.
 */
void returns_add_lookup(struct text *out, const struct request *r,
			const struct stub *stub, const struct stub_target *to);

/*
 * Appends the bytes of a whole return, with its stub leading to `to` instead.
 * Only the stub's reference changes: the host, the port and the factory of
 * sockets.  Handles of a stream count its objects, but nothing behind the
 * reference could refer to one.  The stub's offsets are those of the stream,
 * which begins one byte behind the return.
 */
void returns_rewrite(struct text *out, const char *bytes, size_t len,
		     const struct stub *stub, const struct stub_target *to);

#endif
