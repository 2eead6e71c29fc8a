/* SPDX-License-Identifier: Apache-2.0 */
/* mxprx: the parts of the command in other files. */
#ifndef CMD_JMX_MXPRX_H
#define CMD_JMX_MXPRX_H

#include "cmd/jmx/jmx_target.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/metrics/metrics.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/http_front.h"
#include "jmx_http/proxy/upstream.h"
#include "jmx_http/rmi/rmi_server.h"
#include "jmx_http/rmi/stub.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * proxy_target: finds the JVM that a user of mxprx names, and its dialer.
 */
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

/*
 * proxy_bridge: the JVM of mxprx --http, which worker processes serve to HTTP
 * clients by Jolokia's protocol, or the agent of --rmi, which they serve to JMX
 * clients over RMI.
 */
struct proxy_bridge {
	struct jmx_client client; /* holds the JVM and the secrets */
	struct jmx_target target;
	struct metrics_options metrics;
	const char *title;             /* for messages: "10.0.0.7:9010" */
	struct rmi_server_options rmi; /* of --rmi */
};

/*
 * Prepares for the JVM of -s or -p in o, which b borrows, and connects once: a
 * wrong password fails with ERROR_PERMISSION now.  If the JVM of -s is not
 * reachable yet, reports why and succeeds.  -1 and *err as jmx_client_open().
 * The caller calls proxy_bridge_close() in any case, after freeing the dialer.
 */
int proxy_bridge_open(struct proxy_bridge *b,
		      const struct jmx_target_options *o, struct error *err);
void proxy_bridge_close(struct proxy_bridge *b); /* accepts a zeroed struct */

/*
 * Prepares for the metrics of the Jolokia agent at this URL; everything is
 * borrowed.  Clients' requests bring the login.
 */
void proxy_bridge_to_agent(struct proxy_bridge *b, const char *url,
			   const struct jmx_target_options *o);

/*
 * Prepares for the agent of -u in o, which b borrows, as above.  Without a
 * login in o, the agent gets the logins of clients; sjkc warns if they would
 * cross a network in clear.
 */
int proxy_bridge_open_agent(struct proxy_bridge *b,
			    const struct jmx_target_options *o,
			    struct error *err);

/* Returns the dialer of the workers, which borrows b. */
struct dialer *proxy_bridge_dialer(struct proxy_bridge *b,
				   struct event_base *base);

/*
 * proxy_print: what mxprx prints on standard output: how clients connect, and
 * the log of calls.
 *
 * The functions that return int return 0, or -1 and *err if standard output
 * cannot be written.
 */
/* A port of the proxy, as clients see it. */
struct proxy_place {
	const struct sockaddr_storage *bound; /* its port is not used */
	uint16_t port;
	const char *host; /* name of this machine for clients; NULL = bound */
};

/* Prints the commands by which JMX clients reach the JVM with this title. */
int proxy_print_usage(const char *title, const struct proxy_place *place,
		      struct error *err);

/* Prints the options that let a Java program reach a JVM by SOCKS. */
int proxy_print_socks_usage(const struct upstream_options *jvm,
			    const struct proxy_place *place, struct error *err);

/* Prints the agents' URLs for clients. */
int proxy_print_agents(const struct http_target_options *agents, size_t count,
		       const struct proxy_place *place, bool is_https,
		       struct error *err);

/*
 * Prints one line of tab-separated fields; for door_options.call. A line is
 * lost, and counted, if standard output is full: clients never wait for it.
 */
void proxy_print_call(void *self, const struct proxy_call *call);

#endif
