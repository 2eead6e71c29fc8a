/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_agent: the connections of the HTTP proxy to one Jolokia agent.
 *
 * A connection serves one request at a time.  Afterwards it is idle for a few
 * seconds, for the next request of any client; idle connections are bounded.
 */
#ifndef JMX_HTTP_PROXY_HTTP_AGENT_H
#define JMX_HTTP_PROXY_HTTP_AGENT_H

#include "jmx_http/proxy/backend.h"

#define HTTP_IDLE_MAX    32                 /* idle connections to an agent */
#define HTTP_WAITING_MAX ((size_t)64 << 10) /* bytes in each direction */

/* An agent.  The owner sets the upper part, and calls http_agent_init(). */
struct http_agent {
	struct backend_context to; /* without events; a TLS context: by TLS */
	uint16_t port;

	/* Private. */
	struct backend_list idle, dialling; /* dialling: oldest first */
	size_t idle_count;
};

void http_agent_init(struct http_agent *a);

/* Closes the idle connections of an agent. */
void http_agent_release(struct http_agent *a);

/*
 * Returns a connection that is idle, or starts to connect; may_reuse: false
 * for a new one in any case.  b->in receives the bytes of http_agent_fill().
 */
struct backend *http_agent_connect(struct http_agent *a, bool may_reuse,
				   const struct backend_events *events,
				   void *self);

/* The number of bytes that wait to be written to the agent. */
size_t http_agent_waiting(const struct backend *b);

/* Reads more, at most HTTP_WAITING_MAX; false when nothing more has come. */
bool http_agent_fill(struct backend *b);

/*
 * Keeps the connection for another request, or gives it to a backend that waits
 * for a connection of a bounded dialer; no callback for b follows.
 */
void http_agent_put_back(struct backend *b);

#endif
