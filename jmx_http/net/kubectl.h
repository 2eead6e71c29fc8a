/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl: forwards ports of a pod by `kubectl port-forward`.
 *
 * Each port has its own kubectl, which chooses the local port.  A forward ends
 * when a connection within the pod is refused or when the pod is replaced
 * (kubernetes/kubernetes#74551); it is restarted after a pause that doubles.
 */
#ifndef JMX_HTTP_NET_KUBECTL_H
#define JMX_HTTP_NET_KUBECTL_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <event2/event.h>
#include <stdint.h>

#define KUBECTL_FORWARDS_MAX 8
#define KUBECTL_START_S      20 /* limit for kubectl to report its port */

struct kubectl_options {
	const char *pod;       /* "NAME", "deployment/NAME", …; copied */
	const char *namespace; /* or NULL; copied */
	/* Receives a message without newline; contains foreign text. */
	void (*report)(void *self, const char *line);
	void *self;
};

/*
 * Parses POD:PORT; the caller frees *pod.  -1 and ERROR_MISUSE if the port is
 * missing, or kubectl would parse the pod as an option.
 */
int kubectl_parse(const char *text, char **pod, uint16_t *port,
		  struct error *err);

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
 * Calls fn, from the event loop, when the pod's port is forwarded.  If a
 * forward that worked before has ended, waits for its restart until timeout_ns.
 * If the first forward of a port fails, fn gets ERROR_REFUSED, or
 * ERROR_UNAVAILABLE if kubectl is not installed.  NULL and *err if too many
 * ports are forwarded.
 */
struct kubectl_wait *kubectl_request(struct kubectl *k, uint16_t port,
				     int64_t timeout_ns, kubectl_ready_fn *fn,
				     void *self, struct error *err);

/* Drops a wait before its fn is called. */
void kubectl_cancel(struct kubectl_wait *w);

#endif
