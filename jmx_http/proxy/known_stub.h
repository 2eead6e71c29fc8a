/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known_stub: a registry's answers for a JVM that has none.
 */
#ifndef JMX_HTTP_PROXY_KNOWN_STUB_H
#define JMX_HTTP_PROXY_KNOWN_STUB_H

#include "jmx_http/proxy/request.h"
#include "jmx_http/proxy/rewrite.h"

/*
 * Appends what a registry returns to a call of its lookup or list, with nothing
 * in it but "jmxrmi".
 */
void known_stub_answer(struct text *out, const struct request *r,
		       const struct stub *stub, const char *host, uint16_t port,
		       enum rewrite_tls tls);

#endif
