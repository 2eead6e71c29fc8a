/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite: a return that holds a stub, sent elsewhere.
 *
 * Nothing but the stub's reference is written anew: the host, the port and,
 * where the client is to speak TLS or not to, the factory of its sockets.  The
 * handles of a stream count its objects, but nothing stands behind the
 * reference that could refer to one.
 */
#ifndef JMX_HTTP_PROXY_REWRITE_H
#define JMX_HTTP_PROXY_REWRITE_H

#include "jmx_http/rmi/stub.h"

enum rewrite_tls {
	REWRITE_PLAIN, /* without a factory of sockets */
	REWRITE_TLS,   /* with javax.rmi.ssl.SslRMIClientSocketFactory */
};

/*
 * Appends the bytes of a whole return to out, its stub leading to host and port
 * instead.  The stub's offsets are those of the stream, one byte behind the
 * begin of the return.
 */
void rewrite_return(struct text *out, const char *bytes, size_t len,
		    const struct stub *stub, const char *host, uint16_t port,
		    enum rewrite_tls tls);

/* Appends what java.rmi.server.RemoteObject writes of a stub. */
void rewrite_reference(struct text *out, const struct stub *stub,
		       const char *host, uint16_t port, enum rewrite_tls tls);

#endif
