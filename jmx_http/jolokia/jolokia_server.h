/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_server: serves a JVM's MBeans by Jolokia's protocol on one
 * connection.
 *
 *	jolokia_server ── jolokia_operations ─┬─ jolokia_query   requests
 *	  HTTP/1.1       jolokia_change       ├─ jmx             to the JVM
 *	                  jolokia_answer      └─ jolokia_render  values as JSON
 *
 * It blocks, one request at a time, so it runs in a worker process behind the
 * HTTP proxy (worker_dialer_new()).  The proxy authenticates and limits the
 * clients, and delimits their requests.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_SERVER_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_SERVER_H

#include "core/base/lines.h"
#include "core/base/text.h"
#include "jmx_http/metrics/metrics.h"
#include "jmx_http/target.h"

/* Bytes of a request's body. */
#define JOLOKIA_BODY_MAX ((size_t)16 << 20)

/*
 * Serves requests on a blocking socket until the client closes it or sends an
 * invalid request; the caller closes fd.  Connects to the JVM at the first
 * request that needs the JVM, and keeps that connection.
 *
 * Serves the JVM's metrics at EXPOSITION_PATH.  To a Jolokia agent, for which
 * target->address is a URL, the request's Authorization header is passed on.
 */
void jolokia_server_run(const struct jmx_target *target,
			const struct metrics_options *metrics, int fd);

/* ---- jolokia_operations: answers requests from the MBeans of a JVM ---- */

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
