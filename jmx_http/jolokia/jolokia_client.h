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
#include "jmx_http/target.h"

/* As jmx_open(), for the URL of an agent. */
struct jmx *jolokia_client_open(const struct jmx_target *target,
				struct error *err);

#endif
