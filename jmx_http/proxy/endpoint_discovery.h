/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint_discovery: finds the addresses to which a JVM's registry sends
 * clients.
 *
 * A lookup resolves the registry's host, looks up "jmxrmi", and resolves the
 * host in the stub.  It keeps all names and addresses, because a client of the
 * registry may request any of them.
 *
 *	IDLE -> HOST -> LOOKUP -> STUB -> DONE -> IDLE
 *
 * A lookup runs in the event loop, over the JVM's dialer, so it cannot use
 * rmi_login, which blocks.
 */
#ifndef JMX_HTTP_PROXY_ENDPOINT_DISCOVERY_H
#define JMX_HTTP_PROXY_ENDPOINT_DISCOVERY_H

#include "jmx_http/proxy/backend.h"

#include <stdbool.h>
#include <stdint.h>

#define ENDPOINT_DISCOVERY_MAX 32

/* An address in the form that clients request: "pod-7f", "10.0.0.7", "::1". */
struct host_port {
	char host[NET_HOST_MAX + 1];
	uint16_t port;
};

struct evdns_base;
struct evdns_getaddrinfo_request;

enum endpoint_discovery_stage {
	ENDPOINT_DISCOVERY_IDLE,
	ENDPOINT_DISCOVERY_HOST,   /* resolving the registry's host */
	ENDPOINT_DISCOVERY_LOOKUP, /* looking up "jmxrmi" */
	ENDPOINT_DISCOVERY_STUB,   /* resolving the stub's host */
	ENDPOINT_DISCOVERY_DONE,
};

struct endpoint_discovery {
	struct host_port places[ENDPOINT_DISCOVERY_MAX];
	size_t count;

	struct host_port sent_to; /* endpoint of the last stub; or "" */

	/* Private from here on. */
	enum endpoint_discovery_stage stage;
	struct event_base *base;
	struct event *next;     /* starts the next stage, from the event loop */
	struct evdns_base *dns; /* NULL: no DNS */
	struct evdns_getaddrinfo_request *request;
	uint16_t looked_up; /* the port for the addresses being resolved */
	struct upstream *jvm;
	char *host;
	SSL_CTX *tls;
	int64_t connect_ns;
	struct backend *backend;
	struct jrmp_return *reply;
	struct host_port found[ENDPOINT_DISCOVERY_MAX];
	size_t found_count;
	struct error err;
	void (*done)(void *self, const struct error *err);
	void *self;
};

/*
 * host is that of the registry, jvm is borrowed and has the registry's port.
 * Until the first lookup, only the host itself is known.  Calls done from the
 * event loop after each lookup.  If the lookup fails, err is the reason, and
 * the old addresses remain; else err is NULL.
 */
void endpoint_discovery_init(struct endpoint_discovery *a,
			     struct event_base *base, struct upstream *jvm,
			     const char *host, SSL_CTX *tls, int64_t connect_ns,
			     void (*done)(void *self, const struct error *err),
			     void *self);
void endpoint_discovery_release(struct endpoint_discovery *a);

/* Starts a lookup, unless one is running. */
void endpoint_discovery_start(struct endpoint_discovery *a);
bool endpoint_discovery_is_running(const struct endpoint_discovery *a);

/* True for an address of the JVM; names ignore case. */
bool endpoint_discovery_has(const struct endpoint_discovery *a,
			    const char *host, uint16_t port);

#endif
