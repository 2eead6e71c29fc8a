/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe: how far a JMX client gets with a JVM, step by step.
 *
 * Each step is one that a client takes, timed; the first that fails ends it,
 * with a verdict in words and, where one is known, a remedy.  Nothing in the
 * JVM is changed: the JMX connection that it may come to is closed.
 */
#ifndef JMX_HTTP_RMI_RMI_PROBE_H
#define JMX_HTTP_RMI_RMI_PROBE_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/rmi/rmi_address.h"
#include "jmx_http/rmi/rmi_connection.h"
#include "jmx_http/rmi/stub.h"

#include <stdbool.h>
#include <stdint.h>

#define RMI_PROBE_STEPS_MAX 10

struct rmi_probe_step {
	const char *name; /* "dns", "tcp", …; see the table of rmi_probe.c */
	bool ok;
	int64_t ns;
	struct text detail; /* what was found, or what went wrong; foreign */
};

struct rmi_probe {
	struct rmi_address target;
	struct rmi_probe_step steps[RMI_PROBE_STEPS_MAX];
	size_t step_count;
	struct text verdict;  /* foreign */
	struct text remedy;   /* or empty */
	enum error_kind kind; /* of the failure; ERROR_NONE: all went well */

	/* Private from here on. */
	int64_t timeout_ns, deadline_ns;
	struct rmi_connection registry, server;
	struct jrmp_return looked_up, opened;
	struct rmi_address advertised;
	struct stub stub, session;
};

/* Goes as far as it can; each step may take timeout_ns. */
void rmi_probe_run(struct rmi_probe *p, const struct rmi_address *target,
		   int64_t timeout_ns);

/* Zeroed storage is fine. */
void rmi_probe_release(struct rmi_probe *p);

#endif
