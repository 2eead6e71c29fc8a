/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy: which calls are passed on.
 */
#ifndef JMX_HTTP_PROXY_POLICY_H
#define JMX_HTTP_PROXY_POLICY_H

#include "jmx_http/proxy/request.h"

/*
 * NULL when a whole call may be passed on; else why not, for the client and for
 * the log.  Always refused are credentials of other classes than String and
 * String[], which is all that JMX's logins take and what older JVMs would make
 * objects of before they know who asks (CVE-2016-3427), and what would change
 * the registry, which trusts whoever comes from its own machine, as the proxy
 * may.  With read_only, also what changes something, or may.
 */
const char *policy_objection(const struct request *r, bool read_only);

/*
 * True when a call has no objects but those of classes that JMX's methods take:
 * the others would be made by the JVM before it looks what they are.  What is
 * handed to an MBean, in a MarshalledObject, may be of any class; with
 * read_only, what filters and queries are made of.
 */
bool policy_types_fit(const struct request *r, bool read_only);

/* The text of an ObjectName; none for other values. */
struct java_bytes policy_object_name(const struct java_value *v);

#endif
