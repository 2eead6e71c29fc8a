/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_target: finds the JVM that a user of mxprx names, and its dialer.
 */
#ifndef CMD_JMX_PROXY_TARGET_H
#define CMD_JMX_PROXY_TARGET_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/proxy/http_front.h"
#include "jmx_http/rmi/stub.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

struct proxy_target_options {
	const char *proxy_command; /* for each connection, or NULL */
	/* For kubectl; or NULL. */
	const char *namespace, *context, *kubeconfig;
	int64_t timeout_ns; /* for each lookup and attach */
	void (*report)(void *self, const char *line);
};

/* The fields of upstream_options. */
struct proxy_target {
	struct text title, host;
	uint16_t port; /* of its registry */
	bool has_stub; /* the JVM has no registry */
	struct stub stub;
};

/*
 * Each of these functions finds a JVM and returns its dialer, or NULL and *err.
 * They detect as many errors as possible before clients connect. Call
 * proxy_target_release() in any case.
 *
 * -s: "host:port", directly or through --proxy-command.
 */
struct dialer *proxy_target_socket(struct proxy_target *t, const char *name,
				   const struct proxy_target_options *o,
				   struct event_base *base, struct error *err);

/* --kubectl: "pod:port".  Waits until kubectl forwards the port. */
struct dialer *proxy_target_pod(struct proxy_target *t, const char *name,
				const struct proxy_target_options *o,
				struct event_base *base, struct error *err);

/* -p: a JVM on this machine; starts its local JMX connector if necessary. */
struct dialer *proxy_target_process(struct proxy_target *t, const char *name,
				    const struct proxy_target_options *o,
				    struct event_base *base, struct error *err);

/* Accepts a zeroed struct. */
void proxy_target_release(struct proxy_target *t);

/* -u: a Jolokia agent. */
struct proxy_url {
	struct text name;      /* clients use /name; empty: none was given */
	struct text title;     /* the URL */
	struct text authority; /* "10.0.0.7:8778" */
	struct text host, path;
	uint16_t port;
	bool is_tls;
};

/*
 * Parses "[name=]http[s]://host[:port][/path]"; ERROR_MISUSE.
 * Call proxy_url_release() in any case.
 */
int proxy_url_parse(struct proxy_url *u, const char *text, struct error *err);
void proxy_url_release(struct proxy_url *u); /* accepts a zeroed struct */

/* Returns the dialer of the URL's host, or NULL and *err. */
struct dialer *proxy_url_dialer(const struct proxy_url *u,
				const struct proxy_target_options *o,
				struct event_base *base, struct error *err);

/* -p with -u: the URL's port, from within the JVM's network namespace. */
struct dialer *proxy_url_dialer_in_jvm(const char *name,
				       struct event_base *base,
				       struct error *err);

#endif
