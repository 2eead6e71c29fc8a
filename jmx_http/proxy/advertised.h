/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertised: where a JVM's registry sends clients.
 *
 * A registry is asked for its "jmxrmi", the host in that stub is looked up, and
 * all of it is kept: the names and addresses under which a client that asks
 * there comes to want this JVM.
 */
#ifndef JMX_HTTP_PROXY_ADVERTISED_H
#define JMX_HTTP_PROXY_ADVERTISED_H

#include "jmx_http/proxy/backend.h"

#include <stdbool.h>
#include <stdint.h>

#define ADVERTISED_MAX 32

/* As a client says it: "pod-7f", "10.0.0.7", "::1"; any port is another. */
struct place {
	char host[RMI_HOST_MAX + 1];
	uint16_t port;
};

struct evdns_base;
struct evdns_getaddrinfo_request;

enum advertised_stage {
	ADVERTISED_IDLE,
	ADVERTISED_HOST, /* the registry's is looked up */
	ADVERTISED_ASK,  /* the registry */
	ADVERTISED_STUB, /* the host that it sends to is looked up */
	ADVERTISED_DONE,
};

struct advertised {
	struct place places[ADVERTISED_MAX];
	size_t count;

	struct place sent_to; /* what the registry said last; "" when nothing */

	/* Private from here on. */
	enum advertised_stage stage;
	struct event_base *base;
	struct event *next;     /* goes on, from the loop */
	struct evdns_base *dns; /* NULL: names are not looked up */
	struct evdns_getaddrinfo_request *request;
	uint16_t looked_up; /* port of what is */
	struct pair *pair;
	char *host;
	SSL_CTX *tls;
	int64_t connect_ns;
	struct backend *backend;
	struct jrmp_return *answer;
	struct place found[ADVERTISED_MAX];
	size_t found_count;
	struct error err;
	void (*done)(void *self, const struct error *err);
	void *self;
};

/*
 * host: of the registry, whose port is the pair's; pair is borrowed, and is
 * whom to ask.  Until it was asked, only the host itself is known.  done is
 * called from the loop after each advertised_ask(); err is NULL when there was
 * an answer; else what was known before is still.
 */
void advertised_init(struct advertised *a, struct event_base *base,
		     struct pair *pair, const char *host, SSL_CTX *tls,
		     int64_t connect_ns,
		     void (*done)(void *self, const struct error *err),
		     void *self);
void advertised_release(struct advertised *a);

/* Asks the JVM anew, unless it is being asked. */
void advertised_ask(struct advertised *a);
bool advertised_asks(const struct advertised *a);

/* Names are the same in either case. */
bool advertised_has(const struct advertised *a, const char *host,
		    uint16_t port);

#endif
