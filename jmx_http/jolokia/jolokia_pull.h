/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_pull: the notifications of a jolokia_client.
 *
 * Agents of 2.x store them for a registered client, at most 100 for each
 * subscription, until the client pulls them by an operation of the store's
 * MBean.  The store counts the notifications that it discards, but keeps only
 * one of several with the same sequence number.
 * https://jolokia.org/reference/html/manual/jolokia_protocol.html#notification
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_PULL_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_PULL_H

#include "core/base/text.h"
#include "jmx_http/jmx.h"

#include <cjson/cJSON.h>

/*
 * Sends requests in one POST; is_once: they may change something, so they are
 * not repeated.  Returns the response, for cJSON_Delete(), or NULL and *err.
 */
typedef cJSON *jolokia_post_fn(void *self, const struct text *body,
			       bool is_once, struct error *err);

struct jolokia_subscription;

/* The caller sets post and self and zeroes the rest. */
struct jolokia_pull {
	jolokia_post_fn *post;
	void *self;

	/* Private from here on. */
	char *client; /* NULL: not registered */
	char *store;  /* the name of the MBean */
	struct jolokia_subscription *list;
	size_t count, cap;
	bool has_missed; /* and fetch() has not yet reported it */
	int64_t pulled_ns;
};

/*
 * As jmx_listen() and jmx_fetch().  jolokia_pull_listen() fails with
 * ERROR_UNAVAILABLE if the agent has no notifications.
 */
int jolokia_pull_listen(struct jolokia_pull *p, const char *object,
			struct error *err);
int jolokia_pull_fetch(struct jolokia_pull *p, int64_t timeout_ns,
		       jmx_notification_fn *fn, void *self, struct error *err);

/* Unregisters, because an agent keeps a client that does not. */
void jolokia_pull_release(struct jolokia_pull *p);

#endif
