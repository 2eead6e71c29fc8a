/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay: forwards bytes between two connections, in both directions.
 *
 * At most RELAY_WAITING_MAX bytes wait in each direction: the relay pauses a
 * side whose peer reads slowly.  When one side stops sending, the relay shuts
 * down the other for writing, and the opposite direction continues.
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
 * Takes ownership of both connections: a bufferevent over a socket, whose
 * buffered input is forwarded first, and a non-blocking socket.  Calls ended
 * once, from the event loop, when both directions have ended; then the caller
 * calls relay_free().
 */
struct relay *relay_new(struct event_base *base, struct bufferevent *client,
			evutil_socket_t server, void (*ended)(void *self),
			void *self);
/* True if no byte waits, and none was forwarded for still_ns. */
bool relay_is_still(const struct relay *r, int64_t still_ns);

void relay_free(struct relay *r); /* NULL is fine */

#endif
