/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/listener.h"

#include "core/base/alloc.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 128

static size_t clients_of(const struct proxy *p,
			 const struct sockaddr_storage *peer)
{
	struct text host = { 0 }, other = { 0 };
	size_t count = 0;

	socket_add_host(&host, peer);
	for (const struct session *s = p->sessions; s; s = s->next) {
		text_clear(&other);
		socket_add_host(&other, &s->peer);
		count += strcmp(host.bytes, other.bytes) == 0;
	}
	text_release(&host);
	text_release(&other);
	return count;
}

bool listener_allows(const struct proxy *p, const struct sockaddr_storage *peer)
{
	const struct proxy_options *o = &p->options;

	for (size_t i = 0; i < o->allowed_count; i++)
		if (cidr_has(&o->allowed[i], peer))
			return true;
	return !o->allowed_count || cidr_is_loopback(peer);
}

/* Why a client is not taken, or NULL. */
static const char *objection(const struct listener *l,
			     const struct sockaddr_storage *peer)
{
	const struct proxy_options *o = &l->proxy->options;

	if (!listener_allows(l->proxy, peer))
		return "it is not among those of --allow";
	if (l->proxy->session_count >= o->clients_max)
		return "there are as many clients as may be: --max-clients";
	if (clients_of(l->proxy, peer) >= o->clients_of_peer_max)
		return "there are as many clients of one host as may be";
	return NULL;
}

static void on_accept(struct evconnlistener *accepts, evutil_socket_t fd,
		      struct sockaddr *address, int len, void *arg)
{
	struct listener *l = arg;
	struct sockaddr_storage peer = { 0 };
	struct text host = { 0 };
	const char *why;

	(void)accepts;
	memcpy(&peer, address,
	       (size_t)len < sizeof(peer) ? (size_t)len : sizeof(peer));
	why = objection(l, &peer);
	if (!why) {
		session_begin(l, fd, &peer);
		return;
	}
	socket_add_host(&host, &peer);
	proxy_say_seldom(l->proxy, why, "%s: client %s refused: %s",
			 l->pair.title, host.bytes, why);
	text_release(&host);
	socket_reset_on_close(fd);
	close(fd);
}

/*
 * Without a descriptor for it, a client would wait in the queue and wake the
 * loop for ever.  It gets the one kept in reserve, and is sent away.
 */
void listener_send_away(struct proxy *p, struct evconnlistener *accepts,
			const char *title)
{
	int sys = EVUTIL_SOCKET_ERROR(), fd;

	proxy_say_seldom(p, NULL, "%s: a client cannot be taken: %s", title,
			 strerror(sys));
	if (sys != EMFILE && sys != ENFILE)
		return;
	if (p->reserve >= 0)
		close(p->reserve);
	fd = accept4(evconnlistener_get_fd(accepts), NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0) {
		socket_reset_on_close(fd);
		close(fd);
	}
	p->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_error(struct evconnlistener *accepts, void *arg)
{
	struct listener *l = arg;

	listener_send_away(l->proxy, accepts, l->pair.title);
}

static void cannot_bind(const struct sockaddr_storage *bind, struct error *err)
{
	struct text name = { 0 };

	rmi_address_add(&name, bind);
	fail_sys(err, ERROR_REFUSED, "%s cannot be listened on", name.bytes);
	text_release(&name);
}

struct evconnlistener *listener_bind(struct proxy *p,
				     const struct sockaddr_storage *bind,
				     evconnlistener_cb on_client, void *self,
				     uint16_t *port, struct error *err)
{
	const unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
			       LEV_OPT_REUSEABLE;
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);
	struct evconnlistener *accepts = evconnlistener_new_bind(
		p->base, on_client, self, flags, BACKLOG,
		(const struct sockaddr *)bind,
		bind->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
					    : sizeof(struct sockaddr_in));

	if (!accepts) {
		cannot_bind(bind, err);
		return NULL;
	}
	getsockname(evconnlistener_get_fd(accepts), (struct sockaddr *)&local,
		    &len);
	*port = socket_port(&local);
	return accepts;
}

struct listener *listener_new(struct proxy *p, const struct proxy_pair *pair,
			      uint16_t *port, struct error *err)
{
	struct listener *l = xcalloc(1, sizeof(*l));

	l->proxy = p;
	l->pair.title = xstrdup(pair->title);
	l->pair.host = xstrdup(pair->host);
	l->pair.dialer = pair->dialer;
	l->pair.registry.port = pair->port;
	l->pair.registry.tls = ENDPOINT_LOOK;
	if (pair->stub) {
		l->pair.has_stub = true;
		l->pair.stub = *pair->stub;
		upstream_learn_server(&l->pair, &l->pair.stub, false);
	}
	if (pair->advertise_host)
		l->advertise_host = xstrdup(pair->advertise_host);
	l->advertise_port = pair->advertise_port;
	l->accepts = listener_bind(p, pair->bind, on_accept, l, port, err);
	if (l->accepts) {
		evconnlistener_set_error_cb(l->accepts, on_error);
		return l;
	}
	listener_free(l);
	return NULL;
}

void listener_stop(struct listener *l)
{
	if (l->accepts)
		evconnlistener_free(l->accepts);
	l->accepts = NULL;
}

void listener_free(struct listener *l)
{
	if (!l)
		return;
	listener_stop(l);
	upstream_release(&l->pair);
	free(l->advertise_host);
	free(l);
}
