/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe_parts: interfaces between the three files of rmi_probe.
 *
 * rmi_probe.c runs the steps.  rmi_diagnosis.c explains failures.
 * rmi_fallback.c searches for the JMX server at other addresses if the stub's
 * address is wrong.
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
	int64_t deadline_ns; /* of a step after the login, or of a fallback */
	bool server_is_tls;
	bool ignores_login; /* users need no password */
	bool may_execute;   /* the server does not deny all operations */
};

/* Sets the deadline of a new step. */
void rmi_probe_set_deadline(struct rmi_probe *p);

/* Resolves the address and connects by the probe's dialer; NULL and *err. */
struct rmi_transport *rmi_probe_dial(struct rmi_probe *p,
				     struct net_address *to, struct error *err);

/*
 * Calls a method with the given number of null arguments.  An exception is a
 * failure: ERROR_PERMISSION for a SecurityException.  Sets a verdict if the
 * call gets no reply, but not for an exception.
 */
int rmi_probe_invoke(struct rmi_probe *p, struct rmi_connection *c,
		     const struct stub *on, enum jmx_method method,
		     unsigned nulls, struct jrmp_return *r, struct error *err);

/* rmi_diagnosis: each function sets a verdict, and the fixes it knows. */

void rmi_judge_dns(struct rmi_probe *p);
void rmi_judge_tcp(struct rmi_probe *p, int sys);
/* The port does not speak RMI. */
void rmi_judge_protocol(struct rmi_probe *p, enum rmi_answer answer);
/* The RMI server greeted, and then sent no reply or an invalid one. */
void rmi_judge_silence(struct rmi_probe *p, int sys);
/* TLS with host failed; login.tls describes the handshake. */
void rmi_judge_tls(struct rmi_probe *p, const char *host,
		   const struct error *err);
/* The registry threw an exception. */
void rmi_judge_registry(struct rmi_probe *p, const struct java_value *thrown);
void rmi_judge_withheld(struct rmi_probe *p);
void rmi_judge_login(struct rmi_probe *p, const struct error *err);
void rmi_judge_filter(struct rmi_probe *p);
void rmi_judge_success(struct rmi_probe *p);

/*
 * Appends "[::1]:9010" for a command line.  A host with characters that are
 * special to a shell becomes "HOST".
 */
void rmi_add_target(struct text *out, const struct net_address *at);

/* rmi_fallback */

/* True for a loopback address or "localhost". */
bool rmi_is_loopback(const char *host);

/*
 * True for an address that leads each client to its own machine: a loopback
 * address, or 0.0.0.0 and ::, to which Linux connects like to loopback.
 */
bool rmi_is_own_machine(const char *host);

/* Why a stub's endpoint is not usable. */
struct rmi_failure {
	int sys;                /* errno of the connection, or 0 */
	bool is_unknown;        /* the host name does not resolve */
	bool is_answered;       /* a server answered, see answer */
	enum rmi_answer answer; /* RMI_JRMP: another JVM, or another port */
};

/*
 * Handles a stub whose endpoint does not lead to its object: searches for the
 * object at other addresses, and sets verdict and fixes.  Sets err->kind to
 * ERROR_REFUSED, because the target itself is reachable.
 */
void rmi_judge_unreachable(struct rmi_probe *p, const struct stub *stub,
			   const struct rmi_failure *f, struct error *err);

#endif
