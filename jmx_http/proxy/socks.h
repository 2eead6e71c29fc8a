/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socks: a SOCKS 5 server that connects clients to JVMs only.
 *
 * A Java program that uses it sends all its connections here, with the names
 * and addresses that the JVM advertises; mxprx need not be able to resolve
 * them.  Bytes pass unchanged, so TLS runs from the client to the JVM,
 * including client certificates.
 *
 * The address that a client requests is only compared with the address of each
 * JVM and with the addresses to which its registry sends clients
 * (endpoint_discovery).  A match is connected to by the JVM's own dialer.
 */
#ifndef JMX_HTTP_PROXY_SOCKS_H
#define JMX_HTTP_PROXY_SOCKS_H

#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/upstream.h"

struct socks;

/*
 * Listens for SOCKS clients; *port is the port that it got.  The door frees it.
 * NULL and *err as door_listen().
 */
struct socks *socks_new(struct door *d, const struct sockaddr_storage *bind,
			uint16_t *port, struct error *err);

/*
 * Lets clients connect to a JVM, whose dialer is taken.  The JVM's registry is
 * asked where it sends clients as soon as the loop runs, and the result is
 * printed.
 */
void socks_add(struct socks *s, const struct upstream_options *jvm);

#endif
