/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint_discovery: the addresses to which a JVM's registry sends clients.
 *
 * A registry is asked for its "jmxrmi", the host in that stub is looked up, and
 * all of it is kept: the names and addresses under which a client that asks
 * there comes to want this JVM.
 */
#ifndef JMX_HTTP_PROXY_ENDPOINT_DISCOVERY_H
#define JMX_HTTP_PROXY_ENDPOINT_DISCOVERY_H

#include "jmx_http/proxy/backend.h"

#include <stdbool.h>
#include <stdint.h>

#define ENDPOINT_DISCOVERY_MAX 32

/* As a client says it: "pod-7f", "10.0.0.7", "::1"; any port is another. */
struct place {
	char host[RMI_HOST_MAX + 1];
	uint16_t port;
};

struct evdns_base;
struct evdns_getaddrinfo_request;

enum endpoint_discovery_stage {
	ENDPOINT_DISCOVERY_IDLE,
	ENDPOINT_DISCOVERY_HOST, /* the registry's is looked up */
	ENDPOINT_DISCOVERY_ASK,  /* the registry */
	ENDPOINT_DISCOVERY_STUB, /* the host that it sends to is looked up */
	ENDPOINT_DISCOVERY_DONE,
};

struct endpoint_discovery {
	struct place places[ENDPOINT_DISCOVERY_MAX];
	size_t count;

	struct place sent_to; /* what the registry said last; "" when nothing */

	/* Private from here on. */
	enum endpoint_discovery_stage stage;
	struct event_base *base;
	struct event *next;     /* goes on, from the loop */
	struct evdns_base *dns; /* NULL: names are not looked up */
	struct evdns_getaddrinfo_request *request;
	uint16_t looked_up; /* port of what is */
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
 * host: of the registry, whose port is the pair's; pair is borrowed, and is
 * whom to ask.  Until it was asked, only the host itself is known.  done is
 * called from the loop after each endpoint_discovery_ask(); err is NULL when
 * there was an answer; else what was known before is still.
 */
void endpoint_discovery_init(struct endpoint_discovery *a,
			     struct event_base *base, struct upstream *jvm,
			     const char *host, SSL_CTX *tls, int64_t connect_ns,
			     void (*done)(void *self, const struct error *err),
			     void *self);
void endpoint_discovery_release(struct endpoint_discovery *a);

/* Asks the JVM anew, unless it is being asked. */
void endpoint_discovery_ask(struct endpoint_discovery *a);
bool endpoint_discovery_asks(const struct endpoint_discovery *a);

/* Names are the same in either case. */
bool endpoint_discovery_has(const struct endpoint_discovery *a,
			    const char *host, uint16_t port);

#endif
