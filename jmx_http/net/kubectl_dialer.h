/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl_dialer: connects to ports of a pod, forwarded as they are asked for.
 */
#ifndef JMX_HTTP_NET_KUBECTL_DIALER_H
#define JMX_HTTP_NET_KUBECTL_DIALER_H

#include "jmx_http/net/dialer.h"
#include "jmx_http/net/kubectl.h"

/*
 * Begins to forward a port at once.  What of options is borrowed, is copied.
 * NULL and *err: ERROR_UNAVAILABLE without a kubectl.
 */
struct dialer *kubectl_dialer_new(struct event_base *base,
				  const struct kubectl_options *options,
				  uint16_t port, struct error *err);

#endif
