/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_client.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/rmi/rmi_run.h"

#include <stdlib.h>

/* The JVM ends a session after 120 s (jmx.remote.x.server.connection.timeout).
 */
#define IDLE_NS (60 * CLOCK_NS_PER_S)

struct rmi_client {
	struct jmx base;
	struct rmi_session session;
	struct rmi_lease lease;
};

static void publish(struct rmi_client *c)
{
	c->base.title = c->session.title.bytes;
	c->base.version = c->session.version.bytes;
}

static int client_run(struct jmx *j, const struct jmx_request *requests,
		      size_t count, jmx_reply_fn *fn, void *self,
		      struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;
	int status;

	c->session.timeout_ns = j->timeout_ns;
	status = rmi_run(&c->session, &c->lease, requests, count, j->keep, fn,
			 self, err);
	publish(c);
	return status;
}

static int client_listen(struct jmx *j, const char *object, struct error *err)
{
	(void)j;
	return fail(err, ERROR_UNAVAILABLE, "%s: no notifications yet", object);
}

static int client_fetch(struct jmx *j, int64_t timeout_ns,
			jmx_notification_fn *fn, void *self, struct error *err)
{
	(void)j, (void)timeout_ns, (void)fn, (void)self;
	return fail(err, ERROR_UNAVAILABLE, "no notifications yet");
}

static int forget_reply(void *self, size_t index, const struct jmx_reply *reply,
			struct error *err)
{
	(void)self, (void)index, (void)reply, (void)err;
	return 0;
}

/* Any call will do that is one of an MBean server. */
static int client_idle(struct jmx *j, struct error *err)
{
	static const struct jmx_request count = { .verb = JMX_COUNT };
	struct rmi_client *c = (struct rmi_client *)j;

	if (clock_monotonic_ns() - c->session.used_ns < IDLE_NS)
		return 0;
	return client_run(j, &count, 1, forget_reply, NULL, err);
}

static void client_close(struct jmx *j)
{
	struct rmi_client *c = (struct rmi_client *)j;

	rmi_session_release(&c->session);
	free(c);
}

static const struct jmx_ops ops = {
	.name = "rmi",
	.run = client_run,
	.listen = client_listen,
	.fetch = client_fetch,
	.idle = client_idle,
	.close = client_close,
};

struct jmx *rmi_client_open(const struct rmi_client_options *options,
			    struct error *err)
{
	struct rmi_client *c = xcalloc(1, sizeof(*c));

	c->base.ops = &ops;
	if (rmi_session_init(&c->session, options, err) ||
	    rmi_session_login(&c->session, err)) {
		client_close(&c->base);
		return NULL;
	}
	c->base.timeout_ns = c->session.timeout_ns;
	publish(c);
	return &c->base;
}
