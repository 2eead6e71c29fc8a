/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy: decides which calls the proxy forwards, for any protocol.
 *
 * Invariant of RMI: the proxy itself wrote each byte that it sends to a JVM,
 * from the values that the policy judged (rmi/request_write.c).  So a rejected
 * call cannot reach the JVM, not even within an accepted call: a JVM that fails
 * to read an argument takes the rest of the message for further calls.
 *
 * Of HTTP: the proxy writes the heads and the framing of bodies, and forwards a
 * body while it judges the calls in it (jolokia_call.h).
 */
#ifndef JMX_HTTP_PROXY_POLICY_H
#define JMX_HTTP_PROXY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum policy_verb {
	POLICY_READ,
	POLICY_CHANGE,
	POLICY_INVOKE, /* reads or changes, depending on the operation */
	POLICY_BIND,   /* changes the registry */
};

/* Foreign text without a terminating NUL; zeroed: none. */
struct policy_text {
	const char *at;
	size_t len;
};

/* A call as the policy and the call log see it. */
struct policy_call {
	enum policy_verb verb;
	const char *method;        /* "getAttribute"; static */
	struct policy_text object; /* the MBean's name */
	struct policy_text member; /* the first attribute, or the operation */
	size_t member_count;
};

/*
 * Returns NULL if the call is allowed, else the reason for the client and for
 * messages.  Calls that change the registry are never allowed: the registry
 * trusts every client on its own machine, and the proxy may run there.  With
 * read_only, only calls that cannot change anything are allowed.
 */
const char *policy_objection(const struct policy_call *c, bool read_only);

#endif
