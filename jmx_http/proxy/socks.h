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

#include "jmx_http/proxy/proxy.h"

struct socks;

/*
 * Listens; gives NULL and *err when that cannot be.  *port is the one that it
 * got.
 */
struct socks *socks_new(struct proxy *p, const struct sockaddr_storage *bind,
			uint16_t *port, struct error *err);

/*
 * A JVM that may be connected to: its title, host, dialer, which is taken, and
 * port count.  It is asked where it sends clients as soon as the loop runs, and
 * what it said is said.
 */
void socks_add(struct socks *s, const struct proxy_pair *pair);

/* Before proxy_free(); NULL is fine. */
void socks_free(struct socks *s);

#endif
