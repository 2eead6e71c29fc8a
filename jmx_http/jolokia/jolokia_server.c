/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_server.h"

#include "jmx_http/http/http_head.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_LEN ((size_t)64 << 10)

enum server_method {
	SERVER_GET, /* and methods that the proxy does not forward */
	SERVER_HEAD,
	SERVER_POST,
	SERVER_OPTIONS,
};

struct server {
	int fd;
	enum server_method method; /* of the request */
	struct jolokia_operations operations;
	struct text in;   /* bytes that are not yet parsed */
	struct text body; /* of the request */
	struct text out;  /* the response's body */
	struct text head; /* and its head */
	bool closes;      /* after the response */

	/*
	 * The origin of the web page that sends the request, or ""; the proxy
	 * forwards it only if it is allowed.
	 */
	struct text origin;
	struct text asked_headers; /* by a page, before it sends the request */

	const struct metrics_options *metrics;
	struct text
		authorization; /* "Authorization: …" of the request, or "" */
	struct text login;     /* the one that the connection has */
};

/* Reads more bytes; false at the end. */
static bool server_read(struct server *s)
{
	char bytes[READ_LEN];
	ssize_t got;

	do
		got = recv(s->fd, bytes, sizeof(bytes), 0);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	text_add(&s->in, bytes, (size_t)got);
	return true;
}

static bool server_send(struct server *s, const struct text *bytes)
{
	size_t sent = 0;

	while (sent < bytes->len) {
		ssize_t n = send(s->fd, bytes->bytes + sent, bytes->len - sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		sent += (size_t)n;
	}
	return true;
}

static void server_drain(struct server *s, size_t len)
{
	memmove(s->in.bytes, s->in.bytes + len, s->in.len - len);
	s->in.len -= len;
}

/*
 * Lets the page read the response; otherwise, the browser withholds it.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
static void server_add_origin(struct server *s)
{
	if (s->origin.len)
		text_printf(&s->head,
			    "Access-Control-Allow-Origin: %s\r\n"
			    "Access-Control-Allow-Credentials: true\r\n"
			    "Vary: Origin\r\n",
			    s->origin.bytes);
}

static bool server_respond(struct server *s, unsigned status,
			   const char *reason, const char *type)
{
	text_clear(&s->head);
	text_printf(&s->head,
		    "HTTP/1.1 %u %s\r\nContent-Type: %s\r\n"
		    "Cache-Control: no-cache\r\nContent-Length: %zu\r\n%s",
		    status, reason, type, s->out.len,
		    s->closes ? "Connection: close\r\n" : "");
	if (status == 401)
		text_puts(&s->head,
			  "WWW-Authenticate: Basic realm=\"jolokia\"\r\n");
	server_add_origin(s);
	text_puts(&s->head, "\r\n");
	if (s->method != SERVER_HEAD)
		text_add(&s->head, s->out.bytes, s->out.len);
	return server_send(s, &s->head);
}

static bool server_fail(struct server *s, unsigned status, const char *why)
{
	s->closes = true;
	text_clear(&s->out);
	text_printf(&s->out, "%s\n", why);
	server_respond(s, status, "Error", "text/plain; charset=utf-8");
	return false;
}

/* Tells a browser what a page may send; nothing else happens. */
static bool server_answer_options(struct server *s)
{
	text_clear(&s->head);
	text_printf(&s->head,
		    "HTTP/1.1 200 OK\r\nAllow: GET, HEAD, OPTIONS, "
		    "POST\r\nContent-Length: 0\r\n%s",
		    s->closes ? "Connection: close\r\n" : "");
	server_add_origin(s);
	if (s->origin.len)
		text_puts(&s->head,
			  "Access-Control-Allow-Methods: GET, POST\r\n"
			  "Access-Control-Max-Age: 3600\r\n");
	if (s->origin.len && s->asked_headers.len)
		text_printf(&s->head, "Access-Control-Allow-Headers: %s\r\n",
			    s->asked_headers.bytes);
	text_puts(&s->head, "\r\n");
	return server_send(s, &s->head);
}

/* Reads the body, whose first bytes are in s->in. */
static bool server_read_body(struct server *s, const struct http_head *h)
{
	struct http_body body = http_body_of(h);
	struct http_fault fault = { 0 };
	struct line data;
	size_t used;

	text_clear(&s->body);
	text_puts(&s->body, "");
	while (!body.is_done) {
		if (!s->in.len && !server_read(s))
			return false;
		if (http_body_read(&body, s->in.bytes, s->in.len, &used, &data,
				   &fault) == HTTP_INVALID)
			return server_fail(s, fault.status, fault.why);
		if (s->body.len + data.len > JOLOKIA_BODY_MAX)
			return server_fail(s, 413,
					   "the request is larger than 16 MiB");
		text_add(&s->body, data.text, data.len);
		server_drain(s, used);
	}
	return true;
}

/* Keeps the value of a header, with text before it; "" if there is none. */
static void server_keep_header(struct text *to, const struct http_head *h,
			       const char *name, const char *before)
{
	const struct http_header *header = http_header_find(h, name);

	text_clear(to);
	text_puts(to, header ? before : "");
	if (header)
		text_add(to, header->value.text, header->value.len);
}

/* Metrics */

/* Connects; to an agent, connects again for another login. */
static int server_connect(struct server *s, struct error *err)
{
	struct jolokia_operations *o = &s->operations;
	struct jmx_target target = *o->target;
	const char *header = s->authorization.bytes;

	if (target.address && jmx_is_http(target.address)) {
		if (o->jmx && strcmp(s->login.bytes, header) != 0)
			jolokia_operations_release(o);
		text_clear(&s->login);
		text_puts(&s->login, header);
		target.http.headers = &header;
		target.http.header_count = *header ? 1 : 0;
	}
	if (!o->jmx)
		o->jmx = jmx_open(&target, err);
	return o->jmx ? 0 : -1;
}

static unsigned server_metrics_status(const struct error *err)
{
	if (err->kind == ERROR_PERMISSION)
		return err->sys == EACCES ? 401 : 403;
	return err->sys == ETIMEDOUT ? 504 : 502;
}

static bool server_answer_metrics(struct server *s)
{
	struct error err = { 0 };
	unsigned status;

	text_clear(&s->out);
	if (server_connect(s, &err) == 0 &&
	    metrics_read(s->operations.jmx, s->metrics, &s->out, &err) >= 0)
		return server_respond(s, 200, "OK", EXPOSITION_TYPE);
	status = server_metrics_status(&err);
	/* The options of sjkc's other commands do not help here. */
	if (status == 401)
		fail(&err, err.kind, "%s",
		     s->authorization.len
			     ? "the Jolokia agent rejected the login of this "
			       "request"
			     : "the Jolokia agent requires a login; send it "
			       "with the "
			       "request, or give it to mxprx by --user and "
			       "--password-file");
	return server_fail(s, status, err.text);
}

static bool server_answer(struct server *s, struct line target)
{
	bool is_post = s->method == SERVER_POST;
	struct line query = target;
	struct line path = line_cut(&query, '?');
	struct line body = { s->body.bytes, s->body.len };

	if (s->method == SERVER_OPTIONS)
		return server_answer_options(s);
	if (!is_post && line_is(path, EXPOSITION_PATH))
		return server_answer_metrics(s);
	text_clear(&s->out);
	if (is_post)
		jolokia_operations_post(&s->operations, body, query, &s->out);
	else
		jolokia_operations_get(&s->operations, target, query, &s->out);
	return server_respond(s, 200, "OK", "application/json; charset=utf-8");
}

static enum server_method server_method_of(struct line name)
{
	if (line_is(name, "HEAD"))
		return SERVER_HEAD;
	if (line_is(name, "POST"))
		return SERVER_POST;
	return line_is(name, "OPTIONS") ? SERVER_OPTIONS : SERVER_GET;
}

/* Serves a request.  Returns false if the connection must be closed. */
static bool server_serve(struct server *s)
{
	struct http_fault fault = { 0 };
	enum http_result result = HTTP_MORE;
	size_t scanned = 0, len = 0;
	struct text target = { 0 };
	struct http_head h;
	bool goes_on;

	while (!s->in.len ||
	       (result = http_head_find(s->in.bytes, s->in.len, &scanned, &len,
					&fault)) == HTTP_MORE)
		if (!server_read(s))
			return false;
	if (result == HTTP_INVALID ||
	    !http_request_parse(&h, s->in.bytes, len, &fault))
		return server_fail(s, fault.status, fault.why);
	s->method = server_method_of(h.method);
	s->closes = !h.is_persistent;
	/* The head is in s->in, which reading the body moves. */
	server_keep_header(&s->authorization, &h, "Authorization",
			   "Authorization: ");
	server_keep_header(&s->origin, &h, "Origin", "");
	server_keep_header(&s->asked_headers, &h,
			   "Access-Control-Request-Headers", "");
	text_add(&target, h.target.text, h.target.len);
	server_drain(s, len);
	goes_on = server_read_body(s, &h) &&
		  server_answer(s, (struct line){ target.bytes, target.len }) &&
		  !s->closes;
	text_release(&target);
	return goes_on;
}

void jolokia_server_run(const struct jmx_target *target,
			const struct metrics_options *metrics, int fd)
{
	struct server s = {
		.fd = fd,
		.operations.target = target,
		.metrics = metrics,
	};

	while (server_serve(&s))
		;
	jolokia_operations_release(&s.operations);
	text_release(&s.in);
	text_release(&s.body);
	text_release(&s.out);
	text_release(&s.head);
	text_release(&s.origin);
	text_release(&s.asked_headers);
	text_release(&s.authorization);
	text_release(&s.login);
}
