/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listeners: the TCP ports that a process listens on.
 *
 * /proc/PID/net/tcp and tcp6 list the sockets of the network namespace;
 * /proc/PID/fd lists those of the process.
 */
#ifndef CORE_JVM_LISTENERS_H
#define CORE_JVM_LISTENERS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

struct listener {
	/* with the port; IPv4-mapped IPv6 addresses are stored as IPv4 */
	struct sockaddr_storage address;
	uint64_t inode; /* of the socket */
};

/* A zeroed struct is an empty list. */
struct listeners {
	struct listener *list;
	size_t count, cap;
};

/*
 * Fills *l. ERROR_NO_TARGET if the process has ended, ERROR_PERMISSION if it
 * must not be inspected. listeners_release() must follow in any case.
 */
int listeners_read(struct listeners *l, pid_t pid, struct error *err);

/*
 * Returns the first listener of a port from index *at on and sets *at behind
 * it; NULL if there is none.
 */
const struct listener *listeners_next(const struct listeners *l, uint16_t port,
				      size_t *at);

/* True for a loopback address. */
bool listener_is_loopback(const struct listener *l);

void listeners_release(struct listeners *l);

/* Appends all listening sockets in the text of a /proc/PID/net/tcp or tcp6. */
void listeners_parse(struct listeners *l, const char *text, size_t len);

#endif
