/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/http_session.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/upstream.h"

#include <event2/bufferevent_ssl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TLS_HANDSHAKE 0x16

#define IDLE_NS       (60 * CLOCK_NS_PER_S) /* between two requests */
#define STALL_NS      (60 * CLOCK_NS_PER_S) /* for a client that reads nothing */
#define FINISH_NS     (5 * CLOCK_NS_PER_S)  /* to read the last response */
/* A body must arrive with at least 8 KiB/s after the first 10 s. */
#define BODY_NS   (10 * CLOCK_NS_PER_S)
#define BODY_RATE 8192
/* A request of at most this length may be sent again. */
#define COPY_MAX ((size_t)32 << 10)
/* Pieces of HTTP_WAITING_MAX, before other clients have a turn. */
#define TURNS 8

static const struct backend_events http_session_events;

static struct door *http_session_door(const struct http_session *s)
{
	return s->base.front->door;
}

static void http_session_limit(struct http_session *s, int64_t ns)
{
	door_client_limit(&s->base, ns);
}

/* Starts the limit for an agent that sends nothing. */
static void http_session_limit_agent(struct http_session *s)
{
	http_session_limit(s, s->is_event_stream ? 0 : s->front->reply_ns);
}

static void http_session_die(struct http_session *s)
{
	if (s->state == HTTP_STATE_DEAD)
		return;
	s->state = HTTP_STATE_DEAD;
	backend_free(s->backend);
	s->backend = NULL;
	door_client_die(&s->base);
}

/* The client must notice that the response is incomplete. */
static void http_session_break(struct http_session *s)
{
	if (s->state == HTTP_STATE_DEAD)
		return;
	socket_reset_on_close(bufferevent_getfd(s->base.stream));
	http_session_die(s);
}

static void http_session_say(const struct http_session *s, const char *about,
			     const char *what)
{
	door_client_report(&s->base, about, NULL, what);
}

static void http_session_log(struct http_session *s, const char *refused)
{
	struct door *d = http_session_door(s);
	struct policy_call call = jolokia_call_log(&s->call);
	struct call_log log = { 0 };

	if (!d->options.call)
		return;
	call_log_begin(&log, &call, s->request_len);
	log.begin_ns = s->begin_ns;
	log.refused = refused;
	log.is_exception = s->status >= 400;
	call_log_add(&log, s->response_len);
	door_log_call(&s->base, &log, s->target ? s->target->title : "");
}

static size_t http_session_waiting(const struct http_session *s)
{
	return evbuffer_get_length(bufferevent_get_output(s->base.stream));
}

static void http_session_read_client(struct http_session *s, bool on)
{
	if (s->is_reading == on)
		return;
	s->is_reading = on;
	if (on)
		bufferevent_enable(s->base.stream, EV_READ);
	else
		bufferevent_disable(s->base.stream, EV_READ);
}

/*
 * Ends the connection after the client has read everything.  Closing a socket
 * with unread input would reset it, and the client might lose the response.
 */
static void http_session_linger(struct http_session *s)
{
	if (http_session_waiting(s))
		return;
	if (s->client_ended) {
		http_session_die(s);
		return;
	}
	s->state = HTTP_STATE_LINGERING;
	if (s->base.is_tls)
		SSL_shutdown(bufferevent_openssl_get_ssl(s->base.stream));
	shutdown(bufferevent_getfd(s->base.stream), SHUT_WR);
	http_session_limit(s, FINISH_NS);
	http_session_read_client(s, true);
}

static void http_session_end(struct http_session *s)
{
	backend_free(s->backend);
	s->backend = NULL;
	s->state = HTTP_STATE_ENDING;
	http_session_limit(s, STALL_NS);
	http_session_linger(s);
}

/* Forgets the call; the client may send the next one. */
static void http_session_expect_head(struct http_session *s)
{
	jolokia_call_begin(&s->call, &s->front->rules);
	s->state = HTTP_STATE_HEAD;
	s->target = NULL;
	s->wants_metrics = false;
	s->is_head = s->is_old = s->is_chunked = false;
	s->has_sent_head = s->has_response = s->is_event_stream = false;
	s->has_copy = s->is_again = false;
	s->response_scanned = 0;
	s->status = 0;
	s->request_len = s->response_len = s->body_len = 0;
	evbuffer_drain(s->body, evbuffer_get_length(s->body));
	evbuffer_drain(s->copy, evbuffer_get_length(s->copy));
	http_session_read_client(s, true);
	http_session_limit(s, IDLE_NS);
}

static bool http_session_may_continue(const struct http_session *s)
{
	return s->is_persistent && s->request.is_done && !s->client_ended &&
	       !http_session_door(s)->is_draining;
}

static void http_session_send(struct http_session *s)
{
	s->response_len += evbuffer_get_length(s->out);
	socket_send(s->base.stream, s->out);
}

/* The call was answered. */
static void http_session_end_call(struct http_session *s, const char *refused,
				  bool keeps)
{
	http_session_log(s, refused);
	if (keeps)
		http_session_expect_head(s);
	else
		http_session_end(s);
}

/*
 * Replies in place of the agent, or breaks off the agent's response.  refused:
 * the reason why the request was not forwarded.
 */
static void http_session_fail(struct http_session *s, unsigned status,
			      const char *why, const char *refused)
{
	bool keeps = http_session_may_continue(s);

	if (s->has_response) {
		http_session_log(s, refused);
		http_session_break(s);
		return;
	}
	backend_free(s->backend);
	s->backend = NULL;
	s->status = status;
	http_forward_fault(s, status, why, keeps, s->out);
	http_session_send(s);
	http_session_end_call(s, refused, keeps);
}

/* A request that the policy or HTTP forbids. */
static void http_session_refuse(struct http_session *s, unsigned status,
				const char *why)
{
	http_session_say(s, why, why);
	http_session_fail(s, status, why, why);
}

/* body_follows: bytes of the body have arrived. */
static void http_session_begin_call(struct http_session *s, struct http_head *h,
				    bool is_valid, bool body_follows,
				    struct http_fault *fault)
{
	s->state = HTTP_STATE_CALL;
	s->begin_ns = s->body_from_ns = clock_monotonic_ns();
	s->scanned = 0;
	s->is_persistent = false;
	if (!is_valid) {
		s->request.is_done = false;
		http_session_refuse(s, fault->status, fault->why);
		return;
	}
	s->is_head = line_is(h->method, "HEAD");
	s->is_old = !h->minor;
	s->is_persistent = h->is_persistent;
	s->request = http_body_of(h);
	s->length = h->length;
	if (!http_forward_check(s, h, fault)) {
		http_session_refuse(s, fault->status, fault->why);
		return;
	}
	http_forward_request(s, h);
	http_session_limit(s, s->request.is_done ? 0 : BODY_NS);
	if (h->expects_continue && !body_follows) {
		evbuffer_add_printf(s->out, "HTTP/1.1 100 Continue\r\n\r\n");
		socket_send(s->base.stream, s->out);
	}
}

/* Warns once of a password that crosses a network without encryption. */
static void http_session_warn(struct http_session *s, const struct http_head *h)
{
	struct http_agent *a = &s->target->agent;

	if (s->front->has_warned || a->to.tls ||
	    !http_header_find(h, "Authorization") ||
	    !upstream_crosses_network(a->to.dialer, a->to.host))
		return;
	s->front->has_warned = true;
	door_report(
		http_session_door(s),
		"%s: warning: sending a client's password to the Jolokia agent "
		"without TLS; anyone on the network can read it",
		s->target->title);
}

static bool http_session_read_head(struct http_session *s)
{
	size_t available = evbuffer_get_length(s->in), len = 0;
	struct http_fault fault = { 0 };
	enum http_result result;
	struct http_head h;
	const char *bytes;
	bool is_valid, is_new;

	if (available > HTTP_HEAD_MAX + 1)
		available = HTTP_HEAD_MAX + 1;
	bytes = (const char *)evbuffer_pullup(s->in, (ssize_t)available);
	if (!s->scanned && *bytes == TLS_HANDSHAKE && !s->base.is_tls) {
		http_session_say(s, "tls",
				 "the client speaks TLS, which requires "
				 "--tls-cert");
		http_session_die(s);
		return false;
	}
	is_new = !s->scanned;
	result = http_head_find(bytes, available, &s->scanned, &len, &fault);
	if (result == HTTP_MORE) {
		if (is_new)
			http_session_limit(
				s, http_session_door(s)->options.hello_ns);
		return false;
	}
	s->request_len = len;
	is_valid = result == HTTP_DONE &&
		   http_request_parse(&h, bytes, len, &fault);
	http_session_begin_call(s, &h, is_valid,
				evbuffer_get_length(s->in) > len, &fault);
	if (is_valid && s->target)
		http_session_warn(s, &h);
	evbuffer_drain(s->in, len);
	return s->state < HTTP_STATE_ENDING;
}

/* Returns true if enough of the request has arrived to contact the agent. */
static bool http_session_is_collected(const struct http_session *s)
{
	return s->request.is_done ||
	       evbuffer_get_length(s->body) >= HTTP_WAITING_MAX;
}

static bool http_session_agent_is_full(const struct http_session *s)
{
	return evbuffer_get_length(s->body) >= HTTP_WAITING_MAX ||
	       (s->backend && s->backend->state == BACKEND_READY &&
		http_agent_waiting(s->backend) > HTTP_WAITING_MAX);
}

static struct http_agent *http_session_agent(struct http_session *s)
{
	struct http_target *t = s->target;

	return s->wants_metrics && t->metrics.to.dialer ? &t->metrics
							: &t->agent;
}

/*
 * Keeps the body of a request that may be sent again: by another connection if
 * it changes nothing, or with another token.
 */
static void http_session_keep_copy(struct http_session *s)
{
	size_t len = evbuffer_get_length(s->body);
	bool may_retry = !s->call.changes &&
			 (s->backend->is_reused ||
			  http_session_agent(s)->to.dialer->ops->again);

	s->has_copy = s->request.is_done && len <= COPY_MAX &&
		      (may_retry || s->target->renew_bearer);
	if (s->has_copy && len)
		evbuffer_add(s->copy, evbuffer_pullup(s->body, -1), len);
}

static void http_session_send_request(struct http_session *s)
{
	if (!s->has_sent_head) {
		s->has_sent_head = true;
		http_session_keep_copy(s);
		http_forward_frame_head(s, s->out);
		http_forward_frame_body(s, s->out);
	} else {
		http_forward_frame_body(s, s->out);
	}
	socket_send(s->backend->buffer, s->out);
	if (s->request.is_done)
		http_session_limit_agent(s);
}

/*
 * Accounts for the memory of the request: until it is complete, until an agent
 * has taken it, and of its copy.
 */
static void http_session_hold(struct http_session *s)
{
	size_t held = evbuffer_get_length(s->in) +
		      evbuffer_get_length(s->body) +
		      evbuffer_get_length(s->copy);

	if (held == s->held)
		return;
	s->held = held;
	if (door_set_memory(&s->base, held, s->has_answered))
		return;
	s->is_persistent = false;
	http_session_refuse(s, 503,
			    "the memory for waiting requests is used up");
}

static void http_session_on_ready(void *self, struct backend *b)
{
	struct http_session *s = self;

	(void)b;
	if (s->has_copy) {
		http_forward_frame_head(s, s->out);
		evbuffer_add(s->out, evbuffer_pullup(s->copy, -1),
			     evbuffer_get_length(s->copy));
		socket_send(s->backend->buffer, s->out);
		http_session_limit_agent(s);
		return;
	}
	http_session_send_request(s);
	if (!s->request.is_done)
		http_session_read_client(s, true);
	http_session_hold(s);
}

/* True if all connections to the agent are in use, and no more can be made. */
static bool http_session_waits_for_others(struct http_session *s)
{
	const struct dialer *d = http_session_agent(s)->to.dialer;

	return d->ops->is_full && d->ops->is_full(d);
}

/* Ends calls whose clients have probably gone. */
static void http_session_end_abandoned(const struct http_session *waiting)
{
	for (struct door_client *c = http_session_door(waiting)->clients; c;
	     c = c->next) {
		struct http_session *s = (struct http_session *)c;

		if (c->front == waiting->base.front && s->client_ended &&
		    s->state == HTTP_STATE_CALL)
			http_session_die(s);
	}
}

static void http_session_begin_agent(struct http_session *s)
{
	s->backend = http_agent_connect(http_session_agent(s), true,
					&http_session_events, s);
	if (s->backend->state == BACKEND_READY)
		http_session_on_ready(s, s->backend);
	else if (http_session_waits_for_others(s))
		http_session_end_abandoned(s);
}

/* Returns false if the call was refused. */
static bool http_session_read_pieces(struct http_session *s)
{
	struct http_fault fault = { 0 };
	struct line data;
	size_t used;

	while (!s->request.is_done && evbuffer_get_length(s->in) &&
	       !http_session_agent_is_full(s)) {
		size_t len = evbuffer_get_contiguous_space(s->in);
		const char *bytes = (const char *)evbuffer_pullup(s->in,
								  (ssize_t)len);

		if (http_body_read(&s->request, bytes, len, &used, &data,
				   &fault) == HTTP_INVALID) {
			s->is_persistent = false;
			http_session_refuse(s, fault.status, fault.why);
			return false;
		}
		if (jolokia_call_read(&s->call, data.text, data.len) ==
		    JOLOKIA_PASSES)
			evbuffer_add(s->body, data.text, data.len);
		s->body_len += used;
		s->request_len += used;
		evbuffer_drain(s->in, used);
		if (s->request_len > HTTP_REQUEST_MAX) {
			s->is_persistent = false;
			http_session_refuse(s, 413, HTTP_TOO_LARGE);
			return false;
		}
	}
	if (s->request.is_done &&
	    line_is((struct line){ s->head.bytes, 4 }, "POST"))
		jolokia_call_end(&s->call);
	if (s->call.verdict == JOLOKIA_PASSES)
		return true;
	http_session_refuse(s, s->call.verdict == JOLOKIA_REFUSED ? 403 : 400,
			    s->call.why);
	return false;
}

/*
 * Limits the time for the rest of the body: the client's, or the agent's while
 * the agent reads.
 */
static void http_session_limit_body(struct http_session *s)
{
	int64_t now = clock_monotonic_ns();
	int64_t ns = BODY_NS +
		     (int64_t)(s->body_len / BODY_RATE) * CLOCK_NS_PER_S -
		     (now - s->body_from_ns);

	if (s->request.is_done || http_session_agent_is_full(s)) {
		s->body_from_ns = now;
		s->body_len = 0;
		if (s->backend && s->backend->state == BACKEND_READY)
			http_session_limit_agent(s);
		else
			http_session_limit(s, 0); /* the dialer has a limit */
	} else {
		http_session_limit(s, ns > 1 ? ns : 1);
	}
}

static bool http_session_read_body(struct http_session *s)
{
	if (!http_session_read_pieces(s))
		return s->state < HTTP_STATE_ENDING;
	http_session_limit_body(s);
	if (!s->backend && http_session_is_collected(s))
		http_session_begin_agent(s);
	else if (s->backend && s->backend->state == BACKEND_READY &&
		 (evbuffer_get_length(s->body) || s->request.is_done))
		http_session_send_request(s);
	if (s->state == HTTP_STATE_CALL)
		http_session_read_client(s, !http_session_agent_is_full(s));
	return false;
}

/*
 * Returns true if the client has closed its connection and so does not wait for
 * the response.  It may have closed only its sending direction, but then its
 * call is not worth a connection for which others wait.
 */
static bool http_session_is_abandoned(struct http_session *s)
{
	if (s->state != HTTP_STATE_CALL)
		return s->state == HTTP_STATE_HEAD;
	return !s->request.is_done || http_session_waits_for_others(s);
}

static void http_session_go_on(struct http_session *s)
{
	bool more = true;

	while (more && s->state < HTTP_STATE_ENDING) {
		if (s->state == HTTP_STATE_HEAD ||
		    (!s->request.is_done && !http_session_agent_is_full(s)))
			socket_fill(s->base.stream, s->in, HTTP_WAITING_MAX);
		if (s->state == HTTP_STATE_HEAD)
			more = evbuffer_get_length(s->in) &&
			       http_session_read_head(s);
		else if (!s->request.is_done || !s->backend)
			more = http_session_read_body(s);
		else
			more = false;
	}
	if (s->state < HTTP_STATE_ENDING)
		http_session_hold(s);
	if (s->client_ended && http_session_is_abandoned(s))
		http_session_die(s);
}

/* The response has reached its end. */
static void http_session_finish_response(struct http_session *s)
{
	bool keeps = http_session_may_continue(s);

	if (s->is_chunked)
		evbuffer_add(s->out, "0\r\n\r\n", 5);
	http_session_send(s);
	if (s->agent_is_persistent && s->request.is_done)
		http_agent_put_back(s->backend);
	else
		backend_free(s->backend);
	s->backend = NULL;
	s->has_answered |= s->status < 300;
	/* Without a length, the response ends when the connection is closed. */
	http_session_end_call(s, NULL, keeps && s->is_persistent);
	if (s->state == HTTP_STATE_HEAD)
		http_session_go_on(s);
}

static bool http_session_fail_response(struct http_session *s, const char *why)
{
	struct text line = { 0 };

	text_printf(&line, "%s: invalid response: %s", s->target->title, why);
	http_session_say(s, why, line.bytes);
	http_session_fail(s, 502, line.bytes, NULL);
	text_release(&line);
	return false;
}

/*
 * Parses the head of the response, and drops the heads of interim responses
 * (1xx) before it.  Sets *len; returns false if there is no complete head.
 */
static bool http_session_parse_response(struct http_session *s,
					struct http_head *h, size_t *len)
{
	struct evbuffer *in = s->backend->in;
	struct http_fault fault = { 0 };
	enum http_result result;
	size_t available;
	const char *bytes;

	while ((available = evbuffer_get_length(in)) > 0) {
		if (available > HTTP_HEAD_MAX + 1)
			available = HTTP_HEAD_MAX + 1;
		bytes = (const char *)evbuffer_pullup(in, (ssize_t)available);
		result = http_head_find(bytes, available, &s->response_scanned,
					len, &fault);
		if (result == HTTP_MORE)
			return false;
		if (result == HTTP_INVALID ||
		    !http_response_parse(h, bytes, *len, s->is_head, &fault))
			return http_session_fail_response(s, fault.why);
		s->response_scanned = 0;
		if (h->status == 101)
			return http_session_fail_response(
				s, "an unrequested upgrade");
		if (h->status >= 200)
			return true;
		evbuffer_drain(in, *len);
	}
	return false;
}

/* Agents of 2.x send notifications in an endless response. */
static bool http_session_is_event_stream(const struct http_head *h)
{
	static const char name[] = "text/event-stream";
	const struct http_header *type = http_header_find(h, "Content-Type");
	struct line value = type ? type->value : (struct line){ 0 };
	const char *end = value.len ? memchr(value.text, ';', value.len) : NULL;

	if (end)
		value.len = (size_t)(end - value.text);
	while (value.len && value.text[value.len - 1] == ' ')
		value.len--;
	return http_text_is(value, name);
}

/* Sends the request by a new connection. */
static void http_session_send_again(struct http_session *s)
{
	backend_free(s->backend);
	s->response_scanned = 0;
	s->backend = http_agent_connect(http_session_agent(s), false,
					&http_session_events, s);
}

/*
 * The client cannot correct the login of the proxy, so the response does not
 * ask for a login.
 */
static void http_session_fail_login(struct http_session *s)
{
	const char *why = http_target_login_fault(s->target);
	struct text line = { 0 };

	if (s->login != s->target->login)
		why = "the token of this request has expired, and was renewed; "
		      "send the request again";
	else
		http_session_say(s, "login", why);
	text_printf(&line, "%s: %s", s->target->title, why);
	http_session_fail(s, 502, line.bytes, NULL);
	text_release(&line);
}

/* Sends a request again that was rejected with an expired token. */
static bool http_session_log_in_again(struct http_session *s)
{
	struct http_target *t = s->target;
	struct error err = { 0 };

	if (!t->renew_bearer)
		return false;
	/* Another session may have renewed it. */
	if (s->login == t->login && !http_target_renew_login(t, &err)) {
		if (*err.text)
			http_session_say(s, "token", err.text);
		return false;
	}
	if (s->has_copy)
		http_session_send_again(s);
	return s->has_copy;
}

/* Returns false unless the head was forwarded. */
static bool http_session_read_response_head(struct http_session *s)
{
	struct http_head h;
	size_t len;

	if (!http_session_parse_response(s, &h, &len))
		return false;
	if (h.status == 401 && http_session_log_in_again(s))
		return false;
	if (h.status == 401 && s->target->authorization) {
		http_session_fail_login(s);
		return false;
	}
	s->has_response = true;
	s->status = h.status;
	s->response = http_body_of(&h);
	s->agent_is_persistent = h.is_persistent;
	s->is_chunked = !s->is_old && h.framing != HTTP_LENGTH &&
			h.framing != HTTP_NO_BODY;
	/* In HTTP/1.0, closing marks the end of a body of unknown length. */
	s->is_persistent &= s->is_chunked || h.framing == HTTP_LENGTH ||
			    h.framing == HTTP_NO_BODY;
	/* False, too, if the agent replied before the end of the request. */
	s->is_persistent = http_session_may_continue(s);
	s->is_event_stream = http_session_is_event_stream(&h);
	http_forward_response(s, &h, s->is_persistent, s->out);
	evbuffer_drain(s->backend->in, len);
	return true;
}

static void http_session_add_piece(struct http_session *s, struct evbuffer *in,
				   size_t used, struct line data)
{
	if (data.len && s->is_chunked)
		evbuffer_add_printf(s->out, "%zx\r\n", data.len);
	if (data.len == used) {
		/* Moves memory instead of copying it, if possible. */
		evbuffer_remove_buffer(in, s->out, used);
	} else {
		evbuffer_add(s->out, data.text, data.len);
		evbuffer_drain(in, used);
	}
	if (data.len && s->is_chunked)
		evbuffer_add(s->out, "\r\n", 2);
}

static void http_session_read_response_body(struct http_session *s)
{
	struct evbuffer *in = s->backend->in;
	struct http_fault fault = { 0 };
	struct line data;
	size_t used;

	while (!s->response.is_done && evbuffer_get_length(in)) {
		size_t len = evbuffer_get_contiguous_space(in);
		const char *bytes = (const char *)evbuffer_pullup(in,
								  (ssize_t)len);

		if (http_body_read(&s->response, bytes, len, &used, &data,
				   &fault) == HTTP_INVALID) {
			http_session_fail_response(s, fault.why);
			return;
		}
		http_session_add_piece(s, in, used, data);
	}
	if (s->response.is_done)
		http_session_finish_response(s);
	else
		http_session_send(s);
}

static void http_session_on_arrived(void *self, struct backend *b)
{
	struct http_session *s = self;

	/* After some time, other clients have a turn. */
	for (int i = 0; i < TURNS; i++) {
		bool more = http_agent_fill(b);

		if (!more && (i || !evbuffer_get_length(b->in)))
			return;
		if (!s->has_response && !http_session_read_response_head(s))
			return;
		http_session_read_response_body(s);
		if (s->state != HTTP_STATE_CALL || s->backend != b)
			return;
		if (http_session_waiting(s) > HTTP_WAITING_MAX) {
			backend_pause(b, true);
			http_session_limit(s, STALL_NS);
			return;
		}
		if (s->request.is_done)
			http_session_limit_agent(s);
	}
}

static void http_session_on_drained(void *self, struct backend *b)
{
	struct http_session *s = self;

	(void)b;
	if (!s->request.is_done)
		http_session_go_on(s);
}

/* Sends a request again to which the agent has sent nothing. */
static bool http_session_retry(struct http_session *s)
{
	const struct dialer *d = http_session_agent(s)->to.dialer;
	bool may_again = !s->is_again && d->ops->again;

	if (!s->has_copy || s->call.changes || s->has_response ||
	    !(s->backend->is_reused || may_again) ||
	    evbuffer_get_length(s->backend->in))
		return false;
	if (may_again)
		d->ops->again(http_session_agent(s)->to.dialer);
	s->is_again = true;
	http_session_send_again(s);
	return true;
}

static void http_session_on_ended(void *self, struct backend *b,
				  const struct error *err, bool is_cut)
{
	struct http_session *s = self;

	if (b->state == BACKEND_READY) {
		http_session_on_arrived(s, s->backend);
		if (s->state != HTTP_STATE_CALL || s->backend != b ||
		    http_session_retry(s))
			return;
	}
	if (s->has_response && s->response.framing == HTTP_UNTIL_CLOSE &&
	    !err && !is_cut) {
		http_session_finish_response(s);
		return;
	}
	http_session_say(s, "agent",
			 err ? err->text
			     : "the Jolokia agent closed the connection");
	http_session_fail(
		s, 502,
		err ? err->text
		    : "the Jolokia agent closed the connection without a "
		      "response; the request may have been executed",
		NULL);
}

static const struct backend_events http_session_events = {
	.ready = http_session_on_ready,
	.arrived = http_session_on_arrived,
	.drained = http_session_on_drained,
	.ended = http_session_on_ended,
};

static void http_session_on_read(struct bufferevent *client, void *arg)
{
	struct http_session *s = arg;

	if (s->state < HTTP_STATE_ENDING) {
		http_session_go_on(s);
		return;
	}
	/* Ignores what a client sends after the last response. */
	socket_fill(client, s->in, HTTP_WAITING_MAX);
	evbuffer_drain(s->in, evbuffer_get_length(s->in));
}

/* All output is written. */
static void http_session_on_write(struct bufferevent *client, void *arg)
{
	struct http_session *s = arg;

	(void)client;
	if (s->state == HTTP_STATE_ENDING) {
		http_session_linger(s);
	} else if (s->state == HTTP_STATE_CALL && s->backend &&
		   s->backend->state == BACKEND_READY) {
		if (s->request.is_done && s->has_response)
			http_session_limit_agent(s);
		backend_pause(s->backend, false);
		http_session_on_arrived(s, s->backend);
	}
}

static void http_session_on_event(struct bufferevent *client, short what,
				  void *arg)
{
	struct http_session *s = arg;

	(void)client;
	if (what & BEV_EVENT_CONNECTED)
		return;
	if (what & BEV_EVENT_ERROR && s->base.is_tls && !s->begin_ns)
		http_session_say(s, "handshake",
				 "TLS handshake with the client failed");
	if (!door_client_may_read(&s->base, what) ||
	    s->state >= HTTP_STATE_ENDING) {
		http_session_die(s);
		return;
	}
	s->client_ended = true;
	http_session_go_on(s);
}

/*
 * The agent is silent.  The client must not send another request by this
 * connection while it cannot know whether the agent executes this one.
 */
static void http_session_fail_silent(struct http_session *s)
{
	struct text line = { 0 };

	text_printf(&line, "%s: ", s->target->title);
	if (!s->request.is_done)
		text_puts(&line,
			  "the Jolokia agent read no more of the request");
	else if (s->has_response)
		text_puts(&line,
			  "the Jolokia agent sent no more of the response");
	else
		text_puts(&line, "the Jolokia agent sent no response");
	text_printf(&line, " within %.3g s (--timeout)%s",
		    (double)s->front->reply_ns / (double)CLOCK_NS_PER_S,
		    s->call.changes ? "; the request may have been executed"
				    : "");
	http_session_say(s, "silent", line.bytes);
	s->is_persistent = false;
	http_session_fail(s, 504, line.bytes, NULL);
	text_release(&line);
}

void http_session_on_limit(struct door_client *c)
{
	struct http_session *s = (struct http_session *)c;
	bool is_partial = s->state == HTTP_STATE_HEAD &&
			  evbuffer_get_length(s->in);

	if (is_partial || (s->state == HTTP_STATE_CALL && !s->request.is_done &&
			   !http_session_agent_is_full(s))) {
		s->begin_ns = clock_monotonic_ns();
		s->is_persistent = s->request.is_done = false;
		http_session_refuse(
			s, 408,
			"the client did not complete a request in time");
	} else if (s->state == HTTP_STATE_CALL && http_session_waiting(s)) {
		http_session_say(s, "reads",
				 "the client does not read its response");
		http_session_break(s);
	} else if (s->state == HTTP_STATE_CALL) {
		http_session_fail_silent(s);
	} else {
		http_session_die(s);
	}
}

void http_session_begin(struct door_front *f, evutil_socket_t fd,
			const struct sockaddr_storage *peer)
{
	struct http_session *s = xcalloc(1, sizeof(*s));
	struct door *d = f->door;

	door_enter(f, &s->base, fd, peer);
	s->front = (struct http_front *)f;
	if (d->options.to_client)
		door_client_accept_tls(&s->base);
	s->in = evbuffer_new();
	s->body = evbuffer_new();
	s->out = evbuffer_new();
	s->copy = evbuffer_new();
	if (!s->in || !s->body || !s->out || !s->copy)
		alloc_give_up(sizeof(*s));
	bufferevent_setcb(s->base.stream, http_session_on_read,
			  http_session_on_write, http_session_on_event, s);
	bufferevent_setwatermark(s->base.stream, EV_READ, 0, HTTP_WAITING_MAX);
	bufferevent_enable(s->base.stream, EV_WRITE);
	http_session_expect_head(s);
	http_session_limit(s, d->options.hello_ns);
}

void http_session_drain(struct door_client *c)
{
	struct http_session *s = (struct http_session *)c;

	if (s->state == HTTP_STATE_HEAD && !http_session_waiting(s))
		http_session_die(s);
}

void http_session_free(struct door_client *c)
{
	struct http_session *s = (struct http_session *)c;

	backend_free(s->backend);
	door_leave(&s->base);
	evbuffer_free(s->in);
	evbuffer_free(s->body);
	evbuffer_free(s->out);
	evbuffer_free(s->copy);
	if (s->head.cap)
		explicit_bzero(s->head.bytes, s->head.cap);
	text_release(&s->head);
	free(s);
}
