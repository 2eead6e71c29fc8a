/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_requests: what is asked of MBeans, as calls on a session.
 */
#ifndef JMX_HTTP_RMI_RMI_REQUESTS_H
#define JMX_HTTP_RMI_RMI_REQUESTS_H

#include "jmx_http/jmx.h"
#include "jmx_http/rmi/methods.h"

/* In place of the index of a name: all that is asked for at once. */
#define RMI_WHOLE SIZE_MAX

/*
 * Appends a call: the whole request or, of JMX_GET, one name of it.
 * ERROR_MISUSE when an argument is none of its type.
 */
int rmi_request_add(struct text *out, const struct jrmp_id *session,
		    const struct jmx_request *q, size_t name,
		    struct error *err);

/* True when nothing follows the head of its return. */
bool rmi_request_is_void(const struct jmx_request *q);

/* True when it may be sent again when its answer is lost. */
bool rmi_request_is_read(const struct jmx_request *q);

#endif
