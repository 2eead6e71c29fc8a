/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_client: a connection to the MBeans of a JVM by a Jolokia agent.
 *
 * A run is sent as bulk requests.  Attributes that an agent cannot read among
 * others are requested again alone, for the reason.  A bulk request that the
 * agent fails as a whole is repeated in parts if it only reads.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_CLIENT_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_CLIENT_H

#include "jmx_http/jmx.h"
#include "jmx_http/jolokia/http_client.h"
#include "jmx_http/target.h"

/* As jmx_open(), for the URL of an agent. */
struct jmx *jolokia_client_open(const struct jmx_target *target,
				struct error *err);

/* Where agents are, usually, in the order in which to try them; a NULL ends. */
extern const char *const jolokia_paths[];

/*
 * Sets *err to the reason why a response is not Jolokia's, by its HTTP status,
 * content type and redirect, and returns -1; 0 when it may be one: a JSON
 * object or array.  user: of the login that was sent, or NULL; has_token: a
 * token was sent.
 */
int jolokia_check_response(const struct http_response *r, const char *user,
			   bool has_token, struct error *err);

#endif
