/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay: bytes between two connections, both ways, as they are.
 *
 * As fast as the slower one: no more than RELAY_WAITING_MAX bytes wait either
 * way.  Who says that it sends no more is told on, and the other way goes on.
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
 * Takes both: a bufferevent over a socket, what it has read being the first to
 * pass, and a socket that does not block.  ended is called once, from the loop,
 * when nothing more passes; relay_free() is still due.
 */
struct relay *relay_new(struct event_base *base, struct bufferevent *client,
			evutil_socket_t server, void (*ended)(void *self),
			void *self);
/* True when nothing waits and nothing has passed for still_ns. */
bool relay_is_still(const struct relay *r, int64_t still_ns);

void relay_free(struct relay *r); /* NULL is fine */

#endif
