/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "jmx_http/http/exposition.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/http_session.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the login of an agent ---- */

void http_target_forget_login(struct http_target *t)
{
	if (t->authorization)
		explicit_bzero(t->authorization, strlen(t->authorization));
	free(t->authorization);
	t->authorization = NULL;
}

const char *http_target_login_fault(const struct http_target *t)
{
	return t->renew_bearer
		       ? "the Jolokia agent rejected the token of --bearer-file"
		       : "the Jolokia agent rejected the user or the password "
			 "of --user and --password-file";
}

bool http_target_renew_login(struct http_target *t, struct error *err)
{
	struct text header = { 0 };
	bool is_new = false;

	text_puts(&header, "Bearer ");
	if (t->renew_bearer(t->bearer_file, &header, err) == 0) {
		is_new = strcmp(header.bytes, t->authorization) != 0 &&
			 !strpbrk(header.bytes, "\r\n");
		*err = (struct error){ 0 };
	}
	if (is_new) {
		http_target_forget_login(t);
		t->authorization = xstrdup(header.bytes);
		t->login++;
	}
	explicit_bzero(header.bytes, header.cap);
	text_release(&header);
	return is_new;
}

/* ---- requests and responses ---- */

static bool forward_fail(struct http_fault *fault, unsigned status,
			 const char *why)
{
	*fault = (struct http_fault){ status, why };
	return false;
}

/* Returns the scheme, host and port of a URL. */
static struct line forward_origin(struct line url)
{
	size_t slashes = 0, i;

	for (i = 0; i < url.len && slashes < 3; i++)
		slashes += url.text[i] == '/';
	return (struct line){ url.text, slashes == 3 ? i - 1 : i };
}

static bool forward_origin_is_allowed(const struct http_front *f,
				      struct line origin)
{
	for (size_t i = 0; i < f->origins.count; i++)
		if (http_text_is(origin, f->origins.names[i]))
			return true;
	return false;
}

static bool forward_origin_is_ours(const struct http_session *s,
				   const struct http_head *h,
				   struct line origin)
{
	const char *scheme = s->base.is_tls ? "https://" : "http://";
	size_t len = strlen(scheme);

	return origin.len == len + h->host.len &&
	       strncasecmp(origin.text, scheme, len) == 0 &&
	       strncasecmp(origin.text + len, h->host.text, h->host.len) == 0;
}

/*
 * Foreign web pages may send requests to this machine, but not read the
 * response.  Browsers mark such requests: by Origin, except simple GETs; by
 * Sec-Fetch-Site, if they are new; by Referer, unless the page prevents it.
 */
static bool forward_is_foreign(const struct http_session *s,
			       const struct http_head *h)
{
	static const char *const names[] = { "Origin", "Referer" };

	for (size_t n = 0; n < 2; n++) {
		const char *name = names[n];

		for (size_t i = 0; i < h->count; i++) {
			struct line value;

			if (!http_header_is(&h->headers[i], name))
				continue;
			value = forward_origin(h->headers[i].value);
			return !forward_origin_is_ours(s, h, value) &&
			       !forward_origin_is_allowed(s->front, value);
		}
	}
	for (size_t i = 0; i < h->count; i++)
		if (http_header_is(&h->headers[i], "Sec-Fetch-Site"))
			return !http_text_is(h->headers[i].value, "none") &&
			       !http_text_is(h->headers[i].value,
					     "same-origin");
	return false;
}

/*
 * Returns true if a browser may omit the origin of the request: a page can
 * prevent Referer, a simple GET has no Origin, and browsers send Sec-Fetch-Site
 * only over TLS or to this machine.
 */
static bool forward_is_unproven(const struct http_head *h)
{
	static const char *const names[] = { "Origin", "Referer",
					     "Sec-Fetch-Site" };
	static const char browser[] = "Mozilla/";
	bool is_browser = false;

	for (size_t i = 0; i < h->count; i++) {
		const struct http_header *header = &h->headers[i];

		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
			if (http_header_is(header, names[n]))
				return false;
		is_browser |= http_header_is(header, "User-Agent") &&
			      header->value.len >= strlen(browser) &&
			      memcmp(header->value.text, browser,
				     strlen(browser)) == 0;
	}
	return is_browser;
}

static bool forward_has_twice(const struct http_head *h, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += http_header_is(&h->headers[i], name);
	return count > 1;
}

/*
 * The agent would decode a compressed body, or one in another character set, to
 * another text.
 */
static bool forward_check_coding(const struct http_head *h,
				 struct http_fault *fault)
{
	static const char *const sets[] = { "utf-8", "us-ascii", "iso-8859-1" };
	const struct http_header *type = http_header_find(h, "Content-Type");
	const char *at;
	char text[128];

	for (size_t i = 0; i < h->count; i++)
		if (http_header_is(&h->headers[i], "Content-Encoding") &&
		    !http_text_is(h->headers[i].value, "identity"))
			return forward_fail(fault, 415,
					    "compressed requests are not "
					    "supported");
	if (!type && !forward_has_twice(h, "Content-Type"))
		return true;
	if (!type || type->value.len >= sizeof(text))
		return forward_fail(fault, 415, "the content type is invalid");
	for (size_t i = 0; i < type->value.len; i++)
		text[i] = (char)tolower((unsigned char)type->value.text[i]);
	text[type->value.len] = '\0';
	at = strstr(text, "charset");
	if (!at)
		return true;
	at += strlen("charset");
	at += strspn(at, " =\"");
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		size_t len = strlen(sets[i]);

		if (strncmp(at, sets[i], len) == 0 &&
		    strspn(at + len, " \"") == strlen(at + len))
			return true;
	}
	return forward_fail(fault, 415, "the request is not in UTF-8");
}

/*
 * If the client's target starts with "/name", sets *rest to the part after it.
 */
static bool forward_rest(const struct http_target *t, struct line target,
			 struct line *rest)
{
	size_t len = strlen(t->name);

	if (target.len < 1 + len || memcmp(target.text + 1, t->name, len) != 0)
		return false;
	*rest = (struct line){ target.text + 1 + len, target.len - 1 - len };
	return !rest->len || *rest->text == '/' || *rest->text == '?';
}

static bool forward_is_metrics(const struct http_target *t, struct line target)
{
	return (t->metrics.to.dialer || t->serves_metrics) &&
	       line_is(line_cut(&target, '?'), EXPOSITION_PATH);
}

static bool forward_route(struct http_session *s, struct line target,
			  struct line *rest, struct http_fault *fault)
{
	const struct http_front *f = s->front;
	struct line query = target;

	/* The metrics at the root are not below an agent's path. */
	*rest = (struct line){ 0 };
	if (jolokia_path_escapes(line_cut(&query, '?')))
		return forward_fail(fault, 400, "the path is invalid");
	for (size_t i = 0; i < f->target_count; i++) {
		s->target = &f->targets[i];
		if (forward_rest(s->target, target, rest)) {
			s->wants_metrics = forward_is_metrics(s->target, *rest);
			return true;
		}
	}
	s->target = f->targets;
	s->wants_metrics = f->target_count == 1 &&
			   forward_is_metrics(s->target, target);
	if (s->wants_metrics)
		return true;
	s->target = NULL;
	if (f->target_count > 1 ||
	    strcmp(f->targets->name, HTTP_FRONT_PATH) != 0)
		return forward_fail(
			fault, 404,
			"no Jolokia agent is at this path; use /<name> "
			"with a <name> of -u");
	return forward_fail(fault, 404,
			    "no Jolokia agent is at this path; use "
			    "/" HTTP_FRONT_PATH);
}

static bool forward_check_path(struct http_session *s, struct line rest,
			       struct http_fault *fault)
{
	if (jolokia_call_of_path(&s->call, rest) == JOLOKIA_PASSES)
		return true;
	return forward_fail(fault,
			    s->call.verdict == JOLOKIA_REFUSED ? 403 : 400,
			    s->call.why);
}

static bool forward_check_metrics(struct http_session *s,
				  const struct http_head *h,
				  struct http_fault *fault)
{
	s->call.method = "metrics";
	if (!line_is(h->method, "GET") && !line_is(h->method, "HEAD"))
		return forward_fail(fault, 405,
				    "only GET and HEAD are supported for the "
				    "metrics");
	if (h->framing != HTTP_NO_BODY)
		return forward_fail(fault, 400,
				    "only POST requests may have a body");
	return true;
}

static bool forward_check_call(struct http_session *s,
			       const struct http_head *h, struct line rest,
			       struct http_fault *fault)
{
	struct line query = rest;
	struct line path = line_cut(&query, '?');
	bool is_bare = path.len == 0 || (path.len == 1 && *path.text == '/');

	if (s->wants_metrics)
		return forward_check_metrics(s, h, fault);
	if (line_is(h->method, "POST")) {
		if (!forward_check_coding(h, fault))
			return false;
		if (h->framing == HTTP_NO_BODY)
			return forward_fail(fault, 400, "the request is empty");
		if (h->framing == HTTP_LENGTH && h->length > HTTP_REQUEST_MAX)
			return forward_fail(fault, 413, HTTP_TOO_LARGE);
		if (!s->front->rules.read_only)
			return true;
		/* Agents read the operation only from the body. */
		if (!is_bare)
			return forward_fail(fault, 403,
					    "with --read-only, a POST request "
					    "has no path behind the agent's");
		if (forward_check_path(s, rest, fault))
			jolokia_call_begin(&s->call, &s->front->rules);
		return !fault->why;
	}
	if (h->framing != HTTP_NO_BODY)
		return forward_fail(fault, 400,
				    "only POST requests may have a body");
	/*
	 * Includes OPTIONS: a server may treat all methods except POST alike.
	 */
	if (!forward_check_path(s, rest, fault))
		return false;
	/* A foreign page could send it as an image or a script. */
	if ((s->call.changes || s->call.is_jsonp) && forward_is_unproven(h))
		return forward_fail(fault, 403,
				    "the request may come from another web "
				    "site; use POST");
	return true;
}

bool http_forward_check(struct http_session *s, const struct http_head *h,
			struct http_fault *fault)
{
	struct line rest;

	if (!line_is(h->method, "GET") && !line_is(h->method, "HEAD") &&
	    !line_is(h->method, "POST") && !line_is(h->method, "OPTIONS"))
		return forward_fail(fault, 405,
				    "only GET, HEAD, POST and OPTIONS are "
				    "supported");
	if (!http_host_is_allowed(h->host, s->front->hosts.names,
				  s->front->hosts.count))
		return forward_fail(fault, 403,
				    "the Host header is not allowed; use "
				    "--allow-host");
	if (forward_is_foreign(s, h))
		return forward_fail(fault, 403,
				    "the request comes from another web site; "
				    "use --allow-origin");
	return forward_route(s, h->target, &rest, fault) &&
	       forward_check_call(s, h, rest, fault);
}

static void forward_add(struct text *out, struct line text)
{
	text_add(out, text.text, text.len);
}

static void forward_add_header(struct text *out, const struct http_header *h)
{
	forward_add(out, h->name);
	text_add(out, ": ", 2);
	forward_add(out, h->value);
	text_add(out, "\r\n", 2);
}

/* Headers whose values would be wrong, or which the proxy sets. */
static bool forward_drops(const struct http_session *s,
			  const struct http_head *h,
			  const struct http_header *header)
{
	static const char *const names[] = {
		"Host",
		"Expect",
		/* An agent or its server may believe them. */
		"Forwarded",
		"X-Forwarded-For",
		"X-Forwarded-Host",
		"X-Forwarded-Proto",
		"X-Forwarded-Port",
		"X-Forwarded-Prefix",
		"X-Real-IP",
		/* These headers would replace the checked method or path. */
		"X-HTTP-Method",
		"X-HTTP-Method-Override",
		"X-Method-Override",
		"X-Original-URL",
		"X-Rewrite-URL",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (http_header_is(header, names[i]))
			return true;
	if (http_header_is(header, "Authorization"))
		return s->target->authorization;
	/* The proxy's origin is foreign to the agent. */
	if (http_header_is(header, "Origin") ||
	    http_header_is(header, "Referer"))
		return !forward_origin_is_allowed(
			s->front, forward_origin(header->value));
	return http_header_is_hop_by_hop(h, header);
}

void http_forward_request(struct http_session *s, const struct http_head *h)
{
	struct http_target *t = s->target;
	struct line rest = { "", 0 };

	forward_rest(t, h->target, &rest);
	if (s->wants_metrics)
		rest = (struct line){ EXPOSITION_PATH,
				      strlen(EXPOSITION_PATH) };
	text_clear(&s->head);
	forward_add(&s->head, h->method);
	text_putc(&s->head, ' ');
	text_puts(&s->head, s->wants_metrics ? "" : t->path);
	/*
	 * A '/' follows the agent's path: JVM agents before 2.6 return 404
	 * without it, and other agents accept it.
	 */
	if (s->head.bytes[s->head.len - 1] == '/')
		s->head.len--;
	if (!(rest.len && *rest.text == '/'))
		text_putc(&s->head, '/');
	forward_add(&s->head, rest);
	text_puts(&s->head, " HTTP/1.1\r\nHost: ");
	text_puts(&s->head, t->authority);
	text_puts(&s->head, "\r\nX-Forwarded-For: ");
	socket_add_host(&s->head, &s->base.peer);
	text_puts(&s->head, "\r\n");
	for (size_t i = 0; i < h->count; i++)
		if (!forward_drops(s, h, &h->headers[i]))
			forward_add_header(&s->head, &h->headers[i]);
}

/* A redirect to the agent's path must lead to the proxy's path. */
static bool forward_add_location(const struct http_session *s,
				 const struct http_header *header,
				 struct text *out)
{
	const struct http_target *t = s->target;
	struct line origin = forward_origin(header->value);
	struct line rest = header->value;
	size_t len = strlen(t->path);
	size_t authority = strlen(t->authority);

	if (!http_header_is(header, "Location"))
		return false;
	while (len && t->path[len - 1] == '/')
		len--;
	if (rest.len && *rest.text != '/') {
		if (origin.len < authority + 3 ||
		    strncasecmp(origin.text + origin.len - authority,
				t->authority, authority) != 0 ||
		    origin.text[origin.len - authority - 1] != '/')
			return false;
		rest.text += origin.len;
		rest.len -= origin.len;
	}
	if (rest.len < len || memcmp(rest.text, t->path, len) != 0)
		return false;
	text_printf(out, "Location: /%s%.*s\r\n", t->name,
		    (int)(rest.len - len), rest.text + len);
	return true;
}

static void forward_add_framing(const struct http_session *s, bool has_length,
				uint64_t length, struct text *out)
{
	if (has_length)
		text_printf(out, "Content-Length: %" PRIu64 "\r\n", length);
	else if (s->is_chunked)
		text_puts(out, "Transfer-Encoding: chunked\r\n");
}

/*
 * A response is data, never a page with scripts of the proxy's origin
 * (CVE-2018-1000129).
 */
static void forward_add_end(const struct http_session *s, bool keeps,
			    struct text *out)
{
	text_puts(out, "X-Content-Type-Options: nosniff\r\n"
		       "Content-Security-Policy: default-src 'none'; "
		       "sandbox\r\n");
	if (!keeps)
		text_puts(out, "Connection: close\r\n");
	else if (s->is_old)
		text_puts(out, "Connection: keep-alive\r\n");
	text_puts(out, "\r\n");
}

void http_forward_response(const struct http_session *s,
			   const struct http_head *h, bool keeps,
			   struct evbuffer *out)
{
	struct text head = { 0 };

	text_printf(&head, "HTTP/1.1 %u ", h->status);
	forward_add(&head, h->reason);
	text_puts(&head, "\r\n");
	for (size_t i = 0; i < h->count; i++)
		if (!http_header_is_hop_by_hop(h, &h->headers[i]) &&
		    !forward_add_location(s, &h->headers[i], &head))
			forward_add_header(&head, &h->headers[i]);
	/* 204 has no length (RFC 9110, 8.6); of 304, it is the full one. */
	forward_add_framing(s, h->has_length && h->status != 204, h->length,
			    &head);
	forward_add_end(s, keeps, &head);
	evbuffer_add(out, head.bytes, head.len);
	text_release(&head);
}

static const char *forward_reason(unsigned status)
{
	static const struct {
		unsigned status;
		const char *reason;
	} reasons[] = {
		{ 400, "Bad Request" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 417, "Expectation Failed" },
		{ 431, "Request Header Fields Too Large" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Error";
}

/* The body has the form of an agent's errors. */
void http_forward_fault(const struct http_session *s, unsigned status,
			const char *why, bool keeps, struct evbuffer *out)
{
	struct text head = { 0 }, body = { 0 }, message = { 0 };
	struct json j = json_into(&body);

	text_printf(&message, "mxprx: %s", why);
	json_open_object(&j);
	json_add_uint(&j, "status", status);
	json_add_text(&j, "error", message.bytes);
	json_close_object(&j);
	text_putc(&body, '\n');
	text_printf(&head, "HTTP/1.1 %u %s\r\n", status,
		    forward_reason(status));
	text_puts(&head, "Content-Type: application/json\r\n"
			 "Cache-Control: no-store\r\n");
	if (status == 405)
		text_puts(&head, "Allow: GET, HEAD, POST, OPTIONS\r\n");
	forward_add_framing(s, true, body.len, &head);
	forward_add_end(s, keeps, &head);
	if (!s->is_head)
		text_add(&head, body.bytes, body.len);
	evbuffer_add(out, head.bytes, head.len);
	text_release(&head);
	text_release(&body);
	text_release(&message);
}

void http_forward_frame_body(struct http_session *s, struct evbuffer *out)
{
	size_t len = evbuffer_get_length(s->body);
	bool is_chunked = s->request.framing == HTTP_CHUNKED;

	if (is_chunked && len)
		evbuffer_add_printf(out, "%zx\r\n", len);
	evbuffer_add_buffer(out, s->body);
	if (is_chunked && len)
		evbuffer_add(out, "\r\n", 2);
	if (is_chunked && s->request.is_done)
		evbuffer_add(out, "0\r\n\r\n", 5);
}

void http_forward_frame_head(struct http_session *s, struct evbuffer *out)
{
	size_t len = evbuffer_get_length(s->body);

	if (s->request.framing == HTTP_CHUNKED && s->request.is_done) {
		s->request.framing = HTTP_LENGTH;
		s->length = len;
	}
	evbuffer_add(out, s->head.bytes, s->head.len);
	s->login = s->target->login;
	if (s->target->authorization)
		evbuffer_add_printf(out, "Authorization: %s\r\n",
				    s->target->authorization);
	if (s->request.framing == HTTP_CHUNKED)
		evbuffer_add(out, "Transfer-Encoding: chunked\r\n", 28);
	else if (s->request.framing == HTTP_LENGTH)
		evbuffer_add_printf(out, "Content-Length: %llu\r\n",
				    (unsigned long long)s->length);
	evbuffer_add(out, "\r\n", 2);
}
