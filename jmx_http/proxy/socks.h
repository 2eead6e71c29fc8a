/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socks: a SOCKS 5 server that leads to JVMs, and nowhere else.
 *
 * A Java program that is told of it sends all its connections there, by the
 * names and addresses that the JVM gives of itself; they need not be known
 * here.  Bytes pass as they are, so that TLS is between the client and the JVM,
 * certificates of clients included.
 *
 * What a client wants to connect to is only compared: with where the target is,
 * and where its registry sends clients (advertised).  Whom that names is
 * connected to by the target's own dialer, and on the port named.
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
