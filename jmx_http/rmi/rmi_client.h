/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_client: JMX over RMI.
 *
 * A client logs in, and logs in again after the JVM ended the session or was
 * restarted.  It renews the session's lease, which servers other than the JVM's
 * own agent require.
 */
#ifndef JMX_HTTP_RMI_RMI_CLIENT_H
#define JMX_HTTP_RMI_RMI_CLIENT_H

#include "jmx_http/jmx.h"
#include "jmx_http/target.h"

/*
 * As jmx_open(), for a target with an address.
 */
struct jmx *rmi_client_open(const struct jmx_target *target, struct error *err);

#endif
