/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe_parts: what the parts of an rmi_probe share.
 *
 * Private to it: rmi_probe.c runs the steps, rmi_diagnosis.c explains failures,
 * rmi_fallback.c looks for the server where a stub does not lead.
 */
#ifndef JMX_HTTP_PING_RMI_PROBE_PARTS_H
#define JMX_HTTP_PING_RMI_PROBE_PARTS_H

#include "jmx_http/ping/probe.h"
#include "jmx_http/rmi/login.h"
#include "jmx_http/rmi/methods.h"

struct rmi_probe {
	struct probe *report;
	const char *as_given, *pid; /* of the rmi_probe_options */
	struct rmi_access access;
	struct rmi_login login;
	int64_t deadline_ns; /* of a step behind the login, or of a fallback */
	bool server_is_tls;
};

/* Gives a step its whole time. */
void rmi_probe_wind(struct rmi_probe *p);

/* Resolves and connects, by the probe's dialer; NULL and *err. */
struct rmi_transport *rmi_probe_dial(struct rmi_probe *p,
				     struct net_address *to, struct error *err);

/*
 * Calls a method with that many nulls for its arguments.  An exception is a
 * failure: ERROR_PERMISSION for a SecurityException.  A call without a reply
 * has its verdict, an exception has none.
 */
int rmi_probe_invoke(struct rmi_probe *p, struct rmi_connection *c,
		     const struct stub *on, enum jmx_method method,
		     unsigned nulls, struct jrmp_return *r, struct error *err);

/* rmi_diagnosis: each sets a verdict and fixes where it knows some. */

void rmi_judge_dns(struct rmi_probe *p);
void rmi_judge_tcp(struct rmi_probe *p, int sys);
/* Something other than RMI answers. */
void rmi_judge_stranger(struct rmi_probe *p, enum rmi_answer answer);
/* RMI greeted, and then sent no reply, or an invalid one. */
void rmi_judge_silence(struct rmi_probe *p, int sys);
/* TLS with host failed; login.tls has what was seen. */
void rmi_judge_tls(struct rmi_probe *p, const char *host,
		   const struct error *err);
/* The registry threw that. */
void rmi_judge_registry(struct rmi_probe *p, const struct java_value *thrown);
void rmi_judge_withheld(struct rmi_probe *p);
void rmi_judge_login(struct rmi_probe *p, const struct error *err);
void rmi_judge_success(struct rmi_probe *p);

/*
 * Appends "[::1]:9010" for a command line; a host that a shell could take for
 * something else becomes "HOST".
 */
void rmi_add_target(struct text *out, const struct net_address *at);

/* rmi_fallback */

/* True for a host that means the reader's own machine: "127.0.0.1". */
bool rmi_is_loopback(const char *host);

/* How an endpoint was not what a stub says. */
struct rmi_failure {
	int sys;                /* of the connection, or 0 */
	bool is_unknown;        /* the name has no address */
	bool is_answered;       /* something was there: answer says what */
	enum rmi_answer answer; /* RMI_JRMP: another JVM, or port */
};

/*
 * Clients are sent where they do not reach the object: looks for it elsewhere,
 * and sets verdict and fixes.  Sets err->kind to ERROR_REFUSED, as the target
 * itself is there.
 */
void rmi_judge_elsewhere(struct rmi_probe *p, const struct stub *stub,
			 const struct rmi_failure *f, struct error *err);

#endif
