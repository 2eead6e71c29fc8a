/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_client: a connection to the MBeans of a JVM through a Jolokia agent.
 *
 * A run is sent as bulk requests.  If an agent cannot read an attribute among
 * others, the client requests it alone, to get the reason.  If the agent fails
 * a whole bulk request that only reads, the client repeats it in parts.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_CLIENT_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_CLIENT_H

#include "jmx_http/jmx.h"
#include "jmx_http/jolokia/http_client.h"
#include "jmx_http/target.h"

/* As jmx_open(), for the URL of an agent. */
struct jmx *jolokia_client_open(const struct jmx_target *target,
				struct error *err);

/* The usual paths of agents, in the order in which to try them, then NULL. */
extern const char *const jolokia_paths[];

/*
 * Checks the HTTP status, the content type and the redirect of a response.
 * Returns 0 if it may be Jolokia's, a JSON object or array; else -1, with the
 * reason in *err.  user is the user of the login that was sent, or NULL;
 * has_token: a token was sent.  HTTP 401 sets err->sys to EACCES.
 */
int jolokia_check_response(const struct http_response *r, const char *user,
			   bool has_token, struct error *err);

#endif
