/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe: how far a JMX client gets with a JVM, step by step.
 *
 * Each step is one that a client takes, timed; the first that fails ends it,
 * with a verdict in words and, where one is known, a remedy, which was tried
 * where that can be.  Nothing in the JVM is changed: the session that it may
 * come to is closed.
 */
#ifndef JMX_HTTP_PING_RMI_PROBE_H
#define JMX_HTTP_PING_RMI_PROBE_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/tls.h"
#include "jmx_http/rmi/rmi_client.h"
#include "jmx_http/rmi/rmi_connection.h"
#include "jmx_http/rmi/stub.h"

#include <stdbool.h>
#include <stdint.h>

#define RMI_PROBE_STEPS_MAX 16

struct rmi_probe_step {
	const char *name; /* "dns", "tcp", …; see the table of rmi_probe.c */
	bool ok;
	int64_t ns;
	/*
	 * What was found, and what went wrong; of TLS, the certificate.
	 * Foreign.
	 */
	struct text detail, certificate;
};

/* All of it is borrowed while the probe runs. */
struct rmi_probe_options {
	const char *target; /* as rmi_client_options has it */
	/* Options of TLS, for a remedy's command line: " --cacert ca.pem". */
	const char *as_given;
	struct rmi_credentials credentials;
	struct tls_options tls;
	bool force_host, force_port;
	int64_t timeout_ns; /* of each step */
	/* Who connects, and looks names up; NULL: by TCP, from here. */
	struct dialer *dialer;
	/*
	 * Of a JVM of this machine, when that is from within its network: its
	 * pid, and whose certificate its registry is to have; or NULL.
	 */
	const char *pid, *host;
};

struct rmi_probe {
	struct rmi_probe_step steps[RMI_PROBE_STEPS_MAX];
	size_t step_count;
	struct text verdict;  /* foreign */
	struct text remedy;   /* a line each; or empty */
	enum error_kind kind; /* of the failure; ERROR_NONE: all went well */

	/* Private from here on; rmi_probe_parts.h. */
	const struct rmi_probe_options *options;
	int64_t deadline_ns; /* of the step */
	SSL_CTX *context;
	struct rmi_target target;
	struct sockaddr_storage registry_peer;
	bool registry_is_tls, server_is_tls;
	struct tls_report tls; /* of the last handshake */
	struct rmi_connection registry, server;
	struct java_stream given; /* what a URL with a stub holds */
	struct jrmp_return looked_up, opened;
	struct stub stub, session;
	bool has_session;
};

/*
 * Goes as far as it can.  What it comes to is in *p; it fails only when it
 * cannot begin: ERROR_MISUSE for a target that is none, and as
 * tls_client_context().  rmi_probe_release() is due in any case.
 */
int rmi_probe_run(struct rmi_probe *p, const struct rmi_probe_options *options,
		  struct error *err);

/* Zeroed storage is fine. */
void rmi_probe_release(struct rmi_probe *p);

#endif
