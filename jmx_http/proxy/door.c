/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts clients, limits them and their memory, and shuts the proxy down. */
#include "jmx_http/proxy/door.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "jmx_http/net/address.h"
#include "jmx_http/net/socket.h"

#include <errno.h>
#include <event2/bufferevent_ssl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL_LOG_TEXT_MAX 512 /* bytes of a name */

#define BACKLOG           1024
#define LIMITED_NS        (10 * CLOCK_NS_PER_S)
#define DRAIN_NS          (CLOCK_NS_PER_S / 10)
#define TICK_NS           (CLOCK_NS_PER_S / 5)

/*
 * Memory for all messages that clients are sending.  MEMORY_MAX is four times
 * the largest message (REQUEST_MEMORY_MAX).  UNTRUSTED_MEMORY_MAX is enough for
 * the largest message of 128 clients without a login; the rest is reserved for
 * clients that have logged in.
 */
#define MEMORY_MAX           ((size_t)256 << 20)
#define UNTRUSTED_MEMORY_MAX ((size_t)32 << 20)

static void door_vreport(struct door *d, const char *fmt, va_list args)
{
	char *line = NULL;

	if (vasprintf(&line, fmt, args) < 0)
		return;
	d->options.report(d->options.self, line);
	free(line);
}

void door_report(struct door *d, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	door_vreport(d, fmt, args);
	va_end(args);
}

/* The entry of this message, or the least recently printed entry. */
static struct door_message *door_message_find(struct door *d, const char *about)
{
	struct door_message *oldest = &d->messages[0];

	for (size_t i = 0; i < DOOR_LIMITED_MAX; i++) {
		if (d->messages[i].about == about)
			return &d->messages[i];
		if (d->messages[i].quiet_until_ns < oldest->quiet_until_ns)
			oldest = &d->messages[i];
	}
	*oldest = (struct door_message){ .about = about };
	return oldest;
}

void door_report_limited(struct door *d, const char *about, const char *fmt,
			 ...)
{
	struct door_message *m = door_message_find(d, about ? about : fmt);
	int64_t now = clock_monotonic_ns();
	va_list args;

	if (now < m->quiet_until_ns) {
		m->suppressed++;
		return;
	}
	va_start(args, fmt);
	door_vreport(d, fmt, args);
	va_end(args);
	if (m->suppressed)
		door_report(d, "%" PRIu64 " similar message%s suppressed",
			    m->suppressed, units_plural(m->suppressed));
	m->suppressed = 0;
	m->quiet_until_ns = clock_after(now, LIMITED_NS);
}

static void call_log_add_text(struct text *to, struct policy_text t)
{
	if (t.len)
		text_add(to, t.at,
			 t.len < CALL_LOG_TEXT_MAX ? t.len : CALL_LOG_TEXT_MAX);
}

void call_log_begin(struct call_log *l, const struct policy_call *c,
		    size_t request_len)
{
	call_log_release(l);
	l->method = c->method;
	l->request_len = request_len;
	l->begin_ns = clock_monotonic_ns();
	l->end_ns = l->begin_ns;
	call_log_add_text(&l->object, c->object);
	call_log_add_text(&l->member, c->member);
	if (c->member_count > 1)
		text_printf(&l->member, " and %zu more", c->member_count - 1);
}

void call_log_add(struct call_log *l, size_t len)
{
	if (!l->method)
		return;
	l->len += len;
	l->end_ns = clock_monotonic_ns();
}

bool call_log_is_over(const struct call_log *l, int64_t since_ns)
{
	return l->method && (l->len || l->refused) && l->end_ns <= since_ns;
}

void call_log_release(struct call_log *l)
{
	text_release(&l->object);
	text_release(&l->member);
	*l = (struct call_log){ 0 };
}

void door_log_call(const struct door_client *c, struct call_log *l,
		   const char *target)
{
	const struct door_options *o = &c->front->door->options;
	struct text client = { 0 };
	struct proxy_call call = {
		.target = target,
		.method = l->method,
		.object = l->object.bytes ? l->object.bytes : "",
		.member = l->member.bytes ? l->member.bytes : "",
		.refused = l->refused ? l->refused : "",
		.is_exception = l->is_exception,
		.request_len = l->request_len,
		.len = l->len,
		.ns = l->end_ns - l->begin_ns,
	};

	net_address_add(&client, &c->peer);
	call.client = client.bytes;
	o->call(o->self, &call);
	text_release(&client);
	call_log_release(l);
}

struct door *door_new(const struct door_options *options, struct error *err)
{
	struct event_base *base = event_base_new();
	struct door *d;

	if (!base) {
		fail(err, ERROR_FAILED, "cannot create an event loop");
		return NULL;
	}
	d = xcalloc(1, sizeof(*d));
	d->base = base;
	d->options = *options;
	d->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return d;
}

static void door_client_arm(struct door_client *c, int64_t ns)
{
	struct timeval tv = socket_timeval(ns);

	c->armed_ns = clock_after(clock_monotonic_ns(), ns);
	evtimer_add(c->timer, &tv);
}

/*
 * If the timer fires before the deadline, it is not changed, which saves a
 * change for each request.
 */
void door_client_limit(struct door_client *c, int64_t ns)
{
	c->deadline_ns = ns ? clock_after(clock_monotonic_ns(), ns) : 0;
	if (ns && (!c->armed_ns || c->deadline_ns < c->armed_ns))
		door_client_arm(c, ns);
}

static void door_client_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct door_client *c = arg;
	int64_t now = clock_monotonic_ns();

	(void)fd;
	(void)what;
	c->armed_ns = 0;
	if (c->is_dead)
		c->front->ops->free_client(c);
	else if (c->deadline_ns && now < c->deadline_ns)
		door_client_arm(c, c->deadline_ns - now + CLOCK_NS_PER_MS);
	else if (c->deadline_ns)
		c->front->ops->on_limit(c);
}

void door_client_die(struct door_client *c)
{
	c->is_dead = true;
	if (c->stream) {
		bufferevent_setcb(c->stream, NULL, NULL, NULL, NULL);
		bufferevent_disable(c->stream, EV_READ | EV_WRITE);
	}
	door_client_arm(c, 0);
}

void door_client_accept_tls(struct door_client *c)
{
	struct door *d = c->front->door;
	SSL *ssl = SSL_new(d->options.to_client);
	evutil_socket_t fd = bufferevent_getfd(c->stream);

	if (!ssl)
		alloc_give_up(sizeof(*d));
	SSL_set_read_ahead(ssl, 0);
	bufferevent_setfd(c->stream, -1);
	bufferevent_free(c->stream);
	c->stream = bufferevent_openssl_socket_new(d->base, fd, ssl,
						   BUFFEREVENT_SSL_ACCEPTING,
						   BEV_OPT_CLOSE_ON_FREE);
	if (!c->stream)
		alloc_give_up(sizeof(*d));
	bufferevent_openssl_set_allow_dirty_shutdown(c->stream, 1);
	c->is_tls = true;
}

/*
 * With TLS, Libevent stops writing after an EOF, and reports a connection that
 * was reset as an EOF while writing.
 */
bool door_client_may_read(struct door_client *c, short what)
{
	if (what & (BEV_EVENT_ERROR | BEV_EVENT_WRITING))
		return false;
	if (c->is_tls && what & BEV_EVENT_EOF)
		bufferevent_enable(c->stream, EV_WRITE);
	return !c->is_dead;
}

void door_enter(struct door_front *f, struct door_client *c, evutil_socket_t fd,
		const struct sockaddr_storage *peer)
{
	struct door *d = f->door;

	c->front = f;
	c->peer = *peer;
	c->stream = bufferevent_socket_new(d->base, fd, BEV_OPT_CLOSE_ON_FREE);
	c->timer = evtimer_new(d->base, door_client_on_timer, c);
	if (!c->stream || !c->timer)
		alloc_give_up(sizeof(*c));
	c->next = d->clients;
	c->at = &d->clients;
	if (c->next)
		c->next->at = &c->next;
	d->clients = c;
	d->client_count++;
}

void door_leave(struct door_client *c)
{
	door_set_memory(c, 0, c->is_trusted);
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	c->front->door->client_count--;
	if (c->stream)
		bufferevent_free(c->stream);
	event_free(c->timer);
}

bool door_set_memory(struct door_client *c, size_t bytes, bool is_trusted)
{
	struct door *d = c->front->door;

	d->memory += bytes - c->memory;
	d->untrusted_memory += (is_trusted ? 0 : bytes) -
			       (c->is_trusted ? 0 : c->memory);
	c->memory = bytes;
	c->is_trusted = is_trusted;
	return d->memory <= MEMORY_MAX &&
	       (is_trusted || d->untrusted_memory <= UNTRUSTED_MEMORY_MAX);
}

static bool door_allows(const struct door *d,
			const struct sockaddr_storage *peer)
{
	const struct door_options *o = &d->options;

	for (size_t i = 0; i < o->allowed_count; i++)
		if (cidr_has(&o->allowed[i], peer))
			return true;
	return !o->allowed_count || cidr_is_loopback(peer);
}

static size_t door_clients_of(const struct door *d,
			      const struct sockaddr_storage *peer)
{
	const struct cidr host = cidr_of(peer);
	size_t count = 0;

	for (const struct door_client *c = d->clients; c; c = c->next)
		count += cidr_has(&host, &c->peer);
	return count;
}

/* The reason why a client may not connect, or NULL. */
static const char *door_objection(const struct door *d,
				  const struct sockaddr_storage *peer)
{
	const struct door_options *o = &d->options;

	if (d->is_draining)
		return "mxprx is shutting down";
	if (!door_allows(d, peer))
		return "its address is not in a network of --allow";
	if (d->client_count >= o->clients_max)
		return "the limit of --max-clients is reached";
	if (door_clients_of(d, peer) >= o->clients_per_host_max)
		return "the limit of --max-clients-per-host is reached";
	return NULL;
}

static void door_report_peer(const struct door_front *f,
			     const struct sockaddr_storage *peer,
			     const char *about, const char *event,
			     const char *why)
{
	struct text client = { 0 };

	socket_add_host(&client, peer);
	if (event)
		text_printf(&client, " %s", event);
	door_report_limited(f->door, about, "%s: client %s: %s", f->title,
			    client.bytes, why);
	text_release(&client);
}

void door_client_report(const struct door_client *c, const char *about,
			const char *event, const char *why)
{
	door_report_peer(c->front, &c->peer, about, event, why);
}

static void door_on_accept(struct evconnlistener *listener, evutil_socket_t fd,
			   struct sockaddr *address, int len, void *arg)
{
	struct door_front *f = arg;
	struct sockaddr_storage peer = { 0 };
	const char *why;

	(void)listener;
	memcpy(&peer, address,
	       (size_t)len < sizeof(peer) ? (size_t)len : sizeof(peer));
	why = door_objection(f->door, &peer);
	if (!why) {
		socket_set(fd);
		f->ops->begin(f, fd, &peer);
		return;
	}
	door_report_peer(f, &peer, why, "rejected", why);
	socket_reset_on_close(fd);
	close(fd);
}

/*
 * Without a free descriptor, a client would stay in the queue and wake the loop
 * forever.  Accept it with the reserved descriptor, and reset the connection.
 */
static void door_on_accept_error(struct evconnlistener *listener, void *arg)
{
	int sys = EVUTIL_SOCKET_ERROR(), fd;
	struct door_front *f = arg;
	struct door *d = f->door;

	door_report_limited(d, NULL, "%s: cannot accept a client: %s", f->title,
			    strerror(sys));
	if (sys != EMFILE && sys != ENFILE)
		return;
	if (d->reserve >= 0)
		close(d->reserve);
	fd = accept4(evconnlistener_get_fd(listener), NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0) {
		socket_reset_on_close(fd);
		close(fd);
	}
	d->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int door_fail_bind(const struct sockaddr_storage *bind,
			  struct error *err)
{
	struct text name = { 0 };

	net_address_add(&name, bind);
	fail_sys(err, ERROR_REFUSED, "cannot listen on %s", name.bytes);
	text_release(&name);
	return -1;
}

int door_listen(struct door *d, struct door_front *f,
		const struct sockaddr_storage *bind, struct error *err)
{
	const unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
			       LEV_OPT_REUSEABLE;
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);

	f->listener = evconnlistener_new_bind(
		d->base, door_on_accept, f, flags, BACKLOG,
		(const struct sockaddr *)bind,
		bind->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
					    : sizeof(struct sockaddr_in));
	if (!f->listener)
		return door_fail_bind(bind, err);
	evconnlistener_set_error_cb(f->listener, door_on_accept_error);
	f->door = d;
	f->next = d->fronts;
	d->fronts = f;
	getsockname(evconnlistener_get_fd(f->listener),
		    (struct sockaddr *)&local, &len);
	return socket_port(&local);
}

/* Ends idle clients, and the loop after the last client. */
static void door_drain(struct door *d)
{
	struct door_client *next;

	for (struct door_client *c = d->clients; c; c = next) {
		next = c->next;
		c->front->ops->drain(c);
	}
	if (!d->clients)
		event_base_loopbreak(d->base);
}

static void door_on_drain(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	door_drain(arg);
}

static void door_on_limit(evutil_socket_t fd, short what, void *arg)
{
	struct door *d = arg;

	(void)fd;
	(void)what;
	event_base_loopbreak(d->base);
}

static void door_on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct door *d = arg;

	(void)fd;
	(void)what;
	for (struct door_client *c = d->clients; c; c = c->next)
		if (c->front->ops->tick)
			c->front->ops->tick(c);
}

/* The events of door_run(). */
enum { EVENT_INT, EVENT_TERM, EVENT_DRAIN, EVENT_LIMIT, EVENT_TICK, EVENTS };

struct door_events {
	struct door *door;
	struct event *all[EVENTS];
};

static void door_on_signal(evutil_socket_t number, short what, void *arg)
{
	struct door_events *events = arg;
	struct door *d = events->door;
	struct timeval drain = socket_timeval(DRAIN_NS);
	struct timeval limit = socket_timeval(d->options.shutdown_ns);

	(void)number;
	(void)what;
	/* Restores the handlers from before door_run() for a second signal. */
	event_del(events->all[EVENT_INT]);
	event_del(events->all[EVENT_TERM]);
	d->is_draining = true;
	for (struct door_front *f = d->fronts; f; f = f->next) {
		evconnlistener_free(f->listener);
		f->listener = NULL;
	}
	event_add(events->all[EVENT_DRAIN], &drain);
	event_add(events->all[EVENT_LIMIT], &limit);
	if (d->client_count)
		door_report(d, "shutting down; clients still connected: %zu",
			    d->client_count);
	door_drain(d);
}

/* A signal that nohup(1) or a shell had ignored stays ignored. */
static void door_handle(struct event *event, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 &&
	    action.sa_handler == SIG_IGN)
		return;
	event_add(event, NULL);
}

int door_run(struct door *d, struct error *err)
{
	struct door_events events = { .door = d };
	struct event **all = events.all;
	struct timeval tick = socket_timeval(TICK_NS);
	int ret;

	all[EVENT_INT] = evsignal_new(d->base, SIGINT, door_on_signal, &events);
	all[EVENT_TERM] = evsignal_new(d->base, SIGTERM, door_on_signal,
				       &events);
	all[EVENT_DRAIN] = event_new(d->base, -1, EV_PERSIST, door_on_drain, d);
	all[EVENT_LIMIT] = evtimer_new(d->base, door_on_limit, d);
	all[EVENT_TICK] = event_new(d->base, -1, EV_PERSIST, door_on_tick, d);
	if (d->options.call)
		event_add(all[EVENT_TICK], &tick);
	door_handle(all[EVENT_INT], SIGINT);
	door_handle(all[EVENT_TERM], SIGTERM);
	ret = event_base_dispatch(d->base);
	for (size_t i = 0; i < EVENTS; i++)
		event_free(all[i]);
	return ret < 0 ? fail(err, ERROR_FAILED, "the event loop failed") : 0;
}

void door_free(struct door *d)
{
	if (!d)
		return;
	while (d->clients)
		d->clients->front->ops->free_client(d->clients);
	while (d->fronts) {
		struct door_front *f = d->fronts;

		d->fronts = f->next;
		if (f->listener)
			evconnlistener_free(f->listener);
		f->ops->free(f);
	}
	event_base_free(d->base);
	if (d->reserve >= 0)
		close(d->reserve);
	free(d);
}
