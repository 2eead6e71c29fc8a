/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_call: an RMI call as the policy and the call log see it, and the classes
 * of the objects that it may contain.
 */
#ifndef JMX_HTTP_PROXY_RMI_CALL_H
#define JMX_HTTP_PROXY_RMI_CALL_H

#include "jmx_http/proxy/call_log.h"
#include "jmx_http/proxy/policy.h"
#include "jmx_http/proxy/request.h"

/* Describes a whole call; the texts live as long as r. */
struct policy_call rmi_call_of(const struct request *r);

/*
 * NULL when a whole call may pass; else why not, as policy_objection().
 *
 * The JVM creates the objects of a call before it checks what they are, so only
 * classes that JMX's methods take may pass.  Credentials must be Strings, or
 * older JVMs create others before they know the client (CVE-2016-3427).  A
 * MarshalledObject for an MBean may contain any class; with read_only, only
 * classes of filters and queries.
 */
const char *rmi_call_objection(const struct request *r, bool read_only);

/* True for a login with a user and a password. */
bool rmi_call_has_password(const struct request *r);

/* Adds bytes of the return, which may be an exception, to the log. */
void rmi_call_log_return(struct call_log *l, const void *bytes, size_t len);

#endif
