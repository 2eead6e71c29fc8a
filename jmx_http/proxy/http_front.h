/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_front: a port on which HTTP clients reach Jolokia agents.
 *
 *	http_front ── http_session ─┬─ http_head     heads and framing
 *	                            ├─ jolokia_call  operations and policy
 *	                            ├─ http_forward  heads to either side
 *	                            └─ http_agent    connections to an agent
 *
 * The proxy parses each message and writes it again, so both sides delimit
 * it in the same way.  Bodies pass as they arrive, as fast as the receiver
 * reads them.  Only the first 64 KiB of a request are collected before an
 * agent sees any of it, because agents have few threads, each of which waits
 * for its client.
 */
#ifndef JMX_HTTP_PROXY_HTTP_FRONT_H
#define JMX_HTTP_PROXY_HTTP_FRONT_H

#include "jmx_http/net/dialer.h"
#include "jmx_http/proxy/door.h"
#include "jmx_http/target.h"

/* The path of clients to an agent without a name. */
#define HTTP_FRONT_PATH "jolokia"

/* An agent; strings are copied. */
struct http_target_options {
	const char *name;  /* clients use /name/...; NULL: HTTP_FRONT_PATH */
	const char *title; /* for messages */
	const char *authority; /* for the Host header: "10.0.0.7:8778" */
	const char *host;      /* that its certificate must name */
	uint16_t port;
	const char *path; /* "/jolokia", "/actuator/jolokia/", "" */
	bool is_tls;
	/* Replaces the Authorization header of clients, or NULL. */
	const char *authorization;
	/* Reads the token in authorization again; see jmx_http_options. */
	jmx_renew_fn *renew_bearer;
	const char *bearer_file;
	struct dialer *dialer; /* taken */
	/*
	 * Connects to a server of EXPOSITION_PATH; taken.  NULL: the agent
	 * serves it if serves_metrics is set, otherwise it is not served.
	 */
	struct dialer *metrics;
	bool serves_metrics;
};

/* A list of strings. */
struct http_names {
	const char *const *names;
	size_t count;
};

/* All is copied but the dialers. */
struct http_front_options {
	const struct sockaddr_storage *bind; /* port 0: any that is free */
	const struct http_target_options *targets;
	size_t target_count;
	struct http_names hosts;           /* in Host, besides addresses and
					      "localhost" */
	struct http_names origins;         /* in Origin, besides our own */
	struct http_names jolokia_targets; /* see jolokia_rules; a host:port
					      stands for its RMI registry */
	/*
	 * Limit for the head of a response, and for each pause of its body,
	 * unless the response is a stream of events; 0: none.
	 */
	int64_t reply_ns;
	bool checks_agents; /* when the loop starts, and reports faults */
};

/*
 * Adds a port for the agents to the door.  Takes the dialers in any case.
 * Returns the port, or -1 and *err as door_listen().
 */
int http_front_add(struct door *d, const struct http_front_options *o,
		   struct error *err);

#endif
