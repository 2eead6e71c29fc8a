/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_probe: fills a probe of a Jolokia agent over HTTP.
 *
 * The probe changes nothing in the JVM.  Suggested URLs were tested: an agent
 * answered there.
 */
#ifndef JMX_HTTP_PING_HTTP_PROBE_H
#define JMX_HTTP_PING_HTTP_PROBE_H

#include "jmx_http/ping/probe.h"
#include "jmx_http/target.h"

/*
 * Performs the steps of a client up to the first that fails; the result is in
 * *p.  as_given: options for the command line of a fix, " --cacert ca.pem".
 * Everything is borrowed.  -1 and *err when the probe cannot begin:
 * ERROR_MISUSE for an invalid URL, and as http_client_new().  probe_release()
 * is due.
 */
int http_probe_run(struct probe *p, const struct jmx_target *target,
		   const char *as_given, struct error *err);

#endif
