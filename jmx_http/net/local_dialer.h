/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local_dialer: connects to the local JMX connector of a JVM on this machine,
 * in whatever network the JVM is.
 *
 * The connector takes connections from its own loopback interface only.  Where
 * that is not ours, a child enters the JVM's network, connects, and hands the
 * socket over.
 */
#ifndef JMX_HTTP_NET_LOCAL_DIALER_H
#define JMX_HTTP_NET_LOCAL_DIALER_H

#include "core/jvm/jvm.h"
#include "jmx_http/net/dialer.h"

/*
 * Takes the JVM, which is zeroed, when it succeeds.  NULL and *err as
 * rmi_local_dialer().
 */
struct dialer *local_dialer_new(struct event_base *base, struct jvm *jvm,
				struct error *err);

const struct jvm *local_dialer_jvm(const struct dialer *d);

#endif
