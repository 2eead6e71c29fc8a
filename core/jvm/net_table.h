/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net_table: the sockets of a network namespace, as /proc/PID/net/tcp, tcp6,
 * udp and udp6 list them; proc_net_tcp.txt of the kernel's documentation.
 */
#ifndef CORE_JVM_NET_TABLE_H
#define CORE_JVM_NET_TABLE_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* One end of a socket: an address with its port. A zeroed one is unknown:
 * AF_UNSPEC. */
union net_end {
	sa_family_t family;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* tcp_states.h of the kernel. */
enum {
	NET_SYN_SENT = 0x02,
	NET_LISTEN = 0x0a,
};

struct net_socket {
	/* IPv4-mapped IPv6 addresses are stored as IPv4. */
	union net_end local, remote;
	unsigned state;
	uint64_t inode; /* 0: no process has it open */
};

/* Parses a line of such a table. False for others, such as the heading. */
bool net_table_parse(struct line line, struct net_socket *out);

/*
 * Parses a link of /proc/PID/fd: "socket:[12345]", with kind "socket:". False
 * for other links.
 */
bool net_link_parse(const char *link, size_t len, const char *kind,
		    uint64_t *inode);

/* Parses a whole word as a number; false if it is invalid or too large. */
bool net_number_parse(struct line word, int base, uint64_t *value);

/* The port; 0 if the address is unknown. */
uint16_t net_end_port(const union net_end *a);

/* True for 0.0.0.0 and [::]. */
bool net_end_is_any(const union net_end *a);

/* Appends "10.1.2.3:5432" or "[::1]:5432"; nothing if it is unknown. */
void net_end_text(const union net_end *a, struct text *out);

#endif
