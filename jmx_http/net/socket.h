/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: what every connection of the proxy is set to, and who is at its ends.
 */
#ifndef JMX_HTTP_NET_SOCKET_H
#define JMX_HTTP_NET_SOCKET_H

#include "core/base/text.h"

#include <event2/bufferevent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>

/*
 * No delays of small messages; and a peer that is silent for 60 s is asked
 * whether it is there: idle 30 s, three times 10 s.
 */
void socket_set(int fd);

/* The next close(2) is a reset. */
void socket_reset_on_close(int fd);

/* The host alone, without brackets or a zone: "127.0.0.1", "::1". */
void socket_add_host(struct text *out, const struct sockaddr_storage *a);
uint16_t socket_port(const struct sockaddr_storage *a);

struct timeval socket_timeval(int64_t ns);

/*
 * Takes what TLS has deciphered and libevent, which looks at the socket only,
 * would leave there after it was told to read no more for a while.  False when
 * there is none.
 */
bool socket_pull(struct bufferevent *b);

#endif
