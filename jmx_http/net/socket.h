/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: options and addresses of the proxy's connections.
 */
#ifndef JMX_HTTP_NET_SOCKET_H
#define JMX_HTTP_NET_SOCKET_H

#include "core/base/text.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>

/*
 * Sends small messages at once, and detects a dead peer after 60 s: keep-alive
 * after 30 s, three probes 10 s apart.
 */
void socket_set(int fd);

/* Makes close(2) reset the connection. */
void socket_reset_on_close(int fd);

/* Appends the host without brackets or zone: "127.0.0.1", "::1". */
void socket_add_host(struct text *out, const struct sockaddr_storage *a);
uint16_t socket_port(const struct sockaddr_storage *a);

struct timeval socket_timeval(int64_t ns);

/*
 * Moves bytes that libssl has already decrypted to the input of b.  Call it
 * when reading resumes, because libevent watches only the socket.  False if
 * there are no such bytes.
 */
bool socket_pull(struct bufferevent *b);

/*
 * Sends bytes, and empties them.  Libevent writes only after another turn of
 * its loop, so this writes at once as much as the socket takes.
 */
void socket_send(struct bufferevent *to, struct evbuffer *bytes);

/*
 * Moves bytes that have arrived to `to` until it holds max bytes.  Libevent
 * reads 4 KiB a turn.  False when nothing was moved.
 */
bool socket_fill(struct bufferevent *from, struct evbuffer *to, size_t max);

#endif
