/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl: forwards ports of one pod by `kubectl port-forward`.
 *
 * `kubectl get` resolves the target (a pod, service, deployment, …) to one pod,
 * and all ports are forwarded to this pod.  Each port has its own kubectl,
 * which chooses the local port.
 *
 *	UNKNOWN -- a request --> READING -- the pod --> KNOWN
 *	                          ^   |                   |
 *	              a pause ends|   |fails              |a forward ended
 *	                          |   v                   |
 *	                         PAUSED <-----------------'
 *
 * A forward ends when a connection within the pod is refused or when the pod
 * has ended (kubernetes/kubernetes#74551).  Then the target is resolved again.
 * If it is another pod, all forwards of the previous pod end.  The forward of
 * the target's port is always restarted, other forwards are on request.
 */
#ifndef JMX_HTTP_NET_KUBECTL_H
#define JMX_HTTP_NET_KUBECTL_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <event2/event.h>
#include <stdint.h>

#define KUBECTL_FORWARDS_MAX 8
#define KUBECTL_START_S      20 /* limit of a kubectl to reply */

struct kubectl_options {
	const char *pod; /* "NAME", "deployment/NAME", …; copied */
	/* A number or a name: of a service's port, else the pod's; copied. */
	const char *port;
	/* As kubectl's options; or NULL; copied. */
	const char *namespace, *context, *kubeconfig;
	/* Receives a message without newline; contains foreign text. */
	void (*report)(void *self, const char *line);
	void *self;
};

/*
 * Parses POD:PORT; the caller frees *pod and *port.  -1 and ERROR_MISUSE if the
 * port is missing, or kubectl would parse the pod as an option.
 */
int kubectl_parse(const char *text, char **pod, char **port, struct error *err);

struct kubectl;

/* Creates an object without forwards. */
struct kubectl *kubectl_new(struct event_base *base,
			    const struct kubectl_options *options);

/* Ends all forwards; drops waits without calling them.  NULL is fine. */
void kubectl_free(struct kubectl *k);

/* local is a port of 127.0.0.1; or 0, and err is the reason. */
typedef void kubectl_ready_fn(void *self, uint16_t local,
			      const struct error *err);

struct kubectl_wait;

/*
 * Calls fn, from the event loop, when a port of the pod is forwarded; port 0 is
 * the target's.  While no forward has ever worked, the first failure ends the
 * wait: ERROR_REFUSED, or ERROR_UNAVAILABLE if kubectl is not installed.
 * Later, a wait lasts until timeout_ns.  If the pod is replaced, waits for
 * other ports than the target's fail, because the new pod has not named them.
 */
struct kubectl_wait *kubectl_request(struct kubectl *k, uint16_t port,
				     int64_t timeout_ns, kubectl_ready_fn *fn,
				     void *self);

/* Drops a wait before its fn is called. */
void kubectl_cancel(struct kubectl_wait *w);

/* The target's port in the pod; 0 before the pod is known. */
uint16_t kubectl_port(const struct kubectl *k);

/* The number of times that the pod was replaced. */
unsigned kubectl_replacements(const struct kubectl *k);

/*
 * A forwarded connection has just ended without a reply: waits from now on last
 * until the target was resolved again.
 */
void kubectl_doubt(struct kubectl *k);

/* Appends why a forward or kubectl has failed in the last seconds; foreign. */
void kubectl_why(struct kubectl *k, struct text *out);

#endif
