/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/upstream.h"

#include "core/base/alloc.h"
#include "jmx_http/net/cidr.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void upstream_init(struct upstream *u, const struct upstream_options *o)
{
	*u = (struct upstream){
		.title = xstrdup(o->title),
		.host = xstrdup(o->host),
		.dialer = o->dialer,
		.registry = { o->port, ENDPOINT_LOOK },
	};
	if (!o->stub)
		return;
	u->has_stub = true;
	u->stub = *o->stub;
	upstream_learn_server(u, &u->stub, false);
}

static const struct route *route_find(const struct upstream *p,
				      const struct jrmp_id *id)
{
	for (size_t i = 0; i < p->route_count; i++)
		if (memcmp(&p->routes[i].id, id, sizeof(*id)) == 0)
			return &p->routes[i];
	return NULL;
}

bool upstream_knows(const struct upstream *p, const struct jrmp_id *id)
{
	return route_find(p, id);
}

static void upstream_check_server(struct upstream *p)
{
	const struct dialer *d = p->dialer;
	unsigned now;

	if (!d || !d->ops->generation)
		return;
	now = d->ops->generation(d);
	if (now == p->generation)
		return;
	p->generation = now;
	p->has_server = p->has_jmxrmi = false;
	p->route_count = p->next_route = 0;
	p->registry.tls = ENDPOINT_LOOK;
}

/*
 * An unknown object is assumed to be at the server's port: many objects are, or
 * a client received its stub before the proxy started.
 */
struct endpoint upstream_route(struct upstream *p, const struct jrmp_id *id)
{
	const struct route *r;

	upstream_check_server(p);
	r = route_find(p, id);
	if (r)
		return r->endpoint;
	if (p->has_server && memcmp(id, &jrmp_registry, sizeof(*id)) != 0)
		return p->server;
	return p->registry;
}

static struct endpoint stub_endpoint(const struct stub *stub)
{
	struct endpoint e = { .port = stub->port, .tls = ENDPOINT_LOOK };

	if (!stub->factory.len)
		e.tls = ENDPOINT_PLAIN;
	else if (java_bytes_are(stub->factory,
				"javax.rmi.ssl.SslRMIClientSocketFactory"))
		e.tls = ENDPOINT_TLS;
	return e;
}

static void upstream_set_server(struct upstream *p, const struct stub *stub,
				struct endpoint e)
{
	p->server_port = stub->port;
	p->server = e;
	p->has_server = true;
}

static void upstream_add_route(struct upstream *p, const struct stub *stub,
			       struct endpoint e)
{
	struct route *r = (struct route *)route_find(p, &stub->id);

	if (!r) {
		r = &p->routes[p->next_route];
		p->next_route = (p->next_route + 1) % UPSTREAM_ROUTES_MAX;
		if (p->route_count < UPSTREAM_ROUTES_MAX)
			p->route_count++;
	}
	*r = (struct route){ .id = stub->id, .endpoint = e };
}

void upstream_learn_server(struct upstream *p, const struct stub *stub,
			   bool at_registry)
{
	/* The connection of this reply may have reached a new JVM. */
	upstream_check_server(p);
	upstream_set_server(p, stub,
			    at_registry ? p->registry : stub_endpoint(stub));
	p->has_jmxrmi = true;
}

void upstream_learn_other(struct upstream *p, const struct stub *stub,
			  bool at_registry)
{
	struct endpoint e = at_registry ? p->registry : stub_endpoint(stub);

	if (p->has_jmxrmi)
		upstream_add_route(p, stub, e);
	else
		upstream_set_server(p, stub, e);
}

bool upstream_has_session(struct upstream *p, const struct jrmp_id *id)
{
	for (size_t i = 0; i < UPSTREAM_SESSIONS_MAX; i++) {
		struct known_session *k = &p->sessions[i];

		if (!k->used || memcmp(&k->id, id, sizeof(*id)) != 0)
			continue;
		k->used = ++p->session_uses;
		return true;
	}
	return false;
}

static void upstream_add_session(struct upstream *p, const struct jrmp_id *id)
{
	struct known_session *oldest = &p->sessions[0];

	if (upstream_has_session(p, id))
		return;
	for (size_t i = 1; i < UPSTREAM_SESSIONS_MAX; i++)
		if (p->sessions[i].used < oldest->used)
			oldest = &p->sessions[i];
	*oldest = (struct known_session){ *id, ++p->session_uses };
}

void upstream_learn_session(struct upstream *p, const struct stub *stub)
{
	upstream_add_session(p, &stub->id);
	if (!p->has_server || stub->port != p->server_port)
		upstream_add_route(p, stub, stub_endpoint(stub));
}

static void endpoint_learn_tls(struct endpoint *e, uint16_t port,
			       enum endpoint_tls tls)
{
	if (e->port == port)
		e->tls = tls;
}

void upstream_learn_tls(struct upstream *p, uint16_t port,
			enum endpoint_tls tls)
{
	endpoint_learn_tls(&p->registry, port, tls);
	endpoint_learn_tls(&p->server, port, tls);
	for (size_t i = 0; i < p->route_count; i++)
		endpoint_learn_tls(&p->routes[i].endpoint, port, tls);
}

bool upstream_is_remote(const struct upstream *p)
{
	return upstream_crosses_network(p->dialer, p->host);
}

bool upstream_crosses_network(const struct dialer *d, const char *host)
{
	struct sockaddr_storage a = { 0 };
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&a;
	struct sockaddr_in *four = (struct sockaddr_in *)&a;

	if (!d->ops->crosses_network || strcasecmp(host, "localhost") == 0)
		return false;
	if (inet_pton(AF_INET, host, &four->sin_addr) == 1)
		a.ss_family = AF_INET;
	else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1)
		a.ss_family = AF_INET6;
	return !a.ss_family || !cidr_is_loopback(&a);
}

void upstream_release(struct upstream *p)
{
	free(p->title);
	free(p->host);
	dialer_free(p->dialer);
	*p = (struct upstream){ 0 };
}
