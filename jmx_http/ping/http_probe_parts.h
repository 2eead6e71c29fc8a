/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_probe_parts: interfaces between the two files of http_probe.
 *
 * http_probe.c runs the steps.  http_diagnosis.c explains failures.
 */
#ifndef JMX_HTTP_PING_HTTP_PROBE_PARTS_H
#define JMX_HTTP_PING_HTTP_PROBE_PARTS_H

#include "jmx_http/http/http_client.h"
#include "jmx_http/jolokia/jolokia_protocol.h"
#include "jmx_http/net/address.h"
#include "jmx_http/ping/probe.h"

struct http_probe {
	struct probe *report;
	const struct jmx_target *target;
	const char *as_given;
	struct http_url url;
	struct text address; /* the URL, after redirects */
	struct net_address host;
	struct tls_report tls;
	struct http_client *http;
	struct http_response response;
	struct jolokia_agent agent;
	struct arena arena;
	bool was_slash;     /* the agent's path has another end than the URL */
	bool ignores_login; /* the server requires none, but got one */
	bool denies_runtime, denies_list, denies_search;
	bool may_execute, may_execute_any;
};

/* Each function sets a verdict, and the fixes it knows. */

void http_judge_certificate(struct http_probe *p);
void http_judge_client_certificate(struct http_probe *p);
void http_judge_login(struct http_probe *p);
/* why: the agent's reason, of 1.x or 2.x. */
void http_judge_policy(struct http_probe *p, const char *why);
/* The policy denies the command read, or the MBean that was read. */
void http_judge_read(struct http_probe *p, const char *why);
void http_judge_other_server(struct http_probe *p);
/*
 * Judges an error of jolokia_check_response() that has the words of a server
 * in front of the agent.  Returns false for other errors.
 */
bool http_judge_gateway(struct http_probe *p, const struct error *err);

#endif
