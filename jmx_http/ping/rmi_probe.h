/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe: fills a probe of JMX over RMI.
 *
 * The probe changes nothing in the JVM, and closes the session that it opens.
 */
#ifndef JMX_HTTP_PING_RMI_PROBE_H
#define JMX_HTTP_PING_RMI_PROBE_H

#include "jmx_http/ping/probe.h"
#include "jmx_http/target.h"

/* All pointers are borrowed while the probe runs. */
struct rmi_probe_options {
	struct jmx_target target;
	/* TLS options for the command line of a fix: " --cacert ca.pem". */
	const char *as_given;
	/*
	 * If a JVM of this machine is probed from within its network namespace:
	 * its PID, and the host that its registry's certificate names.  Else
	 * NULL.
	 */
	const char *pid, *host;
};

/*
 * Runs the steps until one fails, and fills *p.  -1 and *err only if no step
 * can run: ERROR_MISUSE for an invalid address, or the errors of
 * tls_client_context().  The caller calls probe_release() in either case.
 */
int rmi_probe_run(struct probe *p, const struct rmi_probe_options *options,
		  struct error *err);

#endif
