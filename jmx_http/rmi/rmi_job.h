/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_job: one request on its way to its reply.
 *
 * Most are one call.  Of several attributes a JVM leaves those out that it
 * cannot give, without a reason; they are asked for again, each by itself.
 */
#ifndef JMX_HTTP_RMI_RMI_JOB_H
#define JMX_HTTP_RMI_RMI_JOB_H

#include "jmx_http/rmi/rmi_requests.h"

struct rmi_job {
	const struct jmx_request *request;
	size_t open;            /* its calls that have no return yet */
	struct jmx_reply reply; /* once there are none; of the arena */

	/* Private. */
	struct arena own, *arena;
	const struct value **values; /* of JMX_GET, one a name, or NULL */
};

/* arena: where the reply is made; NULL: in the job's own. */
void rmi_job_init(struct rmi_job *j, const struct jmx_request *request,
		  struct arena *arena);
void rmi_job_release(struct rmi_job *j);

/* The name that is asked for by the job's first call; or RMI_WHOLE. */
size_t rmi_job_begin(const struct rmi_job *j);

/* Takes the return of the call for that name. */
void rmi_job_take(struct rmi_job *j, size_t name, const struct jrmp_return *r);

/* The same when there is none: the kind of *err, and its text, are why. */
void rmi_job_fail(struct rmi_job *j, size_t name, const struct error *err);

/* The next name, from *at on, that is to be asked for by itself. */
bool rmi_job_lacks(const struct rmi_job *j, size_t *at);

/* Puts the reply together; all calls have returned. */
void rmi_job_finish(struct rmi_job *j);

#endif
