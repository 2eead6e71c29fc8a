/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup_reply: registry replies on behalf of a JVM without a registry.
 */
#ifndef JMX_HTTP_PROXY_LOOKUP_REPLY_H
#define JMX_HTTP_PROXY_LOOKUP_REPLY_H

#include "jmx_http/proxy/request.h"
#include "jmx_http/proxy/rewrite.h"

/*
 * Appends what a registry returns to a call of its lookup or list, with nothing
 * in it but "jmxrmi".
 */
void lookup_reply_write(struct text *out, const struct request *r,
			const struct stub *stub, const char *host,
			uint16_t port, enum rewrite_tls tls);

#endif
