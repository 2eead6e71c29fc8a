/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/net_table.h"

#include "core/base/ascii.h"

#include <arpa/inet.h>
#include <string.h>

bool net_number_parse(struct line word, int base, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < word.len; i++) {
		int digit = hex_digit(word.text[i]);

		if (digit < 0 || digit >= base ||
		    __builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
	}
	*value = sum;
	return word.len > 0;
}

/* Each word of an address is in host byte order. */
static bool net_bytes_parse(struct line hex, uint8_t *bytes)
{
	for (size_t i = 0; i < hex.len / 8; i++) {
		uint64_t value;
		uint32_t word;

		if (!net_number_parse((struct line){ hex.text + 8 * i, 8 }, 16,
				      &value))
			return false;
		word = (uint32_t)value;
		memcpy(bytes + 4 * i, &word, 4);
	}
	return true;
}

/* "0100007F:1F90", or with 32 digits before the colon. */
static bool net_end_parse(struct line word, union net_end *out)
{
	struct line hex = line_cut(&word, ':');
	struct in6_addr bytes;
	uint64_t port;

	*out = (union net_end){ .six = { 0 } };
	if ((hex.len != 8 && hex.len != 32) || word.len != 4 ||
	    !net_number_parse(word, 16, &port) ||
	    !net_bytes_parse(hex, bytes.s6_addr))
		return false;
	if (hex.len == 32 && !IN6_IS_ADDR_V4MAPPED(&bytes)) {
		out->six.sin6_family = AF_INET6;
		out->six.sin6_port = htons((uint16_t)port);
		out->six.sin6_addr = bytes;
		return true;
	}
	out->four.sin_family = AF_INET;
	out->four.sin_port = htons((uint16_t)port);
	memcpy(&out->four.sin_addr, bytes.s6_addr + (hex.len == 32 ? 12 : 0),
	       4);
	return true;
}

/* Indices of the words that are used. */
enum {
	COLUMN_LOCAL = 1,
	COLUMN_REMOTE = 2,
	COLUMN_STATE = 3,
	COLUMN_INODE = 9,
	COLUMN_COUNT
};

/*
 * A line reads "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000
 * 00000000 0 0 12345 …": slot, local and remote address, state, queues, timer,
 * retries, uid, timeout, inode.
 */
bool net_table_parse(struct line line, struct net_socket *out)
{
	struct line words[COLUMN_COUNT];
	uint64_t state;

	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		line = line_trimmed(line);
		words[i] = line_cut(&line, ' ');
	}
	if (!net_end_parse(words[COLUMN_LOCAL], &out->local) ||
	    !net_end_parse(words[COLUMN_REMOTE], &out->remote) ||
	    !net_number_parse(words[COLUMN_STATE], 16, &state) ||
	    !net_number_parse(words[COLUMN_INODE], 10, &out->inode))
		return false;
	out->state = (unsigned)state;
	return true;
}

bool net_link_parse(const char *link, size_t len, const char *kind,
		    uint64_t *inode)
{
	size_t prefix = strlen(kind);

	return len > prefix + 2 && memcmp(link, kind, prefix) == 0 &&
	       link[prefix] == '[' && link[len - 1] == ']' &&
	       net_number_parse(
		       (struct line){ link + prefix + 1, len - prefix - 2 }, 10,
		       inode);
}

uint16_t net_end_port(const union net_end *a)
{
	if (a->family == AF_INET6)
		return ntohs(a->six.sin6_port);
	return a->family == AF_INET ? ntohs(a->four.sin_port) : 0;
}

bool net_end_is_any(const union net_end *a)
{
	return a->family == AF_INET6
		       ? IN6_IS_ADDR_UNSPECIFIED(&a->six.sin6_addr)
		       : a->family == AF_INET && !a->four.sin_addr.s_addr;
}

void net_end_text(const union net_end *a, struct text *out)
{
	char host[INET6_ADDRSTRLEN];

	if (a->family == AF_INET6) {
		inet_ntop(AF_INET6, &a->six.sin6_addr, host, sizeof(host));
		text_printf(out, "[%s]:%u", host, net_end_port(a));
	} else if (a->family == AF_INET) {
		inet_ntop(AF_INET, &a->four.sin_addr, host, sizeof(host));
		text_printf(out, "%s:%u", host, net_end_port(a));
	}
}
