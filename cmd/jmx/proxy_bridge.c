/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mxprx.h"

#include "cmd/shared/log.h"
#include "jmx_http/http/http_client.h"
#include "jmx_http/jolokia/jolokia_server.h"
#include "jmx_http/proxy/upstream.h"

#include <errno.h>

/* For one large response; values and their JSON. */
#define MEMORY_MAX ((size_t)768 << 20)

/* Connecting may succeed later, with the same options. */
static bool bridge_may_recover(const struct error *err)
{
	return (err->kind == ERROR_NO_TARGET || err->kind == ERROR_REFUSED) &&
	       err->sys != EKEYREJECTED;
}

int proxy_bridge_open(struct proxy_bridge *b,
		      const struct jmx_target_options *o, struct error *err)
{
	int ret = jmx_client_open(&b->client, o, 0, NULL, err);

	b->title = o->socket ? o->socket : o->pid;
	/* The JVM of -s may start after the proxy. */
	if (ret && (!o->socket || !bridge_may_recover(err)))
		return -1;
	if (ret)
		log_always("%s; sjkc tries again for each request", err->text);
	/* Workers connect by themselves. */
	jmx_close(b->client.jmx);
	b->client.jmx = NULL;
	b->target = jmx_target_of(o, &b->client.secrets, o->socket);
	b->target.title = b->title;
	b->target.warn_clear = NULL;
	b->target.starting_agent = NULL;
	if (b->client.by_pid) {
		b->target.jvm = &b->client.jvm;
		b->target.starting_agent = jmx_log_starting;
	}
	return 0;
}

void proxy_bridge_to_agent(struct proxy_bridge *b, const char *url,
			   const struct jmx_target_options *o)
{
	b->client.jvm.pidfd = -1;
	b->target = (struct jmx_target){
		.address = url,
		.tls = o->tls,
		.timeout_ns = o->timeout_ns,
		/* The proxy itself uses no HTTP proxy. */
		.http.proxy = "",
	};
}

/* JMX clients lack the options that the errors of sjkc's commands name. */
static void bridge_explain_login(const struct proxy_bridge *b,
				 const struct jmx_credentials *login,
				 struct error *err)
{
	if (err->kind != ERROR_PERMISSION || err->sys != EACCES)
		return;
	if (login)
		fail(err, err->kind,
		     "the Jolokia agent rejected the user '%.100s' or the "
		     "password",
		     login->user);
	else if (b->rmi.takes_login)
		fail(err, err->kind,
		     "the Jolokia agent requires a user name and a password");
	else
		fail(err, err->kind,
		     "the Jolokia agent rejected the login of mxprx");
}

/* For rmi_server_options.open. */
static struct jmx *bridge_open(void *self, const struct jmx_credentials *login,
			       struct error *err)
{
	const struct proxy_bridge *b = self;
	struct jmx_target target = b->target;
	struct jmx *jmx;

	if (login)
		target.credentials = *login;
	jmx = jmx_open(&target, err);
	if (!jmx)
		bridge_explain_login(b, login, err);
	return jmx;
}

static int bridge_warn_clear(const char *url, struct error *err)
{
	struct http_url parts;

	if (http_url_parse(&parts, url, err))
		return -1;
	if (!parts.is_tls && upstream_crosses_network(&tcp_dialer, parts.host))
		log_always("warning: the passwords of clients go to %s without "
			   "TLS; anyone on the network can read them; use an "
			   "https URL",
			   url);
	return 0;
}

/* Connecting now loads libcurl, which the workers then need not do. */
int proxy_bridge_open_agent(struct proxy_bridge *b,
			    const struct jmx_target_options *o,
			    struct error *err)
{
	bool takes_login = !o->user && !o->bearer_file;
	struct jmx_target_options checked = *o;
	int ret;

	/* The workers, which read the replies, print nothing. */
	checked.warn_any_limit = true;
	ret = jmx_client_open(&b->client, &checked, 0, NULL, err);
	b->title = o->url;
	if (ret && err->kind == ERROR_PERMISSION && takes_login)
		ret = 0;
	if (ret && !bridge_may_recover(err))
		return -1;
	if (ret)
		log_always("%s; sjkc tries again for each client", err->text);
	if (takes_login && bridge_warn_clear(o->url, err))
		return -1;
	jmx_close(b->client.jmx);
	b->client.jmx = NULL;
	b->target = jmx_target_of(o, &b->client.secrets, o->url);
	b->target.title = b->title;
	b->target.warn_clear = NULL;
	b->rmi = (struct rmi_server_options){
		.open = bridge_open,
		.self = b,
		.takes_login = takes_login,
		.sessions = rmi_sessions_new(),
	};
	return 0;
}

void proxy_bridge_close(struct proxy_bridge *b)
{
	rmi_sessions_free(b->rmi.sessions);
	if (b->title)
		jmx_client_close(&b->client);
	*b = (struct proxy_bridge){ 0 };
}

static void bridge_serve(void *self, int fd)
{
	const struct proxy_bridge *b = self;

	if (b->rmi.sessions)
		rmi_server_run(&b->rmi, fd);
	else
		jolokia_server_run(&b->target, &b->metrics, fd);
}

struct dialer *proxy_bridge_dialer(struct proxy_bridge *b,
				   struct event_base *base)
{
	const struct worker_options options = {
		.base = base,
		.run = bridge_serve,
		.self = b,
		.kept = &b->client.jvm.pidfd,
		.kept_count = b->client.by_pid,
		.memory_max = MEMORY_MAX,
	};

	return worker_dialer_new(&options);
}
