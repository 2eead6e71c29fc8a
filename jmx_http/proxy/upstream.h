/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream: a JVM behind the proxy, and the endpoints of its objects.
 *
 * All that is learnt comes from the JVM's own stubs.  The host in them is
 * looked at by nobody: it is what is wrong behind a port-forward, and the
 * dialer knows the right one.  The port may be wrong, too: whether the port
 * that we were told is the right one, is asked there (session.c).
 */
#ifndef JMX_HTTP_PROXY_UPSTREAM_H
#define JMX_HTTP_PROXY_UPSTREAM_H

#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/stub.h"

#include <stdbool.h>

#define UPSTREAM_ROUTES_MAX                                                    \
	64 /* of objects that are elsewhere than the server */
/* Sessions remembered; the least recently used one is forgotten first. */
#define UPSTREAM_SESSIONS_MAX 1024

enum endpoint_tls {
	ENDPOINT_PLAIN,
	ENDPOINT_TLS,
	ENDPOINT_LOOK, /* as the port answers a hello */
};

struct endpoint {
	uint16_t port;
	enum endpoint_tls tls;
};

struct route {
	struct jrmp_id id;
	struct endpoint endpoint;
};

/* An object that a client was given for its login. */
struct known_session {
	struct jrmp_id id;
	uint64_t used; /* 0: there is none */
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
	char *host;  /* whose certificate its TLS shows */
	struct dialer *dialer;
	struct endpoint registry;
	/*
	 * A JVM that has no registry: what is behind its only name, "jmxrmi".
	 * The proxy answers for it then.
	 */
	bool has_stub;
	struct stub stub;

	/* Private from here on. */
	bool has_server;
	bool has_jmxrmi;        /* that is what the server is called */
	struct endpoint server; /* of the object that was looked up last */
	uint16_t server_port;   /* as its stub had it */
	struct route routes[UPSTREAM_ROUTES_MAX];
	size_t route_count, next_route;
	struct known_session sessions[UPSTREAM_SESSIONS_MAX];
	uint64_t session_uses;
};

/* Fills u from options. */
void upstream_init(struct upstream *u, const struct upstream_options *o);

/* Where an object is to be called. */
struct endpoint upstream_route(const struct upstream *p,
			       const struct jrmp_id *id);

/* True when there is a way to it of its own. */
bool upstream_knows(const struct upstream *p, const struct jrmp_id *id);

/*
 * What a stub says: of the server, "jmxrmi", which is at the registry's port if
 * at_registry; of what another name is for, which is the server only while none
 * is called so, or one client would send all others elsewhere; or of a session.
 */
void upstream_learn_server(struct upstream *p, const struct stub *stub,
			   bool at_registry);
void upstream_learn_other(struct upstream *p, const struct stub *stub,
			  bool at_registry);
void upstream_learn_session(struct upstream *p, const struct stub *stub);

/* True for an object that a client was given for its login. */
bool upstream_has_session(struct upstream *p, const struct jrmp_id *id);

/* A port that was looked at speaks TLS, or does not. */
void upstream_learn_tls(struct upstream *p, uint16_t port,
			enum endpoint_tls tls);

/* True when bytes to the JVM cross a network unless TLS encrypts them. */
bool upstream_is_remote(const struct upstream *p);

void upstream_release(struct upstream *p);

#endif
