/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: the result of a connection test, for any protocol.
 *
 * A probe has the steps of a JMX client, with their durations, up to the first
 * step that fails; a verdict; and fixes, tested beforehand where possible.
 */
#ifndef JMX_HTTP_PING_PROBE_H
#define JMX_HTTP_PING_PROBE_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jmx_http/net/tls.h"
#include "jmx_http/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_STEPS_MAX 16

/* Texts are foreign. */
struct probe_step {
	const char *name; /* "dns", "tcp", …; static */
	bool ok;
	int64_t ns;         /* duration */
	struct text detail; /* the findings, or the reason of the failure */
	struct text certificate; /* the peer's, of a TLS step; or empty */
};

struct probe {
	struct probe_step steps[PROBE_STEPS_MAX];
	size_t step_count;
	struct text verdict;  /* foreign */
	struct text remedy;   /* a fix on each line; or empty */
	enum error_kind kind; /* of the failure; ERROR_NONE: all steps passed */

	/* Private from here on. */
	int64_t begun_ns;
};

/* Begins a step.  Returns its detail, which the caller fills. */
struct text *probe_begin(struct probe *p, const char *name);

/* Ends the current step as passed. */
void probe_end(struct probe *p);

/*
 * Ends the current step as failed.  Appends the error's text to the detail.
 * means becomes the verdict unless the probe has one.
 */
void probe_fail(struct probe *p, const char *means, const struct error *err);

/* Sets the verdict and the fixes, one on each line; no fix: "". */
void probe_judge(struct probe *p, const char *verdict, const char *remedy);

/* Judges an errno of connect(2) that says that the host is not reached. */
void probe_judge_unreached(struct probe *p, int sys);

/*
 * Describes a TLS handshake with host in the step that was begun, whether or
 * not the handshake succeeded.  The host is that of the address; the options
 * may require another name, or none.
 */
void probe_add_tls(struct probe *p, const struct tls_report *tls,
		   const char *host, const struct tls_options *options);

/* Zeroed storage is fine. */
void probe_release(struct probe *p);

/* ---- JMX over RMI: changes nothing, and closes its session ---- */

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

/* ---- a Jolokia agent: changes nothing; suggested URLs were tested ---- */

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
