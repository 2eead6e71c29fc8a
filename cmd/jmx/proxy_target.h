/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_target: a JVM as the user of mxprx names it, and the way to it.
 */
#ifndef CMD_JMX_PROXY_TARGET_H
#define CMD_JMX_PROXY_TARGET_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/stub.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

struct proxy_target_options {
	const char *proxy_command; /* for each connection, or NULL */
	const char *namespace;     /* of pods, or NULL */
	int64_t timeout_ns;        /* of what is looked up or asked */
	void (*say)(void *self, const char *line);
};

/* What upstream_options need. */
struct proxy_target {
	struct text title, host;
	uint16_t port; /* of its registry */
	bool has_stub; /* it has no registry, but this */
	struct stub stub;
};

/*
 * Each finds out about a JVM and gives its dialer, or NULL and *err; what is
 * wrong is found out now, so far as it can be.  proxy_target_release() is due
 * in any case.
 *
 * -s: "host:port", directly or through the command.
 */
struct dialer *proxy_target_socket(struct proxy_target *t, const char *name,
				   const struct proxy_target_options *o,
				   struct event_base *base, struct error *err);

/* --kubectl: "pod:port". */
struct dialer *proxy_target_pod(struct proxy_target *t, const char *name,
				const struct proxy_target_options *o,
				struct event_base *base, struct error *err);

/*
 * -p: a JVM on this machine, by its local connector, which is started where
 * there is none.
 */
struct dialer *proxy_target_process(struct proxy_target *t, const char *name,
				    const struct proxy_target_options *o,
				    struct event_base *base, struct error *err);

void proxy_target_release(struct proxy_target *t); /* zeroed is fine */

#endif
