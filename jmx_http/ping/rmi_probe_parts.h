/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_probe_parts: what the parts of an rmi_probe share.
 *
 * Private to it: rmi_probe.c goes from step to step, rmi_probe_steps.c and
 * rmi_probe_server.c are the steps, to the registry and behind it,
 * rmi_verdict.c says what a failure means, rmi_elsewhere.c when clients are
 * sent elsewhere.
 */
#ifndef JMX_HTTP_PING_RMI_PROBE_PARTS_H
#define JMX_HTTP_PING_RMI_PROBE_PARTS_H

#include "jmx_http/ping/rmi_probe.h"
#include "jmx_http/rmi/methods.h"

/* What a step gives. */
enum {
	STEP_FAILED = -1,
	STEP_DONE = 0,
	STEP_SKIPPED = 1, /* there is nothing to do, nor to show */
};

/*
 * Fills detail with what it finds; *err and, where it knows more than the
 * table, the verdict when it fails.
 */
typedef int step_fn(struct rmi_probe *p, struct text *detail,
		    struct error *err);

step_fn rmi_step_dns, rmi_step_tcp, rmi_step_protocol, rmi_step_tls,
	rmi_step_registry, rmi_step_stub;
step_fn rmi_step_server, rmi_step_server_tls, rmi_step_version, rmi_step_login,
	rmi_step_session, rmi_step_mbean, rmi_step_round_trip;

/* Gives the step, or what comes after it, its whole time again. */
void rmi_probe_wind(struct rmi_probe *p);

/* Resolves and connects, to the place as it is, by the probe's dialer. */
struct rmi_transport *rmi_probe_dial(struct rmi_probe *p,
				     struct rmi_address *to, struct error *err);

/* For TLS as the options have it, made when it is needed; NULL and *err. */
SSL_CTX *rmi_probe_context(struct rmi_probe *p, struct error *err);

/*
 * Dials and shakes hands with host; p->tls is what was seen, in any case.  *c
 * may be closed in any case.
 */
int rmi_probe_secure(struct rmi_probe *p, struct rmi_address *to,
		     const char *host, struct rmi_connection *c,
		     struct text *detail, struct error *err);

/* Where clients are to go by a stub, or by what the options say instead. */
struct rmi_address rmi_probe_place(const struct rmi_probe *p,
				   const struct stub *stub);

/* True when the stub has clients speak TLS. */
bool rmi_probe_is_tls(const struct stub *stub);

/*
 * A call whose exception is a failure: ERROR_PERMISSION when it is one of
 * security.  What is no answer has its verdict, an exception has none.
 */
int rmi_probe_call(struct rmi_probe *p, struct rmi_connection *c,
		   const struct text *message, struct jrmp_return *r,
		   struct error *err);

/* A call of a method with that many nulls for its arguments. */
int rmi_probe_invoke(struct rmi_probe *p, struct rmi_connection *c,
		     const struct stub *on, enum jmx_method method,
		     unsigned nulls, struct jrmp_return *r, struct error *err);

/* "connected to 10.0.0.7:9010 from 10.0.0.1:50000" */
void rmi_probe_add_ends(struct text *detail, const struct rmi_connection *c);

/* Says what a failure means, and what to do: lines, or "". */
void rmi_judge(struct rmi_probe *p, const char *verdict, const char *remedy);

void rmi_judge_dns(struct rmi_probe *p);
void rmi_judge_tcp(struct rmi_probe *p, int sys);
/* Somebody else than RMI answers. */
void rmi_judge_stranger(struct rmi_probe *p, enum rmi_answer answer);
/* RMI greeted, and then gave no answer, or none that it has. */
void rmi_judge_silence(struct rmi_probe *p, int sys);
/* TLS with host, at a place, came to nothing; p->tls has what was seen. */
void rmi_judge_tls(struct rmi_probe *p, const struct rmi_address *at,
		   const char *host, const struct error *err);
/* What it means that an object is not there. */
void rmi_judge_registry(struct rmi_probe *p, const struct java_value *thrown);
void rmi_judge_login(struct rmi_probe *p, const struct error *err);
/* All went well. */
void rmi_judge_success(struct rmi_probe *p);

/* Whether the stub's host is the machine of who reads it: "127.0.0.1". */
bool rmi_is_loopback(const char *host);

/* How a place was not what a stub says that it is. */
struct rmi_failure {
	int sys;                /* of the connection, or 0 */
	bool is_unknown;        /* the name has no address */
	bool is_answered;       /* somebody was there: answer says who */
	enum rmi_answer answer; /* RMI_JRMP: another JVM, or port */
};

/*
 * Clients are sent where they do not get to the object: looks where it is
 * instead, and says what to do.  The target is there all the same: sets
 * err->kind so; gives -1.
 */
int rmi_judge_elsewhere(struct rmi_probe *p, const struct stub *stub,
			const struct rmi_failure *f, struct error *err);

#endif
