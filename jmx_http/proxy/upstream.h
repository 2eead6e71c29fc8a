/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream: a JVM behind the proxy, and the ports of its remote objects.
 *
 * The ports come from the JVM's own stubs.  The proxy ignores the host in a
 * stub: it is wrong behind a port-forward, and the dialer has the right host.
 * The port may be wrong, too: session_reply.c checks whether the object is at
 * the registry's port.
 */
#ifndef JMX_HTTP_PROXY_UPSTREAM_H
#define JMX_HTTP_PROXY_UPSTREAM_H

#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/stub.h"

#include <stdbool.h>

#define UPSTREAM_ROUTES_MAX 64 /* objects at other ports than the server's */
/* Sessions kept; the least recently used session is dropped first. */
#define UPSTREAM_SESSIONS_MAX 1024

enum endpoint_tls {
	ENDPOINT_PLAIN,
	ENDPOINT_TLS,
	ENDPOINT_LOOK, /* unknown: try a plain greeting first */
};

struct endpoint {
	uint16_t port;
	enum endpoint_tls tls;
};

struct route {
	struct jrmp_id id;
	struct endpoint endpoint;
};

/* The remote object that a client received for its login. */
struct known_session {
	struct jrmp_id id;
	uint64_t used; /* order of last uses; 0: unused entry */
};

struct upstream_options {
	const char *title; /* the JVM, for messages; copied */
	const char *host;  /* the name in the JVM's certificate; copied */
	/* Made with the door's event base.  The upstream frees it. */
	struct dialer *dialer;
	uint16_t port; /* of the registry */
	/* For a JVM without a registry: its "jmxrmi" object; copied. */
	const struct stub *stub;
};

struct upstream {
	char *title; /* "10.0.0.7:9010", for messages */
	char *host;  /* the name in its certificate */
	struct dialer *dialer;
	struct endpoint registry;
	/*
	 * For a JVM without a registry: its "jmxrmi" object.  The proxy replies
	 * to lookups in place of the registry.
	 */
	bool has_stub;
	struct stub stub;

	/* Private from here on. */
	unsigned generation; /* of the dialer */
	bool has_server;
	bool has_jmxrmi;        /* the server is bound to "jmxrmi" */
	struct endpoint server; /* of the object looked up last */
	uint16_t server_port;   /* in its stub */
	struct route routes[UPSTREAM_ROUTES_MAX];
	size_t route_count, next_route;
	struct known_session sessions[UPSTREAM_SESSIONS_MAX];
	uint64_t session_uses;
};

/* Fills u from options. */
void upstream_init(struct upstream *u, const struct upstream_options *o);

/*
 * The endpoint of an object.  Forgets the endpoints of a JVM that another one
 * has replaced, so that the new JVM rejects the objects of the previous one.
 */
struct endpoint upstream_route(struct upstream *p, const struct jrmp_id *id);

/* True if the object has a known endpoint of its own. */
bool upstream_knows(const struct upstream *p, const struct jrmp_id *id);

/*
 * Each function learns an endpoint from a stub.
 *
 * server: the object bound to "jmxrmi".  other: an object bound to another
 * name; it counts as the server only while "jmxrmi" is unknown, otherwise one
 * client could redirect all others.  session: the object of a login.  With
 * at_registry, the object is at the registry's port.
 */
void upstream_learn_server(struct upstream *p, const struct stub *stub,
			   bool at_registry);
void upstream_learn_other(struct upstream *p, const struct stub *stub,
			  bool at_registry);
void upstream_learn_session(struct upstream *p, const struct stub *stub);

/* True if the object is a session that a client received for its login. */
bool upstream_has_session(struct upstream *p, const struct jrmp_id *id);

/* Learns whether a port with ENDPOINT_LOOK speaks TLS. */
void upstream_learn_tls(struct upstream *p, uint16_t port,
			enum endpoint_tls tls);

/* True if bytes to the JVM cross a network, in clear without TLS. */
bool upstream_is_remote(const struct upstream *p);

/* The same for bytes to a host by a dialer. */
bool upstream_crosses_network(const struct dialer *d, const char *host);

void upstream_release(struct upstream *p);

#endif
