/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_server.h"

#include "jmx_http/jolokia/jolokia_operations.h"
#include "jmx_http/proxy/http_head.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_LEN ((size_t)64 << 10)

struct server {
	int fd;
	struct jolokia_operations operations;
	struct text in;   /* bytes that are not yet parsed */
	struct text body; /* of the request */
	struct text out;  /* the response's body */
	struct text head; /* and its head */
	bool closes;      /* after the response */

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

static bool server_respond(struct server *s, unsigned status,
			   const char *reason, const char *type, bool is_head)
{
	text_clear(&s->head);
	text_printf(&s->head,
		    "HTTP/1.1 %u %s\r\nContent-Type: %s\r\n"
		    "Cache-Control: no-cache\r\nContent-Length: %zu\r\n%s\r\n",
		    status, reason, type, s->out.len,
		    s->closes ? "Connection: close\r\n" : "");
	if (!is_head)
		text_add(&s->head, s->out.bytes, s->out.len);
	return server_send(s, &s->head);
}

static bool server_fail(struct server *s, unsigned status, const char *why)
{
	s->closes = true;
	text_clear(&s->out);
	text_printf(&s->out, "%s\n", why);
	server_respond(s, status, "Error", "text/plain; charset=utf-8", false);
	return false;
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

/* Metrics */

static void server_keep_authorization(struct server *s,
				      const struct http_head *h)
{
	const struct http_header *header = http_header_find(h, "Authorization");

	text_clear(&s->authorization);
	text_puts(&s->authorization, "");
	if (!header)
		return;
	text_puts(&s->authorization, "Authorization: ");
	text_add(&s->authorization, header->value.text, header->value.len);
}

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

static bool server_answer_metrics(struct server *s, bool is_head)
{
	struct error err = { 0 };

	text_clear(&s->out);
	if (server_connect(s, &err) == 0 &&
	    metrics_read(s->operations.jmx, s->metrics, &s->out, &err) >= 0)
		return server_respond(s, 200, "OK", EXPOSITION_TYPE, is_head);
	return server_fail(s,
			   err.kind == ERROR_PERMISSION ? 403
			   : err.sys == ETIMEDOUT       ? 504
							: 502,
			   err.text);
}

static bool server_answer(struct server *s, bool is_post, struct line target,
			  bool is_head)
{
	struct line query = target;
	struct line path = line_cut(&query, '?');
	struct line body = { s->body.bytes, s->body.len };

	if (!is_post && line_is(path, EXPOSITION_PATH))
		return server_answer_metrics(s, is_head);
	text_clear(&s->out);
	if (is_post)
		jolokia_operations_post(&s->operations, body, query, &s->out);
	else
		jolokia_operations_get(&s->operations, target, query, &s->out);
	return server_respond(s, 200, "OK", "application/json; charset=utf-8",
			      is_head);
}

/* Serves a request.  Returns false if the connection must be closed. */
static bool server_serve(struct server *s)
{
	struct http_fault fault = { 0 };
	enum http_result result = HTTP_MORE;
	size_t scanned = 0, len = 0;
	struct text target = { 0 };
	struct http_head h;
	bool is_post, is_head, goes_on;

	while (!s->in.len ||
	       (result = http_head_find(s->in.bytes, s->in.len, &scanned, &len,
					&fault)) == HTTP_MORE)
		if (!server_read(s))
			return false;
	if (result == HTTP_INVALID ||
	    !http_request_parse(&h, s->in.bytes, len, &fault))
		return server_fail(s, fault.status, fault.why);
	is_post = line_is(h.method, "POST");
	is_head = line_is(h.method, "HEAD");
	s->closes = !h.is_persistent;
	/* The head is in s->in, which reading the body moves. */
	server_keep_authorization(s, &h);
	text_add(&target, h.target.text, h.target.len);
	server_drain(s, len);
	goes_on = server_read_body(s, &h) &&
		  server_answer(s, is_post,
				(struct line){ target.bytes, target.len },
				is_head) &&
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
	text_release(&s.authorization);
	text_release(&s.login);
}
