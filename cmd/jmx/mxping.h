/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mxping: the report of mxping, as text and JSON.
 */
#ifndef CMD_JMX_MXPING_H
#define CMD_JMX_MXPING_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "jmx_http/ping/probe.h"
#include "jmx_http/rmi/rmi_local.h"

struct ping {
	const char *target; /* the word of the user, or the pid */
	/* Has no steps when the JVM offers no address. */
	struct probe probe;
	bool by_pid;
	const struct jvm *jvm; /* by_pid: the JVM, during the probe */
	char *main_class;      /* or NULL */
	char *host;            /* the JVM's java.rmi.server.hostname, or NULL */
	struct rmi_local local; /* by_pid: the JVM's configuration */
};

/* Append the report as text or JSON, ending with a newline. */
void ping_text(const struct ping *p, struct text *out);
void ping_json(const struct ping *p, struct text *out);

#endif
