/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/proxy_bridge.h"

#include "cmd/log.h"
#include "jmx_http/jolokia/jolokia_server.h"

/* For one large response; values and their JSON. */
#define MEMORY_MAX ((size_t)768 << 20)

int proxy_bridge_open(struct proxy_bridge *b,
		      const struct jmx_target_options *o, struct error *err)
{
	int no_arguments = 0;
	char **arguments = NULL;
	int ret = jmx_client_open(&b->client, o, &no_arguments, &arguments,
				  err);

	b->title = o->socket ? o->socket : o->pid;
	/* The JVM of -s may start after the proxy. */
	if (ret && (!o->socket || (err->kind != ERROR_NO_TARGET &&
				   err->kind != ERROR_REFUSED)))
		return -1;
	if (ret)
		log_always("%s: %s; sjkc tries again for each request",
			   b->title, err->text);
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

void proxy_bridge_close(struct proxy_bridge *b)
{
	if (b->title)
		jmx_client_close(&b->client);
	*b = (struct proxy_bridge){ 0 };
}

static void bridge_serve(void *self, int fd)
{
	const struct proxy_bridge *b = self;

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
		.kept_count = b->client.jvm.pidfd >= 0,
		.memory_max = MEMORY_MAX,
	};

	return worker_dialer_new(&options);
}
