/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kubectl for each forwarded port, and dials the forwarded ports. */
#include "jmx_http/net/kubectl.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "jmx_http/net/command_line.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/net/program.h"
#include "jmx_http/net/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_FIRST_MS 250
#define PAUSE_LAST_MS  30000

/* Pause before a refused connection is tried again: kubectl may be ending. */
#define AGAIN_NS (100 * CLOCK_NS_PER_MS)

struct kubectl_wait {
	struct kubectl_wait *next;
	struct forward *on;
	struct event *timer;
	kubectl_ready_fn *fn;
	void *self;
};

/* One port of the pod. */
struct forward {
	struct kubectl *of;
	uint16_t port, local;    /* local is 0 while kubectl does not listen */
	struct program *program; /* NULL: pausing, or given up */
	struct event *timer; /* deadline of the start, or end of the pause */
	struct kubectl_wait *waits;
	bool was_ready;
	unsigned pause_ms;
	struct error err; /* of the last failure */
};

struct kubectl {
	struct event_base *base;
	struct programs *all;
	struct kubectl_options options;
	char *pod, *namespace;
	struct forward *forwards[KUBECTL_FORWARDS_MAX];
	size_t count;
};

int kubectl_parse(const char *text, char **pod, uint16_t *port,
		  struct error *err)
{
	const char *colon = strrchr(text, ':');
	struct error unused;
	uint64_t number;

	if (!colon)
		return fail(err, ERROR_MISUSE,
			    "the port is missing in '%s'; use <pod>:<port>, "
			    "the port of com.sun.management.jmxremote.port",
			    text);
	if (colon == text || *text == '-' ||
	    units_count(colon + 1, &number, &unused) || !number ||
	    number > UINT16_MAX)
		return fail(err, ERROR_MISUSE,
			    "invalid pod or port in '%s'; use <pod>:<port>",
			    text);
	*pod = xstrndup(text, (size_t)(colon - text));
	*port = (uint16_t)number;
	return 0;
}

__attribute__((format(printf, 2, 3))) static void
forward_report(const struct forward *f, const char *fmt, ...)
{
	struct text line = { 0 };
	char *rest = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&rest, fmt, args) < 0)
		rest = NULL;
	va_end(args);
	text_printf(&line, "kubectl: port %d of %s: %s", f->port,
		    f->of->options.pod, rest ? rest : "");
	free(rest);
	f->of->options.report(f->of->options.self, line.bytes);
	text_release(&line);
}

static void timer_set_ms(struct event *timer, int64_t ms)
{
	struct timeval after = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_usec = (suseconds_t)(ms % 1000 * 1000),
	};

	evtimer_add(timer, &after);
}

/* Removes a wait from its list and frees it. */
static void wait_drop(struct kubectl_wait *w)
{
	struct kubectl_wait **at = &w->on->waits;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	event_free(w->timer);
	free(w);
}

static void wait_finish(struct kubectl_wait *w)
{
	struct forward *f = w->on;
	kubectl_ready_fn *fn = w->fn;
	struct error err = f->err;
	uint16_t local = f->local;
	void *self = w->self;

	wait_drop(w);
	fn(self, local, local ? NULL : &err);
}

/* Each wait ends by its own timer, because a callback may free f->of. */
static void forward_finish_waits(struct forward *f)
{
	for (struct kubectl_wait *w = f->waits; w; w = w->next)
		timer_set_ms(w->timer, 0);
}

static void wait_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct kubectl_wait *w = self;

	(void)fd;
	(void)what;
	if (!w->on->local && w->on->err.kind == ERROR_NONE)
		fail(&w->on->err, ERROR_REFUSED,
		     "kubectl does not forward port %d of %s yet", w->on->port,
		     w->on->of->options.pod);
	wait_finish(w);
}

/* Parses a port and advances *at; 0 if there is none. */
static uint16_t port_parse(const char **at)
{
	char digits[6];
	size_t len = strspn(*at, "0123456789");
	struct error unused;
	uint64_t port;

	if (!len || len >= sizeof(digits))
		return 0;
	memcpy(digits, *at, len);
	digits[len] = '\0';
	*at += len;
	if (units_count(digits, &port, &unused) || port > UINT16_MAX)
		return 0;
	return (uint16_t)port;
}

/* "Forwarding from 127.0.0.1:41234 -> 9010", kubectl 1.10 to 1.32. */
static uint16_t forward_parse_line(const char *line, uint16_t port)
{
	static const char from[] = "Forwarding from 127.0.0.1:", to[] = " -> ";
	const char *at = line + strlen(from);
	uint16_t local;

	if (strncmp(line, from, strlen(from)) != 0)
		return 0;
	local = port_parse(&at);
	if (strncmp(at, to, strlen(to)) != 0)
		return 0;
	at += strlen(to);
	return port_parse(&at) == port && !*at ? local : 0;
}

static void forward_on_line(void *self, const char *line)
{
	struct forward *f = self;
	uint16_t local = f->local ? 0 : forward_parse_line(line, f->port);

	/* Ignore other lines: "Handling connection for 41234". */
	if (!local)
		return;
	f->local = local;
	f->pause_ms = PAUSE_FIRST_MS;
	f->err.kind = ERROR_NONE;
	evtimer_del(f->timer);
	forward_report(f, "forwarded from 127.0.0.1:%d%s", local,
		       f->was_ready ? " again" : "");
	f->was_ready = true;
	forward_finish_waits(f);
}

/* Handles the end of the forward; f->err has the reason. */
static void forward_pause(struct forward *f)
{
	bool was_ready = f->was_ready;

	program_end(f->program);
	f->program = NULL;
	f->local = 0;
	if (!was_ready) {
		/* The next kubectl_request() tries again. */
		evtimer_del(f->timer);
		forward_report(f, "%s", f->err.text);
		forward_finish_waits(f);
		return;
	}
	forward_report(f, "%s; restarting it in %u.%02u s", f->err.text,
		       f->pause_ms / 1000, f->pause_ms % 1000 / 10);
	timer_set_ms(f->timer, f->pause_ms);
	f->pause_ms = f->pause_ms < PAUSE_LAST_MS / 2 ? f->pause_ms * 2
						      : PAUSE_LAST_MS;
}

static void forward_on_end(void *self)
{
	struct forward *f = self;
	struct text why = { 0 };

	program_why(f->program, &why);
	fail(&f->err,
	     program_is_missing(f->program) ? ERROR_UNAVAILABLE : ERROR_REFUSED,
	     "%s", why.bytes ? why.bytes : "it exited");
	text_release(&why);
	forward_pause(f);
}

static void forward_start(struct forward *f)
{
	const struct kubectl_options *o = &f->of->options;
	struct text port = { 0 }, namespace = { 0 };
	const char *words[8] = { "kubectl", "port-forward", "--address",
				 "127.0.0.1" };
	size_t count = 4;
	struct program_plan plan = {
		.words = words,
		.on_line = forward_on_line,
		.on_end = forward_on_end,
		.self = f,
	};

	if (o->namespace) {
		text_printf(&namespace, "--namespace=%s", o->namespace);
		words[count++] = namespace.bytes;
	}
	text_printf(&port, ":%d", f->port);
	words[count++] = o->pod;
	words[count] = port.bytes;
	f->program = program_start(f->of->all, &plan, &f->err);
	text_release(&port);
	text_release(&namespace);
	if (f->program)
		timer_set_ms(f->timer, KUBECTL_START_S * INT64_C(1000));
	else
		forward_pause(f);
}

static void forward_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct forward *f = self;
	struct text why = { 0 };

	(void)fd;
	(void)what;
	if (!f->program) {
		forward_start(f);
		return;
	}
	program_why(f->program, &why);
	fail(&f->err, ERROR_REFUSED,
	     "kubectl did not report its port within %d s%s%s", KUBECTL_START_S,
	     why.len ? "; " : "", why.len ? why.bytes : "");
	text_release(&why);
	forward_pause(f);
}

struct kubectl *kubectl_new(struct event_base *base,
			    const struct kubectl_options *options)
{
	struct kubectl *k = xcalloc(1, sizeof(*k));

	k->base = base;
	/* A forward that is replaced may still be ending. */
	k->all = programs_new(base, (size_t)2 * KUBECTL_FORWARDS_MAX);
	k->options = *options;
	k->options.pod = k->pod = xstrdup(options->pod);
	if (options->namespace)
		k->options.namespace = k->namespace = xstrdup(
			options->namespace);
	return k;
}

void kubectl_free(struct kubectl *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->count; i++) {
		struct forward *f = k->forwards[i];

		for (struct kubectl_wait *w = f->waits, *next; w; w = next) {
			next = w->next;
			wait_drop(w);
		}
		program_end(f->program);
		event_free(f->timer);
		free(f);
	}
	programs_free(k->all);
	free(k->pod);
	free(k->namespace);
	free(k);
}

static struct forward *kubectl_find_forward(struct kubectl *k, uint16_t port,
					    struct error *err)
{
	struct forward *f;

	for (size_t i = 0; i < k->count; i++)
		if (k->forwards[i]->port == port)
			return k->forwards[i];
	if (k->count == KUBECTL_FORWARDS_MAX) {
		fail(err, ERROR_REFUSED,
		     "port %d of %s: %d other ports are forwarded already",
		     port, k->options.pod, KUBECTL_FORWARDS_MAX);
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->of = k;
	f->port = port;
	f->pause_ms = PAUSE_FIRST_MS;
	f->timer = evtimer_new(k->base, forward_on_timer, f);
	k->forwards[k->count++] = f;
	return f;
}

struct kubectl_wait *kubectl_request(struct kubectl *k, uint16_t port,
				     int64_t timeout_ns, kubectl_ready_fn *fn,
				     void *self, struct error *err)
{
	struct forward *f = kubectl_find_forward(k, port, err);
	struct kubectl_wait *w;

	if (!f)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	*w = (struct kubectl_wait){
		.next = f->waits,
		.on = f,
		.fn = fn,
		.self = self,
	};
	f->waits = w;
	w->timer = evtimer_new(k->base, wait_on_timer, w);
	timer_set_ms(w->timer, f->local ? 0 : timeout_ns / CLOCK_NS_PER_MS);
	if (!f->program && !evtimer_pending(f->timer, NULL))
		forward_start(f);
	return w;
}

void kubectl_cancel(struct kubectl_wait *w) { wait_drop(w); }

/* Appends the last message or exit status of a kubectl, foreign; or nothing. */
static void kubectl_why(struct kubectl *k, struct text *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < k->count && out->len == before; i++) {
		const struct forward *f = k->forwards[i];

		if (f->program)
			program_why(f->program, out);
		else
			text_puts(out, f->err.text);
	}
}

/* The dialer: requests a forward, and connects to its local port */

struct kubectl_dialer {
	struct dialer dialer;
	struct kubectl *kubectl;
	struct dialer *loopback;
};

struct kubectl_dial {
	struct dial dial;
	struct kubectl_dialer *of;
	uint16_t port;
	int64_t deadline_ns;
	/* At most one of these is active. */
	struct kubectl_wait *wait;
	struct dial *connecting;
	struct event *timer;
	struct error err;
	dial_done_fn *done;
	void *self;
};

static void kubectl_dial_end(struct kubectl_dial *d)
{
	if (d->wait)
		kubectl_cancel(d->wait);
	if (d->connecting)
		d->connecting->dialer->ops->cancel(d->connecting);
	event_free(d->timer);
	free(d);
}

static void kubectl_dial_finish(struct kubectl_dial *d, evutil_socket_t fd,
				const struct error *err)
{
	dial_done_fn *done = d->done;
	struct error copy = { 0 };
	void *self = d->self;

	if (err)
		copy = *err;
	kubectl_dial_end(d);
	done(self, fd, &copy);
}

static int64_t kubectl_dial_left_ns(const struct kubectl_dial *d)
{
	int64_t left = d->deadline_ns - clock_monotonic_ns();

	return left > 0 ? left : 0;
}

static void kubectl_dial_on_connected(void *self, evutil_socket_t fd,
				      const struct error *err)
{
	struct kubectl_dial *d = self;
	struct timeval after = socket_timeval(AGAIN_NS);

	d->connecting = NULL;
	if (fd < 0 && err->kind == ERROR_NO_TARGET &&
	    kubectl_dial_left_ns(d) > AGAIN_NS) {
		evtimer_add(d->timer, &after);
		return;
	}
	kubectl_dial_finish(d, fd, err);
}

static void kubectl_dial_on_ready(void *self, uint16_t local,
				  const struct error *err)
{
	struct kubectl_dial *d = self;
	struct dialer *to = d->of->loopback;

	d->wait = NULL;
	if (!local) {
		kubectl_dial_finish(d, -1, err);
		return;
	}
	d->connecting = to->ops->begin(to, local, kubectl_dial_left_ns(d),
				       kubectl_dial_on_connected, d);
}

static void kubectl_dial_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct kubectl_dial *d = self;

	(void)fd;
	(void)what;
	d->wait = kubectl_request(d->of->kubectl, d->port,
				  kubectl_dial_left_ns(d),
				  kubectl_dial_on_ready, d, &d->err);
	if (!d->wait)
		kubectl_dial_finish(d, -1, &d->err);
}

static struct dial *kubectl_begin(struct dialer *dialer, uint16_t port,
				  int64_t timeout_ns, dial_done_fn *done,
				  void *self)
{
	const struct timeval at_once = { 0, 0 };
	struct kubectl_dial *d = xcalloc(1, sizeof(*d));

	d->dial.dialer = dialer;
	d->of = (struct kubectl_dialer *)dialer;
	d->port = port;
	d->deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	d->done = done;
	d->self = self;
	d->timer = evtimer_new(dialer->base, kubectl_dial_on_timer, d);
	evtimer_add(d->timer, &at_once);
	return &d->dial;
}

static void kubectl_cancel_dial(struct dial *dial)
{
	kubectl_dial_end((struct kubectl_dial *)dial);
}

static void kubectl_free_dialer(struct dialer *dialer)
{
	struct kubectl_dialer *d = (struct kubectl_dialer *)dialer;

	kubectl_free(d->kubectl);
	dialer_free(d->loopback);
	free(d);
}

static void kubectl_add_why(struct dialer *dialer, struct text *out)
{
	kubectl_why(((struct kubectl_dialer *)dialer)->kubectl, out);
}

static const struct dialer_ops kubectl_ops = {
	.begin = kubectl_begin,
	.cancel = kubectl_cancel_dial,
	.free = kubectl_free_dialer,
	.why = kubectl_add_why,
	.goes_anywhere = true,
};

/* options.report() prints the result; each connection requests again. */
static void kubectl_ignore(void *self, uint16_t local, const struct error *err)
{
	(void)self;
	(void)local;
	(void)err;
}

struct dialer *kubectl_dialer_new(struct event_base *base,
				  const struct kubectl_options *options,
				  uint16_t port, struct error *err)
{
	struct kubectl_dialer *d;
	struct net_address here = { .host = "127.0.0.1", .count = 1 };
	struct sockaddr_in *four = (struct sockaddr_in *)&here.list[0];

	if (command_line_find("kubectl", err))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	four->sin_family = AF_INET;
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->dialer = (struct dialer){ .ops = &kubectl_ops, .base = base };
	d->kubectl = kubectl_new(base, options);
	d->loopback = tcp_dialer_new(base, &here);
	if (kubectl_request(d->kubectl, port, KUBECTL_START_S * CLOCK_NS_PER_S,
			    kubectl_ignore, NULL, err))
		return &d->dialer;
	kubectl_free_dialer(&d->dialer);
	return NULL;
}
