/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_call: describes an RMI call for the policy and the call log, and checks
 * the classes of the objects in it.
 */
#ifndef JMX_HTTP_PROXY_RMI_CALL_H
#define JMX_HTTP_PROXY_RMI_CALL_H

#include "jmx_http/proxy/call_log.h"
#include "jmx_http/proxy/policy.h"
#include "jmx_http/rmi/request.h"

/* Describes a whole call; the texts belong to r. */
struct policy_call rmi_call_of(const struct request *r);

/*
 * Returns NULL if a whole call is allowed, else the reason, as
 * policy_objection().
 *
 * A call without r->message is never allowed.  A MarshalledObject for an MBean
 * may contain any class; with read_only, only classes of filters and queries.
 */
const char *rmi_call_objection(const struct request *r, bool read_only);

/* True for a login with a user and a password. */
bool rmi_call_has_password(const struct request *r);

/* Adds bytes of the return, which may be an exception, to the log. */
void rmi_call_log_return(struct call_log *l, const void *bytes, size_t len);

#endif
