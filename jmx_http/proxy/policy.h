/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy: which calls pass, whatever protocol they come by.
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

/* Foreign, without NUL at its end; zeroed: none. */
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
 * NULL when a call may pass; else why not, for the client and for messages.
 * Nothing may change the registry: it trusts clients on its own machine, as the
 * proxy may be.  With read_only, nothing that changes something, or may.
 */
const char *policy_objection(const struct policy_call *c, bool read_only);

#endif
