/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint_discovery: finds the addresses to which a JVM's registry sends
 * clients.
 *
 * It resolves the registry's host, looks up "jmxrmi", and resolves the host in
 * the stub.  It keeps all names and addresses: a client of this registry may
 * request any of them.
 *
 *	IDLE -> HOST -> ASK -> STUB -> DONE -> IDLE
 *
 * This runs in the event loop, over the dialer of the JVM, so it cannot use
 * rmi_login, which blocks.
 */
#ifndef JMX_HTTP_PROXY_ENDPOINT_DISCOVERY_H
#define JMX_HTTP_PROXY_ENDPOINT_DISCOVERY_H

#include "jmx_http/proxy/backend.h"

#include <stdbool.h>
#include <stdint.h>

#define ENDPOINT_DISCOVERY_MAX 32

/* As a client requests it: "pod-7f", "10.0.0.7", "::1". */
struct place {
	char host[NET_HOST_MAX + 1];
	uint16_t port;
};

struct evdns_base;
struct evdns_getaddrinfo_request;

enum endpoint_discovery_stage {
	ENDPOINT_DISCOVERY_IDLE,
	ENDPOINT_DISCOVERY_HOST, /* resolving the registry's host */
	ENDPOINT_DISCOVERY_ASK,  /* looking up "jmxrmi" */
	ENDPOINT_DISCOVERY_STUB, /* resolving the stub's host */
	ENDPOINT_DISCOVERY_DONE,
};

struct endpoint_discovery {
	struct place places[ENDPOINT_DISCOVERY_MAX];
	size_t count;

	struct place sent_to; /* by the last stub; "" before that */

	/* Private from here on. */
	enum endpoint_discovery_stage stage;
	struct event_base *base;
	struct event *next;     /* starts the next stage, from the loop */
	struct evdns_base *dns; /* NULL: names are not resolved */
	struct evdns_getaddrinfo_request *request;
	uint16_t looked_up; /* port of the host that is being resolved */
	struct upstream *jvm;
	char *host;
	SSL_CTX *tls;
	int64_t connect_ns;
	struct backend *backend;
	struct jrmp_return *answer;
	struct place found[ENDPOINT_DISCOVERY_MAX];
	size_t found_count;
	struct error err;
	void (*done)(void *self, const struct error *err);
	void *self;
};

/*
 * host is the registry's, jvm is borrowed and has its port.  Until the first
 * lookup, only the host itself is known.  Calls done from the loop after each
 * endpoint_discovery_ask(); err is NULL when the lookup succeeded, else the old
 * addresses remain.
 */
void endpoint_discovery_init(struct endpoint_discovery *a,
			     struct event_base *base, struct upstream *jvm,
			     const char *host, SSL_CTX *tls, int64_t connect_ns,
			     void (*done)(void *self, const struct error *err),
			     void *self);
void endpoint_discovery_release(struct endpoint_discovery *a);

/* Starts a lookup, unless one is running. */
void endpoint_discovery_ask(struct endpoint_discovery *a);
bool endpoint_discovery_asks(const struct endpoint_discovery *a);

/* True for an address of the JVM; names ignore case. */
bool endpoint_discovery_has(const struct endpoint_discovery *a,
			    const char *host, uint16_t port);

#endif
