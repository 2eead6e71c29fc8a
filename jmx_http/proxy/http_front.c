/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/http_front.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/http_session.h"

#include <stdlib.h>
#include <string.h>

static void http_target_init(struct http_target *t, struct door *d,
			     const struct http_target_options *o)
{
	*t = (struct http_target){
		.name = xstrdup(o->name ? o->name : HTTP_FRONT_PATH),
		.title = xstrdup(o->title),
		.authority = xstrdup(o->authority),
		.host = xstrdup(o->host),
		.path = xstrdup(o->path),
		.authorization = o->authorization ? xstrdup(o->authorization)
						  : NULL,
	};
	t->agent = (struct http_agent){
		.to = {
			.base = d->base,
			.title = t->title,
			.host = t->host,
			.dialer = o->dialer,
			.tls = o->is_tls ? d->options.to_jvm : NULL,
			.connect_ns = d->options.connect_ns,
		},
		.port = o->port,
	};
	t->renew_bearer = o->renew_bearer;
	t->bearer_file = o->bearer_file ? xstrdup(o->bearer_file) : NULL;
	t->metrics = t->agent;
	t->metrics.to.dialer = o->metrics;
	t->metrics.to.tls = NULL;
	http_agent_init(&t->agent);
	http_agent_init(&t->metrics);
	t->serves_metrics = o->serves_metrics;
}

static void http_target_release(struct http_target *t)
{
	http_agent_release(&t->agent);
	http_agent_release(&t->metrics);
	dialer_free(t->metrics.to.dialer);
	dialer_free(t->agent.to.dialer);
	free(t->name);
	free(t->title);
	free(t->authority);
	free(t->host);
	free(t->path);
	free(t->bearer_file);
	http_target_forget_login(t);
}

/*
 * http_check: asks each agent for its version when the proxy starts, and
 * reports why clients will get no response.  Nothing waits for it.
 */
struct http_check {
	struct door *door;
	struct http_target *target;
	struct backend *backend; /* NULL: done */
	struct event *timer;
	size_t scanned;
};

static void check_end(struct http_check *c)
{
	backend_free(c->backend);
	c->backend = NULL;
	evtimer_del(c->timer);
}

/* fault begins with the agent's URL. */
static void check_fail(struct http_check *c, const char *fault)
{
	door_report(c->door, "%s; mxprx tries again for each request", fault);
	check_end(c);
}

static void check_on_ready(void *self, struct backend *b)
{
	struct http_check *c = self;
	const struct http_target *t = c->target;
	size_t len = strlen(t->path);
	struct evbuffer *out = evbuffer_new();

	if (!out)
		alloc_give_up(0);
	evbuffer_add_printf(out, "GET %s%sversion HTTP/1.1\r\nHost: %s\r\n",
			    t->path, len && t->path[len - 1] == '/' ? "" : "/",
			    t->authority);
	if (t->authorization)
		evbuffer_add_printf(out, "Authorization: %s\r\n",
				    t->authorization);
	evbuffer_add_printf(out, "Connection: close\r\n\r\n");
	socket_send(b->buffer, out);
	evbuffer_free(out);
}

/* A policy may deny this request, and clients may have a login. */
static void check_judge(struct http_check *c, unsigned status)
{
	const struct http_target *t = c->target;

	if (status == 401 && t->authorization)
		door_report(c->door, "%s: %s", t->title,
			    http_target_login_fault(t));
	else if (status == 404)
		door_report(c->door,
			    "%s: HTTP 404: no Jolokia agent at this path",
			    t->title);
	check_end(c);
}

static void check_on_arrived(void *self, struct backend *b)
{
	struct http_check *c = self;
	struct evbuffer *in = b->in;
	struct http_fault fault = { 0 };
	struct text line = { 0 };
	enum http_result result;
	struct http_head h;
	const char *bytes;
	size_t len = 0;

	http_agent_fill(b);
	bytes = (const char *)evbuffer_pullup(in, -1);
	result = http_head_find(bytes, evbuffer_get_length(in), &c->scanned,
				&len, &fault);
	if (result == HTTP_DONE &&
	    http_response_parse(&h, bytes, len, false, &fault)) {
		check_judge(c, h.status);
	} else if (result != HTTP_MORE) {
		text_printf(&line, "%s: the server does not speak HTTP: %s",
			    c->target->title, fault.why);
		check_fail(c, line.bytes);
		text_release(&line);
	}
}

static void check_on_ended(void *self, struct backend *b,
			   const struct error *err, bool is_cut)
{
	struct http_check *c = self;
	struct text line = { 0 };

	(void)is_cut;
	if (b->state == BACKEND_READY)
		check_on_arrived(c, b);
	if (!c->backend)
		return;
	if (!err)
		text_printf(&line,
			    "%s: the server closed the connection without a "
			    "response",
			    c->target->title);
	check_fail(c, err ? err->text : line.bytes);
	text_release(&line);
}

static void check_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct http_check *c = self;
	struct text line = { 0 };

	(void)fd;
	(void)what;
	text_printf(
		&line, "%s: the Jolokia agent sent no response within %.3g s",
		c->target->title,
		2 * (double)c->target->agent.to.connect_ns / CLOCK_NS_PER_S);
	check_fail(c, line.bytes);
	text_release(&line);
}

static const struct backend_events check_events = {
	.ready = check_on_ready,
	.arrived = check_on_arrived,
	.ended = check_on_ended,
};

static void http_check_start(struct http_check *c, struct door *d,
			     struct http_target *t)
{
	/* The dialer has the same limit, and its own message. */
	struct timeval limit = socket_timeval(2 * t->agent.to.connect_ns);

	c->door = d;
	c->target = t;
	c->timer = evtimer_new(d->base, check_on_timer, c);
	if (!c->timer)
		alloc_give_up(sizeof(*c));
	evtimer_add(c->timer, &limit);
	c->backend = http_agent_connect(&t->agent, false, &check_events, c);
}

static struct http_names http_names_copy(struct http_names from)
{
	const char **names = xcalloc(from.count + 1, sizeof(*names));

	for (size_t i = 0; i < from.count; i++)
		names[i] = xstrdup(from.names[i]);
	return (struct http_names){ names, from.count };
}

static void http_names_release(struct http_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free((char *)n->names[i]);
	free((const char **)n->names);
}

static void http_front_free(struct door_front *front)
{
	struct http_front *f = (struct http_front *)front;

	for (size_t i = 0; f->checks && i < f->target_count; i++) {
		backend_free(f->checks[i].backend);
		if (f->checks[i].timer)
			event_free(f->checks[i].timer);
	}
	free(f->checks);
	for (size_t i = 0; i < f->target_count; i++)
		http_target_release(&f->targets[i]);
	http_names_release(&f->hosts);
	http_names_release(&f->origins);
	http_names_release(&f->jolokia_targets);
	free(f->targets);
	free(f->title);
	free(f);
}

static const struct door_front_ops http_front_ops = {
	.begin = http_session_begin,
	.drain = http_session_drain,
	.on_limit = http_session_on_limit,
	.free_client = http_session_free,
	.free = http_front_free,
};

int http_front_add(struct door *d, const struct http_front_options *o,
		   struct error *err)
{
	struct http_front *f = xcalloc(1, sizeof(*f));
	int port;

	f->targets = xcalloc(o->target_count, sizeof(*f->targets));
	for (size_t i = 0; i < o->target_count; i++)
		http_target_init(&f->targets[i], d, &o->targets[i]);
	f->target_count = o->target_count;
	f->reply_ns = o->reply_ns;
	f->hosts = http_names_copy(o->hosts);
	f->origins = http_names_copy(o->origins);
	f->jolokia_targets = http_names_copy(o->jolokia_targets);
	f->rules = (struct jolokia_rules){
		.read_only = d->options.read_only,
		.targets = f->jolokia_targets.names,
		.target_count = f->jolokia_targets.count,
	};
	f->title = xstrdup(o->target_count == 1 ? o->targets->title : "HTTP");
	f->front = (struct door_front){ .ops = &http_front_ops,
					.title = f->title };
	port = door_listen(d, &f->front, o->bind, err);
	if (port < 0) {
		http_front_free(&f->front);
		return -1;
	}
	if (o->checks_agents) {
		f->checks = xcalloc(f->target_count, sizeof(*f->checks));
		for (size_t i = 0; i < f->target_count; i++)
			http_check_start(&f->checks[i], d, &f->targets[i]);
	}
	return port;
}
