/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a Jolokia client: dns, tcp, tls, http, login, jolokia, limits,
 * read, access, round-trip.  With an HTTP proxy, the first three steps are
 * omitted, because the proxy performs them.
 */
#include "jmx_http/ping/probe.h"

#include "core/base/clock.h"
#include "jmx_http/jolokia/jolokia_client.h"
#include "jmx_http/jolokia/jolokia_response.h"
#include "jmx_http/net/cidr.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/ping/http_probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CALLS         10   /* requests to measure the round trip */
#define DEFAULT_PORT  8778 /* of Jolokia's JVM agent */
#define SHALLOW_DEPTH 8    /* platform MBeans have no deeper values */

static const char version_request[] = "{\"type\":\"version\"}";

static int64_t http_probe_deadline(const struct http_probe *p)
{
	return clock_after(clock_monotonic_ns(), p->target->timeout_ns);
}

static int http_probe_send(struct http_probe *p, const char *url,
			   const char *request, struct error *err)
{
	struct text body = { 0 };
	int status;

	text_puts(&body, request);
	*err = (struct error){ 0 };
	status = http_client_send(p->http, url, &body, false,
				  p->target->timeout_ns, &p->response, err);
	text_release(&body);
	return status;
}

/*
 * Returns the first response object, which the caller frees with
 * cJSON_Delete(); or NULL and *err.
 */
static cJSON *http_probe_ask(struct http_probe *p, const char *url,
			     const char *request, struct error *err)
{
	cJSON *json = NULL;

	if (http_probe_send(p, url, request, err) == 0 &&
	    jolokia_check_response(&p->response, p->target->credentials.user,
				   p->target->http.bearer, err) == 0)
		json = jolokia_json_parse(p->response.body.bytes,
					  p->response.body.len, err);
	return json;
}

/* Tests */

/* Returns true if an agent responds at a URL of the same server. */
static bool http_probe_finds_agent(struct http_probe *p, const char *url)
{
	struct error err;
	cJSON *json = http_probe_ask(p, url, version_request, &err);
	struct jolokia_agent agent;
	bool found = json &&
		     jolokia_to_agent(jolokia_json_member(json, "value"),
				      &agent, &p->arena);

	cJSON_Delete(json);
	return found;
}

/* Returns the target without a login.  Extra headers may be one. */
static struct jmx_target http_probe_anonymous(const struct http_probe *p)
{
	struct jmx_target anonymous = *p->target;

	anonymous.credentials = (struct jmx_credentials){ 0 };
	anonymous.http.bearer = NULL;
	anonymous.http.renew_bearer = NULL;
	anonymous.http.header_count = 0;
	return anonymous;
}

/*
 * As http_probe_finds_agent(), for another port, or without TLS.  Sends no
 * login and checks no certificate; an agent that requires a login counts.
 */
static bool http_probe_finds_elsewhere(struct http_probe *p, const char *url)
{
	struct jmx_target anonymous = http_probe_anonymous(p);
	struct http_client *http = p->http;
	struct error err;
	bool found;

	anonymous.tls.insecure = true;
	p->http = http_client_new(&anonymous, &err);
	found = p->http &&
		(http_probe_finds_agent(p, url) ||
		 (p->response.status == 401 &&
		  strcasestr(p->response.authenticate.bytes, "jolokia")));
	http_client_free(p->http);
	p->http = http;
	return found;
}

static void http_probe_suggest(struct http_probe *p, const char *verdict,
			       const char *url)
{
	struct text remedy = { 0 };

	text_printf(&remedy, "sjkc mxping -u %s%s", url, p->as_given);
	probe_judge(p->report, verdict, remedy.bytes);
	text_release(&remedy);
}

static void http_probe_suggest_path(struct http_probe *p, const char *found,
				    const char *url)
{
	struct text verdict = { 0 };

	text_printf(&verdict, "no Jolokia agent at this URL; %s %s", found,
		    url);
	http_probe_suggest(p, verdict.bytes, url);
	text_release(&verdict);
}

/*
 * Suggests the first usual path of a server with an agent, else the first that
 * requires a login, which hides an agent.
 */
static bool http_probe_try_paths(struct http_probe *p,
				 const struct http_url *server)
{
	bool is_same = server->port == p->url.port;
	struct text url = { 0 }, locked = { 0 };
	bool found = false;

	for (size_t i = 0; !found && jolokia_paths[i]; i++) {
		text_clear(&url);
		http_url_add(&url, server, jolokia_paths[i]);
		if (strcmp(url.bytes, p->address.bytes) == 0)
			continue;
		found = is_same ? http_probe_finds_agent(p, url.bytes)
				: http_probe_finds_elsewhere(p, url.bytes);
		if (!found && is_same && p->response.status == 401 &&
		    !locked.len)
			text_puts(&locked, url.bytes);
	}
	if (found)
		http_probe_suggest_path(p, "one answers at", url.bytes);
	else if (locked.len)
		http_probe_suggest_path(p, "a login is required at",
					locked.bytes);
	found = found || locked.len;
	text_release(&url);
	text_release(&locked);
	return found;
}

/* Suggests the same URL with the other scheme if an agent answers there. */
static bool http_probe_try_scheme(struct http_probe *p, const char *verdict)
{
	struct http_url other = p->url;
	struct text url = { 0 };
	bool found;

	other.is_tls = !other.is_tls;
	/* Keeps the port, even if it is the other scheme's default. */
	http_url_add(&url, &other, "");
	if (other.port == (other.is_tls ? 443 : 80))
		text_printf(&url, ":%u", other.port);
	text_puts(&url, p->url.path);
	found = http_probe_finds_elsewhere(p, url.bytes);
	if (found)
		http_probe_suggest(p, verdict, url.bytes);
	text_release(&url);
	return found;
}

/* Agents with strict checking reject clients without the header Origin. */
static bool http_probe_try_origin(struct http_probe *p)
{
	const char *headers[] = { "Origin: http://localhost" };
	struct jmx_target with_origin = *p->target;
	struct http_client *http = p->http;
	struct text remedy = { 0 };
	struct error err;
	bool found;

	if (with_origin.http.header_count)
		return false;
	with_origin.http.headers = headers;
	with_origin.http.header_count = 1;
	p->http = http_client_new(&with_origin, &err);
	found = p->http && http_probe_finds_agent(p, p->address.bytes);
	http_client_free(p->http);
	p->http = http;
	text_printf(&remedy, "sjkc mxping -u %s -H '%s'%s", p->address.bytes,
		    headers[0], p->as_given);
	if (found)
		probe_judge(
			p->report,
			"the Jolokia agent rejects requests without the header "
			"Origin",
			remedy.bytes);
	text_release(&remedy);
	return found;
}

static bool http_probe_try_default_port(struct http_probe *p)
{
	struct http_url server = p->url;

	server.port = DEFAULT_PORT;
	return p->url.port != DEFAULT_PORT && http_probe_try_paths(p, &server);
}

/* Steps */

static void http_probe_judge_tcp(struct http_probe *p, int sys)
{
	if (sys == ECONNREFUSED && !http_probe_try_default_port(p))
		probe_judge(
			p->report, "nothing listens on the port",
			"the Jolokia agent's JVM must run; Jolokia's JVM agent "
			"listens on loopback, port 8778, unless it is "
			"started with host=0.0.0.0; for a container, "
			"publish or forward the port");
	else
		probe_judge_unreached(p->report, sys);
}

static int http_probe_resolve(struct http_probe *p, struct text *detail,
			      struct error *err)
{
	memcpy(p->host.host, p->url.host, sizeof(p->host.host));
	p->host.port = p->url.port;
	if (net_address_resolve(&p->host, http_probe_deadline(p), err)) {
		probe_judge(p->report, "the host name does not resolve",
			    "check the spelling; names of a cluster or a VPN "
			    "may not resolve on this machine");
		return -1;
	}
	for (size_t i = 0; i < p->host.count; i++) {
		text_puts(detail, i ? ", " : "");
		net_address_add(detail, &p->host.list[i]);
	}
	return 0;
}

static int http_probe_connect(struct http_probe *p, struct text *detail,
			      struct error *err)
{
	struct rmi_transport *t;
	int fd = tcp_connect(&p->host, http_probe_deadline(p), err);

	if (fd < 0) {
		http_probe_judge_tcp(p, err->sys);
		return -1;
	}
	t = rmi_tcp_over(fd);
	text_puts(detail, "connected to ");
	net_address_add(detail, &t->peer);
	text_puts(detail, " from ");
	net_address_add(detail, &t->local);
	rmi_transport_close(t);
	return 0;
}

static void http_probe_judge_tls(struct http_probe *p, const struct error *err)
{
	const struct tls_report *tls = &p->tls;

	if (err->kind == ERROR_PERMISSION)
		http_judge_client_certificate(p);
	else if (tls->not_after && !p->target->tls.insecure &&
		 !(tls->is_trusted && tls->is_of_host))
		http_judge_certificate(p);
	else if (!(tls->protocol.len && tls->not_after) &&
		 !http_probe_try_scheme(
			 p, "the port does not speak TLS, which https:// "
			    "requires; a Jolokia agent answers without TLS") &&
		 !tls->not_after && err->sys != ETIMEDOUT)
		probe_judge(p->report, "the TLS handshake failed",
			    "the port may not use TLS, or may belong to "
			    "another protocol; sjkc mxping -s HOST:PORT "
			    "diagnoses JMX over RMI");
}

static int http_probe_handshake(struct http_probe *p, struct text *detail,
				struct error *err)
{
	SSL_CTX *context = tls_client_context(&p->target->tls, err);
	struct rmi_transport *t = NULL;
	int fd = -1;

	(void)detail;
	if (context)
		fd = tcp_connect(&p->host, http_probe_deadline(p), err);
	if (fd >= 0)
		t = rmi_tls_connect(rmi_tcp_over(fd), context, p->url.host,
				    http_probe_deadline(p), &p->tls, err);
	SSL_CTX_free(context);
	probe_add_tls(p->report, &p->tls, p->url.host, &p->target->tls);
	rmi_transport_close(t);
	if (!t)
		http_probe_judge_tls(p, err);
	return t ? 0 : -1;
}

static void http_probe_judge_http(struct http_probe *p, const struct error *err)
{
	/* JDK 17.0.21 resets the connection instead of sending an alert. */
	if (p->url.is_tls &&
	    (err->kind == ERROR_PERMISSION ||
	     (p->tls.wants_certificate && err->sys != ETIMEDOUT)))
		http_judge_client_certificate(p);
	else if (http_client_uses_proxy(p->http) &&
		 err->kind == ERROR_NO_TARGET)
		probe_judge(p->report, "the HTTP proxy cannot be reached",
			    "check --http-proxy, or the environment variables "
			    "http_proxy, https_proxy, all_proxy and no_proxy");
	else if (err->sys == ETIMEDOUT)
		probe_judge(p->report,
			    "the server accepts the connection, but sends no "
			    "response",
			    "the JVM may be stopped or in a long pause; "
			    "--timeout sets a longer limit");
	else if (p->url.is_tls ||
		 !http_probe_try_scheme(
			 p, "the port requires TLS: a Jolokia agent answers "
			    "over https://"))
		probe_judge(p->report, "the server does not speak HTTP",
			    "the port may belong to another protocol; sjkc "
			    "mxping -s HOST:PORT diagnoses JMX over RMI");
}

static int http_probe_fail_loop(struct http_probe *p, struct error *err)
{
	probe_judge(
		p->report, "the server redirects in a loop",
		"the application may redirect requests without a session "
		"to a login page; exempt the Jolokia agent's path from that");
	return fail(err, ERROR_REFUSED,
		    "the server redirected %d times, the last time to %s",
		    JOLOKIA_REDIRECTS_MAX + 1, p->response.location.bytes);
}

/* Like the client, tries the path with or without a "/" at its end. */
static int http_probe_try_slash(struct http_probe *p, struct error *err)
{
	struct http_response given = p->response;
	struct text other = { 0 };
	int status;

	if (!jolokia_add_other_slash(&other, p->address.bytes))
		return 0;
	p->response = (struct http_response){ 0 };
	status = http_probe_send(p, other.bytes, version_request, err);
	if (status || p->response.status == 404) {
		http_response_release(&p->response);
		p->response = given;
	} else {
		http_response_release(&given);
		text_clear(&p->address);
		text_puts(&p->address, other.bytes);
		p->was_slash = true;
	}
	if (status) {
		if (err->sys == ETIMEDOUT)
			http_probe_judge_http(p, err);
		else
			probe_judge(p->report,
				    "the server returned HTTP 404, and then "
				    "no response",
				    "");
		fail_in(err, "HTTP 404, and at %s", other.bytes);
	}
	text_release(&other);
	return status;
}

static int http_probe_request(struct http_probe *p, struct text *detail,
			      struct error *err)
{
	struct text body = { 0 };
	bool is_loop;
	int status;

	text_puts(&body, version_request);
	*err = (struct error){ 0 };
	status = jolokia_send(p->http, &p->address, &body, false,
			      p->target->timeout_ns, &p->response, &is_loop,
			      err);
	text_release(&body);
	if (status) {
		http_probe_judge_http(p, err);
		return -1;
	}
	if (is_loop)
		return http_probe_fail_loop(p, err);
	if (p->response.status == 404 && http_probe_try_slash(p, err))
		return -1;
	text_printf(detail, "HTTP %d", p->response.status);
	if (p->response.type.len)
		text_printf(detail, ", %s", p->response.type.bytes);
	if (p->response.server.len)
		text_printf(detail, ", server: %s", p->response.server.bytes);
	if (strcmp(p->address.bytes, p->target->address) != 0)
		text_printf(detail, "; %s %s",
			    p->was_slash ? "the Jolokia agent is at"
					 : "redirected to",
			    p->address.bytes);
	return 0;
}

/*
 * Returns true if the server sends the same status to a client without a login.
 * Keeps the response.
 */
static bool http_probe_ignores_login(struct http_probe *p)
{
	struct jmx_target anonymous = http_probe_anonymous(p);
	struct http_client *http = p->http;
	struct http_response response = p->response;
	struct error err;
	bool ignores;

	if (response.status != 200)
		return false;
	p->response = (struct http_response){ 0 };
	p->http = http_client_new(&anonymous, &err);
	ignores = p->http &&
		  !http_probe_send(p, p->address.bytes, version_request,
				   &err) &&
		  p->response.status == response.status;
	http_client_free(p->http);
	http_response_release(&p->response);
	p->http = http;
	p->response = response;
	return ignores;
}

static int http_probe_log_in(struct http_probe *p, struct text *detail,
			     struct error *err)
{
	const char *user = p->target->credentials.user;

	if (p->response.status == 401) {
		http_judge_login(p);
		return fail(err, ERROR_PERMISSION, "HTTP 401: %s",
			    p->response.authenticate.len
				    ? p->response.authenticate.bytes
				    : "the server names no scheme");
	}
	if (p->response.status == 407) {
		probe_judge(p->report, "the HTTP proxy requires a login", "");
		return fail(err, ERROR_PERMISSION, "HTTP 407");
	}
	p->ignores_login = (user || p->target->http.bearer) &&
			   http_probe_ignores_login(p);
	if (p->response.status >= 400)
		text_printf(detail, "not checked: the server returned HTTP %d",
			    p->response.status);
	else if (p->ignores_login)
		text_printf(detail, "none required; the server ignores %s%s",
			    user ? "the user " : "the token", user ? user : "");
	else if (user)
		text_printf(detail, "the server accepts the user %s", user);
	else
		text_puts(detail,
			  p->target->http.bearer
				  ? "the server accepts the token"
			  : p->tls.wants_certificate && p->target->tls.cert
				  ? "by the client certificate"
				  : "none required");
	return 0;
}

/* Returns true if an agent answers at another path of this server. */
static bool http_probe_judge_stranger(struct http_probe *p,
				      const struct error *err)
{
	int status = p->response.status;
	bool found;
	struct text verdict = { 0 };

	if (status >= 502 && status <= 504 &&
	    strncmp(err->text, "mxprx: ", 7) == 0) {
		probe_judge(
			p->report,
			"mxprx responds, but not the Jolokia agent behind it",
			"correct the command line of that mxprx; sjkc "
			"mxping -u with the Jolokia agent's own URL finds the "
			"cause");
		return false;
	}
	if (status >= 400 && http_judge_gateway(p, err))
		return status == 405 && http_probe_try_paths(p, &p->url);
	if (status == 200 && strstr(err->text, "Origin") &&
	    http_probe_try_origin(p))
		return false;
	if (status >= 300 && status < 400 && status != 304) {
		text_printf(&verdict, "the server redirects to %s",
			    p->response.location.bytes);
		probe_judge(p->report, verdict.bytes,
			    "this may be a login page; if a Jolokia agent is "
			    "there, "
			    "give that URL");
	} else if (status == 200 && err->kind == ERROR_PERMISSION) {
		http_judge_policy(p, err->text);
	} else if (err->kind == ERROR_PERMISSION) {
		probe_judge(p->report, "the server denies access to this URL",
			    "the Jolokia agent's policy (jolokia-access.xml) "
			    "may allow "
			    "other hosts only, or a rule of the web server "
			    "denies access");
	} else if (status >= 502 && status <= 504) {
		text_printf(&verdict,
			    "HTTP %d: a proxy or load balancer does not reach "
			    "the application, or the application is not ready",
			    status);
		probe_judge(p->report, verdict.bytes,
			    "check that the JVM runs, and try the JVM's own "
			    "port");
	} else if (!p->was_slash &&
		   strcmp(p->address.bytes, p->target->address) != 0) {
		text_printf(&verdict,
			    "the server redirects to %s, which is not Jolokia",
			    p->address.bytes);
		probe_judge(p->report, verdict.bytes,
			    "this may be a login page; the application must "
			    "allow requests without a session to the agent's "
			    "path");
	} else {
		http_judge_other_server(p);
	}
	text_release(&verdict);
	/*
	 * The next requests overwrite the response.  nginx and Tomcat send HTTP
	 * 400 to clients without TLS.
	 */
	found = http_probe_try_paths(p, &p->url);
	if (!found && status == 400 && !p->url.is_tls)
		http_probe_try_scheme(p, "the port requires TLS: a Jolokia "
					 "agent answers over https://");
	return found;
}

static int http_probe_identify(struct http_probe *p, struct text *detail,
			       struct error *err)
{
	cJSON *json = NULL;
	int status = jolokia_check_response(&p->response,
					    p->target->credentials.user,
					    p->target->http.bearer, err);
	enum error_kind kind = ERROR_NO_TARGET;
	const char *why;

	if (status == 0) {
		json = jolokia_json_parse(p->response.body.bytes,
					  p->response.body.len, err);
		status = json ? 0 : -1;
	}
	if (status == 0 && !jolokia_to_agent(jolokia_json_member(json, "value"),
					     &p->agent, &p->arena)) {
		why = jolokia_failure(json, &p->arena, &kind);
		status = fail(err, kind, "%s",
			      why ? why : "JSON, but not Jolokia's");
	}
	cJSON_Delete(json);
	if (status) {
		struct error was = *err;

		/* The agent that was asked for is not at this URL. */
		if (http_probe_judge_stranger(p, &was) &&
		    err->kind == ERROR_REFUSED)
			err->kind = ERROR_NO_TARGET;
		return -1;
	}
	text_printf(detail, "Jolokia %s, protocol %s", p->agent.agent,
		    p->agent.protocol);
	return 0;
}

static bool http_probe_truncates(const struct http_probe *p)
{
	const struct jolokia_agent *a = &p->agent;

	return a->max_collection || a->max_objects ||
	       (a->max_depth && a->max_depth < SHALLOW_DEPTH);
}

static int http_probe_list_limits(struct http_probe *p, struct text *detail,
				  struct error *err)
{
	const struct {
		const char *name;
		int64_t limit;
	} limits[] = {
		{ "maxDepth", p->agent.max_depth },
		{ "maxCollectionSize", p->agent.max_collection },
		{ "maxObjects", p->agent.max_objects },
	};

	(void)err;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].limit)
			text_printf(detail, "%s%s %" PRId64,
				    detail->len ? ", " : "", limits[i].name,
				    limits[i].limit);
	text_puts(detail, !detail->len              ? "none"
			  : http_probe_truncates(p) ? "; larger values are "
						      "truncated"
						    : "");
	return 0;
}

/*
 * Makes a request that changes nothing.  Returns ERROR_NONE, or the kind of the
 * failure; *err is set only if there was no response of an agent.
 */
static enum error_kind http_probe_try(struct http_probe *p, const char *request,
				      struct error *err)
{
	cJSON *json = http_probe_ask(p, p->address.bytes, request, err);
	enum error_kind kind = json ? ERROR_NONE : err->kind;

	if (json)
		jolokia_failure(json, &p->arena, &kind);
	cJSON_Delete(json);
	return kind;
}

/* A policy may deny single MBeans. */
static bool http_probe_may_read_other(struct http_probe *p)
{
	static const char
		request[] = "{\"type\":\"read\",\"mbean\":\"JMImplementation:"
			    "type=MBeanServerDelegate\",\"attribute\":"
			    "\"ImplementationName\"}";

	return http_probe_try(p, request, error_unused()) == ERROR_NONE;
}

static int http_probe_read(struct http_probe *p, struct text *detail,
			   struct error *err)
{
	static const char request
		[] = "{\"type\":\"read\",\"mbean\":\"java.lang:type=Runtime\","
		     "\"attribute\":[\"VmName\",\"VmVersion\",\"Name\"]}";
	cJSON *json = http_probe_ask(p, p->address.bytes, request, err);
	const cJSON *value = jolokia_json_member(json, "value");
	enum error_kind kind = ERROR_REFUSED;
	const char *why = json ? jolokia_failure(json, &p->arena, &kind) : NULL;

	if (why && kind == ERROR_PERMISSION && http_probe_may_read_other(p)) {
		text_puts(detail, "the Jolokia agent's policy denies the MBean "
				  "java.lang:type=Runtime, but not others");
		p->denies_runtime = true;
		why = NULL;
	} else if (json && why) {
		if (kind == ERROR_PERMISSION)
			http_judge_read(p, why);
		fail(err, kind, "%s", why);
	} else if (json) {
		text_printf(
			detail, "%s %s, process %s",
			jolokia_member_text(value, "VmName", "?", &p->arena),
			jolokia_member_text(value, "VmVersion", "?", &p->arena),
			jolokia_member_text(value, "Name", "?", &p->arena));
	}
	cJSON_Delete(json);
	return json && !why ? 0 : -1;
}

/* Requests that change nothing, by the command of the policy. */
static const struct {
	const char *command, *request;
} commands[] = {
	{ "list", "{\"type\":\"list\",\"path\":\"java.lang/type=Memory\"}" },
	{ "search", "{\"type\":\"search\",\"mbean\":\"java.lang:*\"}" },
	{ "exec", "{\"type\":\"exec\",\"mbean\":\"java.lang:type=Threading\","
		  "\"operation\":\"getThreadCpuTime(long)\","
		  "\"arguments\":[1]}" },
};

/*
 * A policy, and mxprx --read-only, may permit only operations that read.
 * Agents check the permission before they look for the operation, so an
 * operation that does not exist tells, and executes nothing.
 */
static bool http_probe_may_execute_any(struct http_probe *p)
{
	static const char
		request[] = "{\"type\":\"exec\",\"operation\":\"doesNotExist\","
			    "\"mbean\":\"JMImplementation:"
			    "type=MBeanServerDelegate\"}";

	return http_probe_try(p, request, error_unused()) != ERROR_PERMISSION;
}

static int http_probe_check_access(struct http_probe *p, struct text *detail,
				   struct error *err)
{
	struct text denied = { 0 };

	text_puts(detail, "read");
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		enum error_kind kind = http_probe_try(p, commands[i].request,
						      err);

		if (err->kind && err->kind != ERROR_PERMISSION)
			break;
		p->may_execute = i == 2 && kind != ERROR_PERMISSION;
		p->denies_list |= i == 0 && kind == ERROR_PERMISSION;
		p->denies_search |= i == 1 && kind == ERROR_PERMISSION;
		if (kind == ERROR_PERMISSION)
			text_printf(&denied, "%s%s", denied.len ? ", " : "",
				    commands[i].command);
		else
			text_printf(detail, ", %s", commands[i].command);
	}
	p->may_execute_any = p->may_execute && http_probe_may_execute_any(p);
	if (p->may_execute && !p->may_execute_any)
		text_printf(&denied, "%ssome operations",
			    denied.len ? ", " : "");
	text_puts(detail, " allowed");
	if (denied.len)
		text_printf(detail, "; %s denied", denied.bytes);
	text_release(&denied);
	return 0;
}

static int http_probe_compare_ns(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return (one > other) - (one < other);
}

static double http_probe_ms(int64_t ns) { return (double)ns / CLOCK_NS_PER_MS; }

static int http_probe_time_calls(struct http_probe *p, struct text *detail,
				 struct error *err)
{
	int64_t took[CALLS];

	for (size_t i = 0; i < CALLS; i++) {
		int64_t begun = clock_monotonic_ns();

		if (http_probe_send(p, p->address.bytes, version_request, err))
			return -1;
		took[i] = clock_monotonic_ns() - begun;
	}
	qsort(took, CALLS, sizeof(*took), http_probe_compare_ns);
	text_printf(detail, "median %.2f ms of %d calls, %.2f to %.2f ms",
		    http_probe_ms((took[CALLS / 2 - 1] + took[CALLS / 2]) / 2),
		    CALLS, http_probe_ms(took[0]),
		    http_probe_ms(took[CALLS - 1]));
	return 0;
}

/* True if the requests do not leave this machine, or its port forward. */
static bool http_probe_is_local(const struct http_probe *p)
{
	return !http_client_uses_proxy(p->http) && p->host.count &&
	       cidr_is_loopback(&p->host.list[0]);
}

static void http_probe_judge_success(struct http_probe *p)
{
	const struct jmx_target *t = p->target;
	bool has_login = (t->credentials.user || t->http.bearer) &&
			 !p->ignores_login;
	struct text verdict = { 0 };

	text_puts(&verdict, "Jolokia works");
	if (has_login && !p->url.is_tls && http_probe_is_local(p))
		text_puts(&verdict, ", with a login");
	else if (has_login && !p->url.is_tls)
		text_puts(&verdict, ", with a login that is sent in clear: "
				    "anyone on the network can read it");
	else if (has_login)
		text_puts(&verdict, ", over TLS, with a login");
	else if (p->tls.wants_certificate && t->tls.cert)
		text_puts(&verdict, ", over TLS, with a client certificate");
	else if (p->may_execute && !p->may_execute_any)
		text_puts(&verdict,
			  "; the Jolokia agent requires no login, but denies "
			  "some operations");
	else if (p->may_execute)
		text_puts(&verdict,
			  "; the Jolokia agent requires no login: anyone who "
			  "reaches the port can run code in the JVM");
	else
		text_puts(&verdict, "; the Jolokia agent requires no login");
	if (p->denies_runtime)
		text_puts(&verdict, "; its policy denies the MBean "
				    "java.lang:type=Runtime");
	if (p->denies_list)
		text_puts(&verdict, "; its policy denies list, which mxdump "
				    "and mx need, except mx --get -f NAME");
	if (p->denies_search)
		text_puts(&verdict, "; its policy denies search, which mxdump "
				    "and patterns need");
	if (!p->may_execute)
		text_puts(&verdict, "; its policy denies operations, which "
				    "ttop and jcmd need");
	probe_judge(p->report, verdict.bytes,
		    http_probe_truncates(p)
			    ? "the Jolokia agent's options maxDepth, "
			      "maxCollectionSize "
			      "and maxObjects limit values; 0 removes a limit"
			    : "");
	text_release(&verdict);
}

/* clang-format off */
static const struct {
	const char *name, *means; /* the default verdict */
	int (*run)(struct http_probe *p, struct text *detail,
		   struct error *err);
	bool is_direct, is_tls; /* not through a proxy; with TLS only */
} steps[] = {
	{ "dns", "the host name does not resolve", http_probe_resolve, true, false },
	{ "tcp", "the port cannot be reached", http_probe_connect, true, false },
	{ "tls", "the TLS handshake failed", http_probe_handshake, true, true },
	{ "http", "the server does not speak HTTP", http_probe_request, false, false },
	{ "login", "the server rejects the login", http_probe_log_in, false, false },
	{ "jolokia", "HTTP, but not Jolokia", http_probe_identify, false, false },
	{ "limits", "", http_probe_list_limits, false, false },
	{ "read", "the Jolokia agent does not read MBeans", http_probe_read, false, false },
	{ "access", "", http_probe_check_access, false, false },
	{ "round-trip", "requests get no response", http_probe_time_calls, false, false },
};
/* clang-format on */

static void http_probe_run_steps(struct http_probe *p)
{
	bool by_proxy = http_client_uses_proxy(p->http);

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct error err = { 0 };
		struct text *detail;

		if ((steps[i].is_direct && by_proxy) ||
		    (steps[i].is_tls && !p->url.is_tls))
			continue;
		detail = probe_begin(p->report, steps[i].name);
		if (steps[i].run(p, detail, &err)) {
			probe_fail(p->report, steps[i].means, &err);
			return;
		}
		probe_end(p->report);
	}
	http_probe_judge_success(p);
}

int http_probe_run(struct probe *report, const struct jmx_target *target,
		   const char *as_given, struct error *err)
{
	struct jmx_target copy = *target;
	struct http_probe p = {
		.report = report,
		.target = &copy,
		.as_given = as_given,
	};
	int status = http_url_parse(&p.url, target->address, err);

	*report = (struct probe){ 0 };
	if (!copy.timeout_ns)
		copy.timeout_ns = JMX_TIMEOUT_NS;
	if (status == 0) {
		text_puts(&p.address, target->address);
		p.http = http_client_new(&copy, err);
		status = p.http ? 0 : -1;
	}
	if (status == 0)
		http_probe_run_steps(&p);
	http_client_free(p.http);
	http_response_release(&p.response);
	tls_report_release(&p.tls);
	text_release(&p.address);
	arena_release(&p.arena);
	return status;
}
