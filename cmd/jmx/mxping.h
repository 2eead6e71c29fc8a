/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mxping: the report of a probe.
 */
#ifndef CMD_JMX_MXPING_H
#define CMD_JMX_MXPING_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "jmx_http/ping/probe.h"
#include "jmx_http/rmi/rmi_local.h"

struct ping {
	const char *target; /* as the user named it; or the pid */
	/* Without steps when there is nothing to connect to. */
	struct probe probe;
	bool by_pid;
	const struct jvm *jvm;  /* by pid, while it is probed */
	char *main_class;       /* or NULL */
	char *host;             /* its java.rmi.server.hostname, or NULL */
	struct rmi_local local; /* by pid: the JVM's configuration */
};

/* Appends the report for a person, or as JSON; ends with a newline. */
void ping_text(const struct ping *p, struct text *out);
void ping_json(const struct ping *p, struct text *out);

#endif
