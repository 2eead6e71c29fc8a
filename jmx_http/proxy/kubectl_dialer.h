/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl_dialer: connects to ports of a pod, forwarded as they are asked for.
 */
#ifndef JMX_HTTP_PROXY_KUBECTL_DIALER_H
#define JMX_HTTP_PROXY_KUBECTL_DIALER_H

#include "jmx_http/proxy/dialer.h"
#include "jmx_http/proxy/kubectl.h"

struct dialer *kubectl_dialer_new(struct event_base *base,
				  const struct kubectl_options *options);

#endif
