/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_operations: answers the requests of Jolokia clients from a JVM's
 * MBeans.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_OPERATIONS_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_OPERATIONS_H

#include "core/base/lines.h"
#include "core/base/text.h"
#include "jmx_http/target.h"

struct jolokia_operations {
	const struct jmx_target *target; /* borrowed */
	struct jmx *jmx;                 /* NULL: not connected */
};

/* Closes the connection to the JVM; zeroed storage is fine. */
void jolokia_operations_release(struct jolokia_operations *o);

/*
 * Appends the response to a POST, a JSON document: an object for a request, an
 * array for an array of requests.  Failures become error objects.  query: the
 * query of the URL, without "?".
 */
void jolokia_operations_post(struct jolokia_operations *o, struct line body,
			     struct line query, struct text *out);

/* As jolokia_operations_post() for a GET; target as jolokia_query_of_path(). */
void jolokia_operations_get(struct jolokia_operations *o, struct line target,
			    struct line query, struct text *out);

#endif
