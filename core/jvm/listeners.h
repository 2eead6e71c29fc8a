/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listeners: the TCP ports that a process listens on.
 *
 * /proc/PID/net/tcp and tcp6 have those of its network namespace, /proc/PID/fd
 * which of them are its own.
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
	/* With the port; an IPv4 address within an IPv6 one is an IPv4 one. */
	struct sockaddr_storage address;
	uint64_t inode; /* of the socket */
};

/* A zeroed struct is none. */
struct listeners {
	struct listener *list;
	size_t count, cap;
};

/*
 * Fills *l.  ERROR_NO_TARGET when the process has gone, ERROR_PERMISSION when
 * it may not be looked at.  listeners_release() is due in any case.
 */
int listeners_read(struct listeners *l, pid_t pid, struct error *err);

/* The one of that port, the first from *at on; moves *at on.  NULL: none. */
const struct listener *listeners_next(const struct listeners *l, uint16_t port,
				      size_t *at);

/* True when it takes connections from this machine alone. */
bool listener_is_loopback(const struct listener *l);

/* The port of an IPv4 or IPv6 address; 0 of others. */
uint16_t listener_port(const struct listener *l);

void listeners_release(struct listeners *l);

/*
 * Appends the sockets that listen, whoever has them, of the text of a
 * /proc/PID/net/tcp or tcp6.
 */
void listeners_parse(struct listeners *l, const char *text, size_t len);

#endif
