/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_response: recognizes responses that are not an agent's, but those of
 * another server, or of a gateway in front of the agent.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_RESPONSE_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_RESPONSE_H

#include "jmx_http/http/http_client.h"

/* The usual paths of agents, in the order in which to try them, then NULL. */
extern const char *const jolokia_paths[];

#define JOLOKIA_REDIRECTS_MAX 3

/*
 * Sends a POST as http_client_send(), and follows redirects within the server:
 * *url becomes the last one.  Sets *is_loop if the server redirected more than
 * JOLOKIA_REDIRECTS_MAX times.
 */
int jolokia_send(struct http_client *http, struct text *url,
		 const struct text *body, bool is_once, int64_t timeout_ns,
		 struct http_response *r, bool *is_loop, struct error *err);

/*
 * Checks the HTTP status, the content type and the redirect of a response.
 * Returns 0 if it may be Jolokia's, a JSON object or array; else -1, with the
 * reason in *err.  user is the user of the login that was sent, or NULL;
 * has_token: a token was sent.  HTTP 401 sets err->sys to EACCES.
 *
 * The message of a gateway is "HTTP 413: message", and that of an API server of
 * Kubernetes "HTTP 403: Kubernetes: message".
 */
int jolokia_check_response(const struct http_response *r, const char *user,
			   bool has_token, struct error *err);

/*
 * Appends the URL with a "/" at its end, or without the one that it has.
 * Jolokia's JVM agents before 2.6 return 404 for /jolokia, which later agents
 * and web servers may require.  Returns false, and appends nothing, if the URL
 * has no path, or a query.
 */
bool jolokia_add_other_slash(struct text *out, const char *url);

/* Fails because of a redirect, which may lead back to itself. */
int jolokia_fail_redirect(const struct http_response *r, bool is_loop,
			  struct error *err);

#endif
