/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/http/http_client.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/libcurl.h"
#include "jmx_http/net/address.h"
#include "jmx_http/net/tls.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* URLs */

int http_url_parse(struct http_url *parts, const char *url, struct error *err)
{
	const char *at = strstr(url, "://"), *end, *colon;
	size_t len, host;
	long port = 0;

	*parts = (struct http_url){
		.is_tls = strncasecmp(url, "https://", 8) == 0,
	};
	if (!parts->is_tls && strncasecmp(url, "http://", 7) != 0)
		return fail(err, ERROR_MISUSE,
			    "'%s' is not a URL of http:// or https://", url);
	at += 3;
	len = strcspn(at, "/?#");
	end = at + len;
	if (memchr(at, '@', len))
		return fail(err, ERROR_MISUSE,
			    "a URL with a user name or password is not "
			    "accepted: other users could read it; use --user "
			    "and --password-file");
	if (*at == '[') {
		at++;
		host = strcspn(at, "]/?#");
		if (at[host] != ']')
			host = 0;
		colon = at + host + 1;
	} else {
		host = strcspn(at, ":/?#");
		colon = at + host;
	}
	if (!host || host >= sizeof(parts->host))
		return fail(err, ERROR_MISUSE, "'%s' names no host", url);
	memcpy(parts->host, at, host);
	parts->port = parts->is_tls ? 443 : 80;
	if (colon < end && *colon == ':' && colon + 1 < end) {
		port = strtol(colon + 1, NULL, 10);
		if (strspn(colon + 1, "0123456789") !=
			    (size_t)(end - colon - 1) ||
		    port < 1 || port > 65535)
			return fail(err, ERROR_MISUSE,
				    "'%s' has an invalid port", url);
		parts->port = (uint16_t)port;
	} else if (colon < end && *colon != ':') {
		return fail(err, ERROR_MISUSE, "'%s' is not a valid URL", url);
	}
	parts->path = end;
	return 0;
}

bool http_host_is_valid(const char *host)
{
	const char *colon = strchr(host, ':');

	/* A single colon would precede a port. */
	return *host && strlen(host) < sizeof(((struct http_url *)0)->host) &&
	       !host[strcspn(host, "/?#@[] \\")] &&
	       (!colon || strchr(colon + 1, ':'));
}

void http_url_add(struct text *out, const struct http_url *parts,
		  const char *path)
{
	bool is_six = strchr(parts->host, ':') != NULL;

	text_printf(out, "http%s://%s%s%s", parts->is_tls ? "s" : "",
		    is_six ? "[" : "", parts->host, is_six ? "]" : "");
	if (parts->port != (parts->is_tls ? 443 : 80))
		text_printf(out, ":%u", parts->port);
	text_puts(out, path);
}

struct http_client {
	CURL *easy;
	struct tls_options tls;
	struct curl_slist *headers, *resolve, *connect_to;
	struct text bearer; /* the token; empty: none */
	jmx_renew_fn *renew_bearer;
	char *bearer_file;
	struct http_url resolved; /* the host in resolve */
	const char *server_name;  /* of the target; or NULL */
	char problem[CURL_ERROR_SIZE];
	struct http_response *response;
	/* The body that is being sent. */
	const struct text *body;
	size_t sent;
	bool is_once;
	curl_socket_t socket; /* of the last connection */
	bool is_too_large, uses_proxy, has_certificate, is_tls;
};

void http_response_release(struct http_response *r)
{
	text_release(&r->body);
	text_release(&r->type);
	text_release(&r->authenticate);
	text_release(&r->server);
	text_release(&r->location);
	*r = (struct http_response){ 0 };
}

static size_t client_take_body(char *bytes, size_t size, size_t count,
			       void *self)
{
	struct http_client *c = self;
	struct text *body = &c->response->body;

	if (size * count > HTTP_BODY_MAX - body->len) {
		c->is_too_large = true;
		return 0;
	}
	text_add(body, bytes, size * count);
	return size * count;
}

static void client_take_value(struct text *out, const char *name,
			      const char *line, size_t len)
{
	size_t skipped = strlen(name);

	if (len < skipped || strncasecmp(line, name, skipped) != 0)
		return;
	while (skipped < len && is_blank(line[skipped]))
		skipped++;
	while (len > skipped && strchr(" \t\r\n", line[len - 1]))
		len--;
	if (out->len)
		text_puts(out, ", ");
	text_add(out, line + skipped, len - skipped);
}

/*
 * Acknowledges received bytes immediately.  The JDK's HTTP server, which most
 * agents use, sends the body only after the head was acknowledged (Nagle's
 * algorithm), which the kernel delays by 40 ms.
 */
static void client_acknowledge(const struct http_client *c)
{
	int yes = 1;

	setsockopt(c->socket, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof(yes));
}

static int client_take_socket(void *self, curl_socket_t fd,
			      curlsocktype purpose)
{
	struct http_client *c = self;

	(void)purpose;
	c->socket = fd;
	return CURL_SOCKOPT_OK;
}

/* libcurl limits a line, and all lines of a head, to 300 KiB. */
static size_t client_take_header(char *bytes, size_t size, size_t count,
				 void *self)
{
	struct http_client *c = self;
	struct http_response *r = c->response;
	size_t len = size * count;

	/* Of several responses (100 Continue, a proxy's), the last counts. */
	if (len > 5 && memcmp(bytes, "HTTP/", 5) == 0) {
		text_clear(&r->type);
		text_clear(&r->authenticate);
		text_clear(&r->server);
	}
	client_take_value(&r->type, "Content-Type:", bytes, len);
	client_take_value(&r->authenticate, "WWW-Authenticate:", bytes, len);
	client_take_value(&r->server, "Server:", bytes, len);
	if (len <= 2)
		client_acknowledge(c);
	return len;
}

static size_t client_give_body(char *to, size_t size, size_t count, void *self)
{
	struct http_client *c = self;
	size_t len = c->body->len - c->sent;

	if (len > size * count)
		len = size * count;
	memcpy(to, c->body->bytes + c->sent, len);
	c->sent += len;
	return len;
}

/*
 * libcurl sends a request again when a connection that it reused ends without a
 * response.  Of a request that changes something, nothing may be sent twice.
 */
static int client_rewind(void *self, curl_off_t offset, int origin)
{
	struct http_client *c = self;

	if (c->is_once || offset != 0 || origin != SEEK_SET)
		return CURL_SEEKFUNC_FAIL;
	c->sent = 0;
	return CURL_SEEKFUNC_OK;
}

static void client_add_header(struct http_client *c, const char *header)
{
	struct curl_slist *list = curl.slist_append(c->headers, header);

	if (!list)
		alloc_give_up(strlen(header));
	c->headers = list;
}

static int client_add_headers(struct http_client *c,
			      const struct jmx_http_options *o,
			      struct error *err)
{
	client_add_header(c, "Content-Type: application/json");
	client_add_header(c, "Accept: application/json, text/plain;q=0.9");
	/* Servers that do not know it delay a large request by a second. */
	client_add_header(c, "Expect:");
	for (size_t i = 0; i < o->header_count; i++) {
		const char *header = o->headers[i];
		size_t name = strcspn(header, ":");

		if (!name || header[name] != ':' || strpbrk(header, "\r\n"))
			return fail(err, ERROR_MISUSE,
				    "'%.*s' is not a header (example: "
				    "'X-Tenant: blue')",
				    (int)strcspn(header, "\r\n"), header);
		client_add_header(c, header);
	}
	return 0;
}

/* The last header, for client_renew_bearer(). */
static void client_add_bearer(struct http_client *c)
{
	struct text header = { 0 };

	text_printf(&header, "Authorization: Bearer %s", c->bearer.bytes);
	client_add_header(c, header.bytes);
	explicit_bzero(header.bytes, header.len);
	text_release(&header);
}

static void client_set_login(struct http_client *c,
			     const struct jmx_target *target)
{
	if (target->credentials.user) {
		curl.easy_setopt(c->easy, CURLOPT_HTTPAUTH,
				 (long)CURLAUTH_BASIC);
		curl.easy_setopt(c->easy, CURLOPT_USERNAME,
				 target->credentials.user);
		curl.easy_setopt(c->easy, CURLOPT_PASSWORD,
				 target->credentials.password);
	}
	if (!target->http.bearer)
		return;
	text_puts(&c->bearer, target->http.bearer);
	client_add_bearer(c);
	c->renew_bearer = target->http.renew_bearer;
	if (target->http.bearer_file)
		c->bearer_file = xstrdup(target->http.bearer_file);
}

static void client_wipe(struct text *secret)
{
	if (secret->bytes)
		explicit_bzero(secret->bytes, secret->cap);
	text_release(secret);
}

/*
 * Replaces the last header, the old token.  Returns true if the file has
 * another token.
 */
static bool client_renew_bearer(struct http_client *c)
{
	struct curl_slist *old = c->headers;
	struct text token = { 0 };

	if (!c->renew_bearer ||
	    c->renew_bearer(c->bearer_file, &token, error_unused()) ||
	    !token.len || strcmp(token.bytes, c->bearer.bytes) == 0) {
		client_wipe(&token);
		return false;
	}
	client_wipe(&c->bearer);
	c->bearer = token;
	c->headers = NULL;
	for (const struct curl_slist *h = old; h->next; h = h->next)
		client_add_header(c, h->data);
	client_add_bearer(c);
	curl.easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	curl.slist_free_all(old);
	return true;
}

static int client_check_file(const char *file, struct error *err)
{
	if (file && access(file, R_OK))
		return fail_sys(err, ERROR_INPUT, "%s", file);
	return 0;
}

static int client_set_tls(struct http_client *c, const struct tls_options *tls,
			  struct error *err)
{
	if (tls->key && !tls->cert)
		return fail(err, ERROR_MISUSE,
			    "--key %s requires the certificate of the key: "
			    "--cert <file>",
			    tls->key);
	if (client_check_file(tls->cacert, err) ||
	    client_check_file(tls->cert, err) ||
	    client_check_file(tls->key, err))
		return -1;
	if (tls->cacert) {
		curl.easy_setopt(c->easy, CURLOPT_CAINFO, tls->cacert);
		/* Or the system's authorities are trusted, too. */
		curl.easy_setopt(c->easy, CURLOPT_CAPATH, NULL);
	} else {
		libcurl_trust_system(c->easy);
	}
	if (tls->cert) {
		curl.easy_setopt(c->easy, CURLOPT_SSLCERT, tls->cert);
		curl.easy_setopt(c->easy, CURLOPT_SSLKEY,
				 tls->key ? tls->key : tls->cert);
		c->has_certificate = true;
	}
	if (tls->insecure) {
		curl.easy_setopt(c->easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl.easy_setopt(c->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	} else {
		curl.easy_setopt(c->easy, CURLOPT_SSLVERSION,
				 (long)CURL_SSLVERSION_TLSv1_2);
	}
	return 0;
}

static bool client_has_proxy(const struct jmx_http_options *o)
{
	static const char *const names[] = { "http_proxy", "https_proxy",
					     "HTTPS_PROXY", "all_proxy",
					     "ALL_PROXY" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *proxy = getenv(names[i]);

		if (proxy && *proxy)
			return true;
	}
	return o->proxy;
}

static void client_set_callbacks(struct http_client *c)
{
	curl.easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, client_take_body);
	curl.easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	curl.easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, client_take_header);
	curl.easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
	curl.easy_setopt(c->easy, CURLOPT_READFUNCTION, client_give_body);
	curl.easy_setopt(c->easy, CURLOPT_READDATA, c);
	curl.easy_setopt(c->easy, CURLOPT_SEEKFUNCTION, client_rewind);
	curl.easy_setopt(c->easy, CURLOPT_SEEKDATA, c);
	curl.easy_setopt(c->easy, CURLOPT_SOCKOPTFUNCTION, client_take_socket);
	curl.easy_setopt(c->easy, CURLOPT_SOCKOPTDATA, c);
	curl.easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->problem);
}

struct http_client *http_client_new(const struct jmx_target *target,
				    struct error *err)
{
	struct http_client *c;

	if (libcurl_load("-u", err))
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->socket = -1;
	c->easy = curl.easy_init();
	if (!c->easy)
		alloc_give_up(0);
	client_set_callbacks(c);
	curl.easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(c->easy, CURLOPT_PATH_AS_IS, 1L);
	curl.easy_setopt(c->easy, CURLOPT_TCP_NODELAY, 1L);
	curl.easy_setopt(c->easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_1_1);
	curl.easy_setopt(c->easy, CURLOPT_USERAGENT, "sjkc");
	/*
	 * Compression is worthwhile over any network; agents disable it by
	 * default.
	 */
	curl.easy_setopt(c->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	c->server_name = target->tls.server_name;
	c->uses_proxy = client_has_proxy(&target->http);
	if (target->http.proxy)
		curl.easy_setopt(c->easy, CURLOPT_PROXY, target->http.proxy);
	if (client_set_tls(c, &target->tls, err) ||
	    client_add_headers(c, &target->http, err)) {
		http_client_free(c);
		return NULL;
	}
	client_set_login(c, target);
	curl.easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	return c;
}

bool http_client_uses_proxy(const struct http_client *c)
{
	return c->uses_proxy;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	curl.easy_cleanup(c->easy);
	curl.slist_free_all(c->headers);
	curl.slist_free_all(c->resolve);
	curl.slist_free_all(c->connect_to);
	client_wipe(&c->bearer);
	free(c->bearer_file);
	free(c);
}

/*
 * Resolves the host in a child process, which has a deadline, instead of
 * libcurl's thread, and again after each failure to connect.
 */
static int client_resolve(struct http_client *c, const struct http_url *url,
			  int64_t timeout_ns, struct error *err)
{
	struct net_address address = { .port = url->port };
	struct text entry = { 0 }, one = { 0 };

	if (c->uses_proxy || (c->resolve && c->resolved.port == url->port &&
			      !strcmp(c->resolved.host, url->host)))
		return 0;
	memcpy(address.host, url->host, sizeof(address.host));
	if (net_address_resolve(&address,
				clock_after(clock_monotonic_ns(), timeout_ns),
				err))
		return -1;
	/* "host:port:1.2.3.4,[::1]" */
	text_printf(&entry, "%s:%u:", url->host, url->port);
	for (size_t i = 0; i < address.count; i++) {
		text_clear(&one);
		net_address_add(&one, &address.list[i]);
		text_puts(&entry, i ? "," : "");
		text_add(&entry, one.bytes,
			 (size_t)(strrchr(one.bytes, ':') - one.bytes));
	}
	curl.slist_free_all(c->resolve);
	c->resolve = curl.slist_append(NULL, entry.bytes);
	c->resolved = *url;
	curl.easy_setopt(c->easy, CURLOPT_RESOLVE, c->resolve);
	text_release(&entry);
	text_release(&one);
	return 0;
}

static const char *client_problem(const struct http_client *c, CURLcode code)
{
	return *c->problem ? c->problem : curl.easy_strerror(code);
}

static int client_fail_lost(struct http_client *c, CURLcode code,
			    struct error *err)
{
	if (c->is_once && c->sent)
		return fail(err, ERROR_REFUSED,
			    "the response was lost; the JVM may have executed "
			    "the call: %s",
			    client_problem(c, code));
	return fail(err, ERROR_REFUSED, "the connection was lost: %s%s",
		    client_problem(c, code),
		    c->is_tls && !c->has_certificate
			    ? "; if the server requires a client certificate, "
			      "use --cert and --key"
			    : "");
}

static int client_fail_connect(struct http_client *c, const char *problem,
			       struct error *err)
{
	long sys = 0;

	if (c->uses_proxy)
		return fail(err, ERROR_NO_TARGET,
			    "%s; an HTTP proxy is set, by --http-proxy or the "
			    "environment",
			    problem);
	curl.easy_getinfo(c->easy, CURLINFO_OS_ERRNO, &sys);
	errno = (int)sys;
	err->sys = (int)sys;
	return sys ? fail_sys(err, ERROR_NO_TARGET, "cannot connect")
		   : fail(err, ERROR_NO_TARGET, "%s", problem);
}

static int client_fail(struct http_client *c, CURLcode code, int64_t timeout_ns,
		       struct error *err)
{
	const char *problem = client_problem(c, code);

	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return fail(err, ERROR_NO_TARGET, "%s", problem);
	case CURLE_COULDNT_CONNECT:
		return client_fail_connect(c, problem, err);
	case CURLE_OPERATION_TIMEDOUT:
		fail(err, ERROR_REFUSED, "no response arrived within %.3g s%s",
		     (double)timeout_ns / (double)CLOCK_NS_PER_S,
		     c->is_once && c->sent
			     ? "; the JVM may have executed the call"
			     : "");
		err->sys = ETIMEDOUT;
		return -1;
	case CURLE_WRITE_ERROR:
		if (!c->is_too_large)
			break;
		fail(err, ERROR_REFUSED, "the response is larger than %zu MiB",
		     HTTP_BODY_MAX >> 20);
		err->sys = EMSGSIZE;
		return -1;
	case CURLE_PEER_FAILED_VERIFICATION:
		fail(err, ERROR_REFUSED,
		     "the server's certificate is not trusted: %s; use "
		     "--cacert <file> or --insecure",
		     problem);
		err->sys = EKEYREJECTED;
		return -1;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return fail(err, ERROR_REFUSED,
			    "the server does not speak HTTP: %s", problem);
	case CURLE_OUT_OF_MEMORY:
		/* Of libcurl's own limit for a header. */
		return fail(err, ERROR_REFUSED,
			    "a header of the response is too large");
	case CURLE_SSL_CERTPROBLEM:
		return fail(err, ERROR_INPUT,
			    "the client certificate cannot be used: %s",
			    problem);
	case CURLE_SSL_CONNECT_ERROR:
		return fail(err, ERROR_REFUSED, "TLS failed: %s", problem);
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
		/* With TLS 1.3 an alert arrives when the response is read. */
		if (strstr(problem, "alert") &&
		    (strstr(problem, "certificate") ||
		     strstr(problem, "unknown ca")))
			return fail(err, ERROR_PERMISSION, "%s: %s",
				    c->has_certificate
					    ? "the server rejects the client "
					      "certificate"
					    : "the server requires a client "
					      "certificate; use --cert and "
					      "--key",
				    problem);
		return client_fail_lost(c, code, err);
	case CURLE_SEND_ERROR:
	case CURLE_SEND_FAIL_REWIND:
	case CURLE_PARTIAL_FILE:
		return client_fail_lost(c, code, err);
	default:
		break;
	}
	return fail(err, ERROR_REFUSED, "%s", problem);
}

/* libcurl verifies the host of the URL, even if it connects to another. */
static void client_set_url(struct http_client *c, const char *url)
{
	struct text named = { 0 }, to = { 0 };
	struct http_url parts;

	if (!c->server_name || http_url_parse(&parts, url, error_unused()) ||
	    !parts.is_tls) {
		curl.easy_setopt(c->easy, CURLOPT_URL, url);
		return;
	}
	/* "::[::1]:443": for each host and port of a URL */
	text_printf(&to, strchr(parts.host, ':') ? "::[%s]:%u" : "::%s:%u",
		    parts.host, parts.port);
	snprintf(parts.host, sizeof(parts.host), "%s", c->server_name);
	http_url_add(&named, &parts, parts.path);
	curl.slist_free_all(c->connect_to);
	c->connect_to = curl.slist_append(NULL, to.bytes);
	curl.easy_setopt(c->easy, CURLOPT_CONNECT_TO, c->connect_to);
	curl.easy_setopt(c->easy, CURLOPT_URL, named.bytes);
	text_release(&named);
	text_release(&to);
}

static void client_prepare(struct http_client *c, const char *url,
			   const struct text *body, int64_t timeout_ns)
{
	long ms = (long)(timeout_ns / CLOCK_NS_PER_MS);

	client_set_url(c, url);
	curl.easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, ms ? ms : 1L);
	curl.easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT_MS, ms ? ms : 1L);
	if (body) {
		curl.easy_setopt(c->easy, CURLOPT_POST, 1L);
		curl.easy_setopt(c->easy, CURLOPT_POSTFIELDS, NULL);
		curl.easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)body->len);
	} else {
		curl.easy_setopt(c->easy, CURLOPT_HTTPGET, 1L);
	}
}

static void client_clear(struct http_response *r)
{
	text_clear(&r->body);
	text_clear(&r->type);
	text_clear(&r->authenticate);
	text_clear(&r->server);
	text_clear(&r->location);
	r->status = 0;
}

/* A redirect to the server's name refers to the host of the request. */
static void client_put_location(const struct http_client *c, const char *url,
				const char *location, struct text *out)
{
	struct http_url parts, to;

	if (c->server_name && !http_url_parse(&parts, url, error_unused()) &&
	    !http_url_parse(&to, location, error_unused()) && to.is_tls &&
	    strcasecmp(to.host, c->server_name) == 0) {
		memcpy(to.host, parts.host, sizeof(to.host));
		http_url_add(out, &to, to.path);
		return;
	}
	text_puts(out, location);
}

static void client_take_rest(struct http_client *c, const char *url,
			     struct http_response *r)
{
	const char *location = NULL;
	long status = 0;

	curl.easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	curl.easy_getinfo(c->easy, CURLINFO_REDIRECT_URL, &location);
	r->status = (int)status;
	client_put_location(c, url, location ? location : "", &r->location);
	text_puts(&r->body, "");
	text_puts(&r->type, "");
	text_puts(&r->authenticate, "");
	text_puts(&r->server, "");
}

static int client_exchange(struct http_client *c, const char *url,
			   const struct text *body, bool is_once,
			   int64_t timeout_ns, struct http_response *r,
			   struct error *err)
{
	CURLcode code;

	c->response = r;
	c->body = body;
	c->sent = 0;
	c->is_once = is_once;
	c->is_too_large = false;
	*c->problem = '\0';
	client_prepare(c, url, body, timeout_ns);
	code = curl.easy_perform(c->easy);
	c->response = NULL;
	c->body = NULL;
	if (code != CURLE_OK) {
		c->resolved = (struct http_url){ 0 };
		return client_fail(c, code, timeout_ns, err);
	}
	client_take_rest(c, url, r);
	return 0;
}

int http_client_send(struct http_client *c, const char *url,
		     const struct text *body, bool is_once, int64_t timeout_ns,
		     struct http_response *r, struct error *err)
{
	struct http_url parts;

	if (http_url_parse(&parts, url, err))
		return -1;
	client_clear(r);
	c->is_tls = parts.is_tls;
	if (client_resolve(c, &parts, timeout_ns, err) ||
	    client_exchange(c, url, body, is_once, timeout_ns, r, err))
		return -1;
	if (r->status != 401 || !client_renew_bearer(c))
		return 0;
	/* A request without a valid login was not executed. */
	client_clear(r);
	return client_exchange(c, url, body, is_once, timeout_ns, r, err);
}
