/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/proxy.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/session.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define SELDOM_NS (10 * CLOCK_NS_PER_S)
#define LOOK_NS   (CLOCK_NS_PER_S / 10) /* while it drains */
#define LOG_NS    (CLOCK_NS_PER_S / 5)

static void say(struct proxy *p, const char *fmt, va_list args)
{
	char *line = NULL;

	if (vasprintf(&line, fmt, args) < 0)
		return;
	p->options.say(p->options.self, line);
	free(line);
}

void proxy_say(struct proxy *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(p, fmt, args);
	va_end(args);
}

/* Its place, or that of what was said longest ago. */
static struct said_often *place_of(struct proxy *p, const char *about)
{
	struct said_often *oldest = &p->often[0];

	for (size_t i = 0; i < PROXY_OFTEN_MAX; i++) {
		if (p->often[i].about == about)
			return &p->often[i];
		if (p->often[i].quiet_until_ns < oldest->quiet_until_ns)
			oldest = &p->often[i];
	}
	*oldest = (struct said_often){ .about = about };
	return oldest;
}

void proxy_say_seldom(struct proxy *p, const char *about, const char *fmt, ...)
{
	struct said_often *o = place_of(p, about ? about : fmt);
	int64_t now = clock_monotonic_ns();
	va_list args;

	if (now < o->quiet_until_ns) {
		o->unsaid++;
		return;
	}
	va_start(args, fmt);
	say(p, fmt, args);
	va_end(args);
	if (o->unsaid)
		proxy_say(p, "and %" PRIu64 " times more since", o->unsaid);
	o->unsaid = 0;
	o->quiet_until_ns = clock_after(now, SELDOM_NS);
}

struct proxy *proxy_new(const struct proxy_options *options, struct error *err)
{
	struct event_base *base = event_base_new();
	struct proxy *p;

	if (!base) {
		fail(err, ERROR_FAILED, "no event loop is to be had");
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->base = base;
	p->options = *options;
	p->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return p;
}

struct event_base *proxy_base(struct proxy *p) { return p->base; }

int proxy_add(struct proxy *p, const struct proxy_pair *pair, struct error *err)
{
	uint16_t port;
	struct listener *l = listener_new(p, pair, &port, err);

	if (!l)
		return -1;
	array_reserve(p->listeners, p->listener_cap, p->listener_count + 1);
	p->listeners[p->listener_count++] = l;
	return port;
}

/* Ends the sessions that wait for nothing, and all of it after the last. */
static void drain(struct proxy *p)
{
	struct session *next;

	for (struct session *s = p->sessions; s; s = next) {
		next = s->next;
		session_drain(s);
	}
	if (!p->sessions)
		event_base_loopbreak(p->base);
}

static void on_drain(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	drain(arg);
}

static void on_drained(evutil_socket_t fd, short what, void *arg)
{
	struct proxy *p = arg;

	(void)fd;
	(void)what;
	event_base_loopbreak(p->base);
}

/* Calls of which nothing has come for a while are over. */
static void on_log(evutil_socket_t fd, short what, void *arg)
{
	struct proxy *p = arg;
	int64_t since_ns = clock_monotonic_ns() - LOG_NS;

	(void)fd;
	(void)what;
	for (struct session *s = p->sessions; s; s = s->next)
		if (call_log_is_over(&s->log, since_ns))
			session_log(s);
}

/* The loop's handlers: of signals, timers for draining, one for the log. */
enum { ON_INT, ON_TERM, ON_LOOK, ON_LIMIT, ON_LOG, EVENTS };

struct stops {
	struct proxy *proxy;
	struct event *events[EVENTS];
};

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	struct stops *stops = arg;
	struct proxy *p = stops->proxy;
	struct timeval look = socket_timeval(LOOK_NS);
	struct timeval limit = socket_timeval(p->options.drain_ns);

	(void)number;
	(void)what;
	/* The next one finds what was there before. */
	event_del(stops->events[ON_INT]);
	event_del(stops->events[ON_TERM]);
	p->is_draining = true;
	for (size_t i = 0; i < p->listener_count; i++)
		listener_stop(p->listeners[i]);
	event_add(stops->events[ON_LOOK], &look);
	event_add(stops->events[ON_LIMIT], &limit);
	if (p->session_count)
		proxy_say(p, "ending; %zu clients are still connected",
			  p->session_count);
	drain(p);
}

/* What nohup(1) or a shell had ignored stays ignored. */
static void listen_for(struct stops *stops, size_t at, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 &&
	    action.sa_handler == SIG_IGN)
		return;
	event_add(stops->events[at], NULL);
}

int proxy_run(struct proxy *p, struct error *err)
{
	struct stops stops = { .proxy = p };
	struct timeval log = socket_timeval(LOG_NS);
	int ret;

	stops.events[ON_INT] = evsignal_new(p->base, SIGINT, on_signal, &stops);
	stops.events[ON_TERM] = evsignal_new(p->base, SIGTERM, on_signal,
					     &stops);
	stops.events[ON_LOOK] = event_new(p->base, -1, EV_PERSIST, on_drain, p);
	stops.events[ON_LIMIT] = evtimer_new(p->base, on_drained, p);
	stops.events[ON_LOG] = event_new(p->base, -1, EV_PERSIST, on_log, p);
	if (p->options.call)
		event_add(stops.events[ON_LOG], &log);
	listen_for(&stops, ON_INT, SIGINT);
	listen_for(&stops, ON_TERM, SIGTERM);
	ret = event_base_dispatch(p->base);
	for (size_t i = 0; i < EVENTS; i++)
		event_free(stops.events[i]);
	return ret < 0 ? fail(err, ERROR_FAILED, "the event loop failed") : 0;
}

void proxy_free(struct proxy *p)
{
	if (!p)
		return;
	while (p->sessions)
		session_free(p->sessions);
	for (size_t i = 0; i < p->listener_count; i++)
		listener_free(p->listeners[i]);
	free(p->listeners);
	event_base_free(p->base);
	if (p->reserve >= 0)
		close(p->reserve);
	free(p);
}
