/* SPDX-License-Identifier: Apache-2.0 */
/* Implements jmx_ops with a session, its lease and its notifications. */
#include "jmx_http/rmi/rmi_client.h"

#include "core/base/alloc.h"
#include "jmx_http/rmi/rmi_calls.h"
#include "jmx_http/rmi/rmi_notifications.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

struct rmi_client {
	struct jmx base;
	struct rmi_session session;
	struct rmi_lease lease;
	struct rmi_notifications notifications;
};

static void client_publish(struct rmi_client *c)
{
	c->base.title = c->session.title.bytes;
	c->base.version = c->session.version.bytes;
}

static int client_run(struct jmx *j, const struct jmx_request *requests,
		      size_t count, jmx_reply_fn *fn, void *self,
		      struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;
	struct error unused;
	int status;

	c->session.access.timeout_ns = j->timeout_ns;
	status = rmi_calls_run(&c->session, &c->lease, requests, count, j->keep,
			       fn, self, err);
	client_publish(c);
	/* The next fetch reports a failure to subscribe again. */
	if (status == 0 && c->notifications.count &&
	    rmi_notifications_renew(&c->notifications, &c->session, &unused))
		rmi_session_drop(&c->session);
	return status;
}

static int client_listen(struct jmx *j, const char *object, struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;

	c->session.access.timeout_ns = j->timeout_ns;
	return rmi_notifications_listen(&c->notifications, &c->session, object,
					err);
}

static int client_fetch(struct jmx *j, int64_t timeout_ns,
			jmx_notification_fn *fn, void *self, struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;

	c->session.access.timeout_ns = j->timeout_ns;
	return rmi_notifications_fetch(&c->notifications, &c->session,
				       &c->lease, timeout_ns, fn, self, err);
}

static void client_close(struct jmx *j)
{
	struct rmi_client *c = (struct rmi_client *)j;

	rmi_notifications_release(&c->notifications);
	rmi_session_release(&c->session);
	free(c);
}

static const struct jmx_ops client_ops = {
	.name = "rmi",
	.run = client_run,
	.listen = client_listen,
	.fetch = client_fetch,
	.close = client_close,
};

struct jmx *rmi_client_open(const struct jmx_target *target, struct error *err)
{
	struct rmi_client *c = xcalloc(1, sizeof(*c));

	c->base.ops = &client_ops;
	if (rmi_session_init(&c->session, target, err) ||
	    rmi_session_login(&c->session, err)) {
		client_close(&c->base);
		return NULL;
	}
	c->base.timeout_ns = c->session.access.timeout_ns;
	client_publish(c);
	return &c->base;
}
