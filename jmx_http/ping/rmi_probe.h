/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe: fills a probe of JMX over RMI.
 *
 * Nothing in the JVM is changed: a session that is opened is closed again.
 */
#ifndef JMX_HTTP_PING_RMI_PROBE_H
#define JMX_HTTP_PING_RMI_PROBE_H

#include "jmx_http/ping/probe.h"
#include "jmx_http/target.h"

/* All of it is borrowed while the probe runs. */
struct rmi_probe_options {
	struct jmx_target target;
	/* TLS options for the command line of a fix: " --cacert ca.pem". */
	const char *as_given;
	/*
	 * For a JVM of this machine that is probed from within its network:
	 * its pid, and the host in its registry's certificate; or NULL.
	 */
	const char *pid, *host;
};

/*
 * Goes as far as it can; the result is in *p.  Fails only when it cannot begin:
 * ERROR_MISUSE for an invalid address, and as tls_client_context().
 * probe_release() is due in any case.
 */
int rmi_probe_run(struct probe *p, const struct rmi_probe_options *options,
		  struct error *err);

#endif
