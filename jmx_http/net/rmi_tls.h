/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_tls: TLS around another transport.
 */
#ifndef JMX_HTTP_NET_RMI_TLS_H
#define JMX_HTTP_NET_RMI_TLS_H

#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/net/tls.h"

/*
 * Shakes hands over t as a client.  host is who the certificate is to be of,
 * and is sent as the server's name unless it is an address.  Takes t in any
 * case.  NULL and *err on failure: ERROR_REFUSED, and ERROR_PERMISSION when a
 * certificate of ours is wanted or not taken.  *report is filled as far as it
 * went, unless NULL; tls_report_release() is due.
 *
 * A server with TLS 1.3 may refuse our certificate only when it is first
 * read from: that is a failure of that read, which has the alert's words.
 */
struct rmi_transport *rmi_tls_connect(struct rmi_transport *t, SSL_CTX *context,
				      const char *host, int64_t deadline_ns,
				      struct tls_report *report,
				      struct error *err);

#endif
