/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cidr: a range of addresses: "10.0.0.0/8", "fd00::/8", "192.0.2.7".
 */
#ifndef JMX_HTTP_NET_CIDR_H
#define JMX_HTTP_NET_CIDR_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct cidr {
	uint8_t address[16]; /* IPv6; IPv4 is ::ffff:1.2.3.4 */
	unsigned bits;       /* length of the prefix, of 128 */
};

/* -1 and ERROR_MISUSE if text is invalid or has bits after the prefix. */
int cidr_parse(struct cidr *c, const char *text, struct error *err);

/* True if the range contains the address. */
bool cidr_has(const struct cidr *c, const struct sockaddr_storage *a);

/* The range of one address; IPv4 equals its IPv6 form, ::ffff:1.2.3.4. */
struct cidr cidr_of(const struct sockaddr_storage *a);

/* True for 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104. */
bool cidr_is_loopback(const struct sockaddr_storage *a);

#endif
