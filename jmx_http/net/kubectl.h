/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl: ports of a pod, forwarded by `kubectl port-forward`.
 *
 * One kubectl for each port, which chooses the local one.  A forward that ends,
 * as one does when a connection within the pod is refused or the pod is
 * replaced (kubernetes/kubernetes#74551), is started again, later each time.
 * What happens is said.
 */
#ifndef JMX_HTTP_NET_KUBECTL_H
#define JMX_HTTP_NET_KUBECTL_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <event2/event.h>
#include <stdint.h>

#define KUBECTL_FORWARDS_MAX 8
#define KUBECTL_START_S      20 /* for one to say where it listens */

struct kubectl_options {
	const char *pod;       /* "NAME", "deployment/NAME", …; copied */
	const char *namespace; /* or NULL; copied */
	/* What happens, a line without its end, foreign text in it. */
	void (*say)(void *self, const char *line);
	void *self;
};

/*
 * POD:PORT as its user gives it; *pod is to be freed.  ERROR_MISUSE without a
 * port, or for what kubectl would take for an option.
 */
int kubectl_parse(const char *text, char **pod, uint16_t *port,
		  struct error *err);

struct kubectl;

struct kubectl *kubectl_new(struct event_base *base,
			    const struct kubectl_options *options);

/* Its forwards end; whoever still waits is not called.  NULL is fine. */
void kubectl_free(struct kubectl *k);

/* local: a port of 127.0.0.1; or 0 and *err. */
typedef void kubectl_ready_fn(void *self, uint16_t local,
			      const struct error *err);

struct kubectl_wait;

/*
 * Calls fn, always later, once the pod's port is forwarded.  A forward that
 * never was is given up as soon as it fails, with ERROR_REFUSED, or
 * ERROR_UNAVAILABLE without a kubectl; one that was is waited for until
 * timeout_ns have passed.  NULL and *err when too many ports are forwarded.
 */
struct kubectl_wait *kubectl_ask(struct kubectl *k, uint16_t port,
				 int64_t timeout_ns, kubectl_ready_fn *fn,
				 void *self, struct error *err);

/* fn is not called any more.  Not after it was. */
void kubectl_cancel(struct kubectl_wait *w);

/* Appends what one has just said or ended with, foreign; or nothing. */
void kubectl_why(struct kubectl *k, struct text *out);

#endif
