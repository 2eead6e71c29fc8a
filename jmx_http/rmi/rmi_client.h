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
#include "jmx_http/rmi/jrmp.h"
#include "jmx_http/target.h"

/* As jmx_open(), for a target with an address. */
struct jmx *rmi_client_open(const struct jmx_target *target, struct error *err);

/* Replaces the index of a name: all names in one call. */
#define RMI_WHOLE SIZE_MAX

/*
 * Appends the call for a request, or for one name of a JMX_GET.  -1 and
 * ERROR_MISUSE if an argument is invalid for its type.
 */
int rmi_request_add(struct text *out, const struct jrmp_id *session,
		    const struct jmx_request *q, size_t name,
		    struct error *err);

#endif
