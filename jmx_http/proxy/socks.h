/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socks: a SOCKS 5 server that connects clients to JVMs only.
 *
 * A Java client sends the names and addresses that the JVM advertises; mxprx
 * need not resolve them.  Bytes pass unchanged, so TLS runs from the client to
 * the JVM, including client certificates.
 *
 * mxprx only compares the requested address with the address of each JVM and
 * with the addresses to which its registry sends clients.
 * It connects by the dialer of the matching JVM.
 */
#ifndef JMX_HTTP_PROXY_SOCKS_H
#define JMX_HTTP_PROXY_SOCKS_H

#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/upstream.h"

struct socks;

/*
 * Listens for SOCKS clients; *port receives the port.  The door owns the
 * result. NULL and *err as door_listen().
 */
struct socks *socks_new(struct door *d, const struct sockaddr_storage *bind,
			uint16_t *port, struct error *err);

/*
 * Allows clients to connect to a JVM; takes ownership of its dialer.  When the
 * event loop starts, mxprx looks up the endpoint in the JVM's registry, and
 * prints it.
 */
void socks_add(struct socks *s, const struct upstream_options *jvm);

#endif
