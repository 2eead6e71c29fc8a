/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay: passes bytes between two connections, in both directions, unchanged.
 *
 * It is as fast as the slower side: at most RELAY_WAITING_MAX bytes wait in
 * each direction.  When one side stops sending, the other is shut down for
 * writing, and the opposite direction continues.
 */
#ifndef JMX_HTTP_PROXY_RELAY_H
#define JMX_HTTP_PROXY_RELAY_H

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#define RELAY_WAITING_MAX ((size_t)64 << 10)

struct relay;

/*
 * Takes both connections: a bufferevent over a socket, whose input passes
 * first, and a non-blocking socket.  Calls ended once, from the loop, when both
 * directions have ended; relay_free() is still due.
 */
struct relay *relay_new(struct event_base *base, struct bufferevent *client,
			evutil_socket_t server, void (*ended)(void *self),
			void *self);
/* True when nothing waits and nothing has passed for still_ns. */
bool relay_is_still(const struct relay *r, int64_t still_ns);

void relay_free(struct relay *r); /* NULL is fine */

#endif
