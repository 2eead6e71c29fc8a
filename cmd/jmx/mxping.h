/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mxping: what is reported of how far a JMX client gets.
 */
#ifndef CMD_JMX_MXPING_H
#define CMD_JMX_MXPING_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "jmx_http/ping/probe.h"
#include "jmx_http/rmi/rmi_local.h"

struct ping {
	const char *target; /* as its user named it; of a pid, the pid */
	/*
	 * Its steps, verdict and remedy; a verdict without a step when there
	 * is nothing that could be connected to.
	 */
	struct probe probe;
	bool by_pid;
	const struct jvm *jvm; /* by pid, while it is looked at */
	char *main_class;      /* or NULL */
	char *host; /* what its clients are told that it is, or NULL */
	struct rmi_local local; /* by pid: what the JVM has configured */
};

/* Appends it for a person, or as JSON; lines end with a line feed. */
void ping_text(const struct ping *p, struct text *out);
void ping_json(const struct ping *p, struct text *out);

#endif
