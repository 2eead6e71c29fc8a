/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream: a JVM behind the proxy, and the ports of its remote objects.
 *
 * The ports come from the JVM's own stubs.  The host in a stub is ignored: it
 * is wrong behind a port-forward, and the dialer knows the right one.  The port
 * may be wrong, too: session_reply.c probes whether the object is at the
 * registry's port.
 */
#ifndef JMX_HTTP_PROXY_UPSTREAM_H
#define JMX_HTTP_PROXY_UPSTREAM_H

#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/stub.h"

#include <stdbool.h>

#define UPSTREAM_ROUTES_MAX 64 /* of objects at other ports than the server */
/* Sessions remembered; the least recently used one is forgotten first. */
#define UPSTREAM_SESSIONS_MAX 1024

enum endpoint_tls {
	ENDPOINT_PLAIN,
	ENDPOINT_TLS,
	ENDPOINT_LOOK, /* unknown: try a plain hello first */
};

struct endpoint {
	uint16_t port;
	enum endpoint_tls tls;
};

struct route {
	struct jrmp_id id;
	struct endpoint endpoint;
};

/* The object that a client got for its login. */
struct known_session {
	struct jrmp_id id;
	uint64_t used; /* order of last uses; 0: unused entry */
};

struct upstream_options {
	const char *title; /* the JVM, for messages; copied */
	const char *host;  /* that the JVM's certificate must name; copied */
	/* Taken; made over the event base of the door. */
	struct dialer *dialer;
	uint16_t port; /* of the registry */
	/* The object bound to "jmxrmi", of a JVM without a registry; copied. */
	const struct stub *stub;
};

struct upstream {
	char *title; /* "10.0.0.7:9010", for messages */
	char *host;  /* that its certificate must name */
	struct dialer *dialer;
	struct endpoint registry;
	/*
	 * The object bound to "jmxrmi", of a JVM without a registry; the proxy
	 * replies in place of the registry.
	 */
	bool has_stub;
	struct stub stub;

	/* Private from here on. */
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

/* The endpoint of an object. */
struct endpoint upstream_route(const struct upstream *p,
			       const struct jrmp_id *id);

/* True when the object has an endpoint of its own. */
bool upstream_knows(const struct upstream *p, const struct jrmp_id *id);

/*
 * Learns an endpoint from a stub: of the server, "jmxrmi", which is at the
 * registry's port if at_registry; of the object bound to another name, which
 * counts as the server only while "jmxrmi" is unknown, or one client could
 * redirect all others; of a session.
 */
void upstream_learn_server(struct upstream *p, const struct stub *stub,
			   bool at_registry);
void upstream_learn_other(struct upstream *p, const struct stub *stub,
			  bool at_registry);
void upstream_learn_session(struct upstream *p, const struct stub *stub);

/* True for an object that a client got for its login. */
bool upstream_has_session(struct upstream *p, const struct jrmp_id *id);

/* Learns whether a port with ENDPOINT_LOOK speaks TLS. */
void upstream_learn_tls(struct upstream *p, uint16_t port,
			enum endpoint_tls tls);

/* True when bytes to the JVM cross a network unless TLS encrypts them. */
bool upstream_is_remote(const struct upstream *p);

void upstream_release(struct upstream *p);

#endif
