/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener: a port on which clients are taken for one JVM.
 */
#ifndef JMX_HTTP_PROXY_LISTENER_H
#define JMX_HTTP_PROXY_LISTENER_H

#include "jmx_http/proxy/proxy.h"
#include "jmx_http/proxy/upstream.h"

#include <event2/listener.h>
#include <netinet/in.h>

struct session;

#define PROXY_OFTEN_MAX 16

/* What is said often: when it may be next, and how often it was not. */
struct said_often {
	const char *about;
	int64_t quiet_until_ns;
	uint64_t unsaid;
};

struct proxy {
	struct event_base *base;
	struct proxy_options options;
	struct listener **listeners;
	size_t listener_count, listener_cap;
	struct session *sessions;
	size_t session_count;
	size_t requests_held; /* bytes of memory, of clients logged in */
	int reserve; /* a descriptor to give up when there are no others */
	bool is_draining;
	struct said_often often[PROXY_OFTEN_MAX];
};

struct listener {
	struct proxy *proxy;
	struct upstream pair;
	struct evconnlistener *accepts;
	char *advertise_host;
	uint16_t advertise_port;
};

/* NULL and *err; *port is the one that it got. */
struct listener *listener_new(struct proxy *p, const struct proxy_pair *pair,
			      uint16_t *port, struct error *err);

/* Takes no more clients. */
void listener_stop(struct listener *l);

void listener_free(struct listener *l);

/*
 * Listens, for others than JMX's clients, too; on_client is given self.  NULL
 * and *err; *port is the one that it got.
 */
struct evconnlistener *listener_bind(struct proxy *p,
				     const struct sockaddr_storage *bind,
				     evconnlistener_cb on_client, void *self,
				     uint16_t *port, struct error *err);

/* True for a client that is among those of --allow, or of this machine. */
bool listener_allows(const struct proxy *p,
		     const struct sockaddr_storage *peer);

/* What to do in a listener's error callback; title: what it is for. */
void listener_send_away(struct proxy *p, struct evconnlistener *accepts,
			const char *title);

/* A line of the proxy's. */
void proxy_say(struct proxy *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * One that clients can cause: at most one about the same thing in ten seconds,
 * and how many there were.  about: a constant, or NULL for the format itself.
 */
void proxy_say_seldom(struct proxy *p, const char *about, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
