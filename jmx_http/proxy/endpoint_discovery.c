/* SPDX-License-Identifier: Apache-2.0 */
/* Runs lookups as a state machine in the event loop. */
#include "jmx_http/proxy/endpoint_discovery.h"

#include "core/base/alloc.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/rmi/login.h"

#include <event2/buffer.h>
#include <event2/dns.h>
#include <event2/util.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ENTRY     "jmxrmi"
#define PIECE_MAX 4096
#define REPLY_MAX ((size_t)1 << 20)

static bool places_have(const struct host_port *places, size_t count,
			const char *host, uint16_t port)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].port == port &&
		    strcasecmp(places[i].host, host) == 0)
			return true;
	return false;
}

bool endpoint_discovery_has(const struct endpoint_discovery *a,
			    const char *host, uint16_t port)
{
	return places_have(a->places, a->count, host, port);
}

bool endpoint_discovery_is_running(const struct endpoint_discovery *a)
{
	return a->stage != ENDPOINT_DISCOVERY_IDLE;
}

static void discovery_add(struct endpoint_discovery *a, const char *host,
			  uint16_t port)
{
	struct host_port *place = &a->found[a->found_count];

	if (!*host || strlen(host) > NET_HOST_MAX ||
	    a->found_count == ENDPOINT_DISCOVERY_MAX ||
	    places_have(a->found, a->found_count, host, port))
		return;
	memcpy(place->host, host, strlen(host) + 1);
	place->port = port;
	a->found_count++;
}

/* Starts a stage from the event loop, because callers may be in a callback. */
static void discovery_set_stage(struct endpoint_discovery *a,
				enum endpoint_discovery_stage stage)
{
	const struct timeval at_once = { 0, 0 };

	a->stage = stage;
	evtimer_add(a->next, &at_once);
}

static void discovery_fail(struct endpoint_discovery *a,
			   const struct error *err)
{
	a->err = *err;
	discovery_set_stage(a, ENDPOINT_DISCOVERY_DONE);
}

static void discovery_on_resolved(int status, struct evutil_addrinfo *list,
				  void *arg)
{
	struct endpoint_discovery *a = arg;

	if (status == EVUTIL_EAI_CANCEL)
		return;
	a->request = NULL;
	for (struct evutil_addrinfo *one = status ? NULL : list; one;
	     one = one->ai_next) {
		struct sockaddr_storage address = { 0 };
		struct text host = { 0 };

		memcpy(&address, one->ai_addr, one->ai_addrlen);
		socket_add_host(&host, &address);
		discovery_add(a, host.bytes, a->looked_up);
		text_release(&host);
	}
	if (list)
		evutil_freeaddrinfo(list);
	discovery_set_stage(a, a->stage + 1);
}

/* Adds the name and its addresses: clients request one or the other. */
static void discovery_resolve(struct endpoint_discovery *a, const char *host,
			      uint16_t port)
{
	struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};

	discovery_add(a, host, port);
	a->looked_up = port;
	if (!a->dns) {
		discovery_set_stage(a, a->stage + 1);
		return;
	}
	/* NULL if the callback has been called already. */
	a->request = evdns_getaddrinfo(a->dns, host, NULL, &hints,
				       discovery_on_resolved, a);
}

static void discovery_end_call(struct endpoint_discovery *a)
{
	backend_free(a->backend);
	a->backend = NULL;
	if (a->reply)
		jrmp_return_release(a->reply);
	free(a->reply);
	a->reply = NULL;
}

static void discovery_read_stub(struct endpoint_discovery *a)
{
	const struct jrmp_return *r = a->reply;
	struct error err = { 0 };
	struct stub stub;

	if (rmi_lookup_stub(r, &stub, &err)) {
		err.kind = ERROR_REFUSED;
		fail_in(&err, "%s: the RMI registry", a->jvm->title);
		discovery_fail(a, &err);
	} else {
		memcpy(a->sent_to.host, stub.host, sizeof(stub.host));
		a->sent_to.port = stub.port;
		discovery_end_call(a);
		discovery_resolve(a, a->sent_to.host, a->sent_to.port);
	}
}

static void discovery_on_arrived(void *self, struct backend *b)
{
	struct endpoint_discovery *a = self;
	struct evbuffer *in = backend_input(b);
	enum java_status status = JAVA_MORE;
	struct error err;

	while (status == JAVA_MORE && evbuffer_get_length(in)) {
		size_t len = evbuffer_get_length(in), used;

		if (a->stage != ENDPOINT_DISCOVERY_LOOKUP)
			return;
		if (len > PIECE_MAX)
			len = PIECE_MAX;
		status = jrmp_return_read(a->reply,
					  evbuffer_pullup(in, (ssize_t)len),
					  len, &used);
		evbuffer_drain(in, used);
	}
	if (status == JAVA_DONE) {
		discovery_set_stage(a, ENDPOINT_DISCOVERY_STUB);
	} else if (status == JAVA_WRONG ||
		   a->reply->stream.offset > REPLY_MAX) {
		fail(&err, ERROR_REFUSED,
		     "%s: the registry sent something that is not an RMI "
		     "return",
		     a->jvm->title);
		discovery_fail(a, &err);
	}
}

static void discovery_on_drained(void *self, struct backend *b)
{
	(void)self;
	(void)b;
}

static void discovery_on_ended(void *self, struct backend *b,
			       const struct error *err)
{
	struct endpoint_discovery *a = self;
	struct error closed;

	(void)b;
	if (a->stage != ENDPOINT_DISCOVERY_LOOKUP)
		return;
	if (!err) {
		fail(&closed, ERROR_REFUSED,
		     "%s: the registry closed the connection", a->jvm->title);
		err = &closed;
	}
	discovery_fail(a, err);
}

static const struct backend_events discovery_events = {
	.arrived = discovery_on_arrived,
	.drained = discovery_on_drained,
	.ended = discovery_on_ended,
};

static void discovery_look_up(struct endpoint_discovery *a)
{
	struct backend_context context = {
		.base = a->base,
		.tls = a->tls,
		.connect_ns = a->connect_ns,
		.events = &discovery_events,
		.self = a,
	};
	struct timeval limit = socket_timeval(2 * a->connect_ns);
	struct text call = { 0 };

	a->reply = xcalloc(1, sizeof(*a->reply));
	a->backend = backend_new(&context, a->jvm, a->jvm->registry);
	rmi_add_lookup(&call, ENTRY, strlen(ENTRY));
	backend_send(a->backend, &call);
	/* Limits the time of a registry that greets and then stalls. */
	evtimer_add(a->next, &limit);
}

static void discovery_finish(struct endpoint_discovery *a)
{
	bool failed = a->err.kind != ERROR_NONE;

	discovery_end_call(a);
	if (!failed) {
		memcpy(a->places, a->found, sizeof(a->places));
		a->count = a->found_count;
	}
	a->stage = ENDPOINT_DISCOVERY_IDLE;
	a->done(a->self, failed ? &a->err : NULL);
}

static void discovery_on_next(evutil_socket_t fd, short what, void *arg)
{
	struct endpoint_discovery *a = arg;
	struct error err;

	(void)fd;
	(void)what;
	switch (a->stage) {
	case ENDPOINT_DISCOVERY_IDLE:
		break;
	case ENDPOINT_DISCOVERY_HOST:
		discovery_resolve(a, a->host, a->jvm->registry.port);
		break;
	case ENDPOINT_DISCOVERY_LOOKUP:
		if (!a->backend) {
			discovery_look_up(a);
			break;
		}
		fail(&err, ERROR_REFUSED, "%s: the registry does not reply",
		     a->jvm->title);
		discovery_fail(a, &err);
		break;
	case ENDPOINT_DISCOVERY_STUB:
		discovery_read_stub(a);
		break;
	case ENDPOINT_DISCOVERY_DONE:
		discovery_finish(a);
		break;
	}
}

void endpoint_discovery_start(struct endpoint_discovery *a)
{
	if (endpoint_discovery_is_running(a))
		return;
	a->found_count = 0;
	a->err.kind = ERROR_NONE;
	discovery_set_stage(a, ENDPOINT_DISCOVERY_HOST);
}

void endpoint_discovery_init(struct endpoint_discovery *a,
			     struct event_base *base, struct upstream *jvm,
			     const char *host, SSL_CTX *tls, int64_t connect_ns,
			     void (*done)(void *self, const struct error *err),
			     void *self)
{
	*a = (struct endpoint_discovery){
		.base = base,
		.jvm = jvm,
		.host = xstrdup(host),
		.tls = tls,
		.connect_ns = connect_ns,
		.done = done,
		.self = self,
	};
	a->next = evtimer_new(base, discovery_on_next, a);
	a->dns = evdns_base_new(base, EVDNS_BASE_INITIALIZE_NAMESERVERS |
					      EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (a->dns) {
		evdns_base_set_option(a->dns, "timeout", "2");
		evdns_base_set_option(a->dns, "attempts", "1");
	}
	discovery_add(a, host, jvm->registry.port);
	memcpy(a->places, a->found, sizeof(a->places));
	a->count = a->found_count;
}

void endpoint_discovery_release(struct endpoint_discovery *a)
{
	if (a->request)
		evdns_getaddrinfo_cancel(a->request);
	if (a->dns)
		evdns_base_free(a->dns, 0);
	discovery_end_call(a);
	if (a->next)
		event_free(a->next);
	free(a->host);
	*a = (struct endpoint_discovery){ 0 };
}
