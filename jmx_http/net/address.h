/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net_address: a host and a port, and the addresses of the host.
 */
#ifndef JMX_HTTP_NET_ADDRESS_H
#define JMX_HTTP_NET_ADDRESS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define NET_HOST_MAX      255
#define NET_ADDRESSES_MAX 8 /* addresses of a host; others are ignored */

struct net_address {
	char host[NET_HOST_MAX + 1];
	uint16_t port;
	/* The addresses with the port, in order of preference. */
	struct sockaddr_storage list[NET_ADDRESSES_MAX];
	size_t count;
};

/* Parses "host:port", "1.2.3.4:port", "[::1]:port"; -1 and ERROR_MISUSE. */
int net_address_parse(struct net_address *a, const char *text,
		      struct error *err);

/*
 * Resolves the host and fills the list.  -1 and *err: ERROR_NO_TARGET if the
 * host has no address, ERROR_REFUSED if the deadline, of clock_monotonic_ns(),
 * passes.  getaddrinfo(3) has no deadline, so a child process calls it and is
 * killed at the deadline.
 */
int net_address_resolve(struct net_address *a, int64_t deadline_ns,
			struct error *err);

/*
 * Parses and resolves an address to listen on: "[HOST:]PORT"; without a host,
 * 127.0.0.1.  Port 0 is valid: the kernel chooses one.  ERROR_MISUSE, and the
 * errors of net_address_resolve().
 */
int net_address_parse_bind(struct sockaddr_storage *to, const char *text,
			   int64_t deadline_ns, struct error *err);

/* Appends "127.0.0.1:9010", "[::1]:9010". */
void net_address_add(struct text *out, const struct sockaddr_storage *one);

/* True for 0.0.0.0 and ::, which stand for all addresses of this machine. */
bool net_address_is_any(const struct sockaddr_storage *a);

#endif
