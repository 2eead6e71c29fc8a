/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_bridge: the JVM of mxprx --http, which worker processes serve to HTTP
 * clients by Jolokia's protocol, or the agent of --rmi, which they serve to JMX
 * clients over RMI.
 */
#ifndef CMD_JMX_PROXY_BRIDGE_H
#define CMD_JMX_PROXY_BRIDGE_H

#include "cmd/jmx/jmx_target.h"
#include "jmx_http/metrics/metrics.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/rmi/rmi_server.h"

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

#endif
