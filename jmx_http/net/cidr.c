/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and compares ranges of addresses. */
#include "jmx_http/net/cidr.h"

#include "core/base/units.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

static int cidr_fail(const char *text, struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "invalid network '%s'; use an address or a range such as "
		    "10.0.0.0/8 or fd00::/8",
		    text);
}

/* True if the first `bits` bits of two addresses are equal. */
static bool addresses_match(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8;
	unsigned mask = 0xff00u >> bits % 8 & 0xffu;

	return memcmp(a, b, whole) == 0 &&
	       (bits % 8 == 0 || ((a[whole] ^ b[whole]) & mask) == 0);
}

/* Sets bits to 96, the prefix of IPv4 addresses in IPv6, or to 0. */
static bool cidr_read_address(struct cidr *c, const char *host)
{
	if (inet_pton(AF_INET6, host, c->address) == 1) {
		c->bits = 0;
		return true;
	}
	memcpy(c->address, mapped, sizeof(mapped));
	c->bits = 8 * sizeof(mapped);
	return inet_pton(AF_INET, host, c->address + sizeof(mapped)) == 1;
}

static bool cidr_is_clean(const struct cidr *c)
{
	uint8_t rest[16] = { 0 };

	memcpy(rest, c->address, (c->bits + 7) / 8);
	if (c->bits % 8)
		rest[c->bits / 8] &= (uint8_t)(0xff00u >> c->bits % 8);
	return memcmp(rest, c->address, sizeof(rest)) == 0;
}

int cidr_parse(struct cidr *c, const char *text, struct error *err)
{
	char host[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	uint64_t bits = UINT64_MAX;

	if (len >= sizeof(host))
		return cidr_fail(text, err);
	memcpy(host, text, len);
	host[len] = '\0';
	if (!cidr_read_address(c, host) ||
	    (slash && units_count(slash + 1, &bits, error_unused())))
		return cidr_fail(text, err);
	if (slash && bits > 128 - c->bits)
		return cidr_fail(text, err);
	c->bits = slash ? c->bits + (unsigned)bits : 128;
	if (!cidr_is_clean(c))
		return fail(err, ERROR_MISUSE,
			    "%s: the address has bits after the prefix", text);
	return 0;
}

static void address_copy(const struct sockaddr_storage *a, uint8_t out[16])
{
	if (a->ss_family == AF_INET6) {
		memcpy(out, &((const struct sockaddr_in6 *)a)->sin6_addr, 16);
		return;
	}
	memcpy(out, mapped, sizeof(mapped));
	memcpy(out + sizeof(mapped), &((const struct sockaddr_in *)a)->sin_addr,
	       4);
}

bool cidr_has(const struct cidr *c, const struct sockaddr_storage *a)
{
	uint8_t address[16];

	address_copy(a, address);
	return addresses_match(c->address, address, c->bits);
}

struct cidr cidr_of(const struct sockaddr_storage *a)
{
	struct cidr c = { .bits = 128 };

	address_copy(a, c.address);
	return c;
}

bool cidr_is_loopback(const struct sockaddr_storage *a)
{
	static const struct cidr four = {
		.address = { [10] = 0xff, [11] = 0xff, [12] = 127 },
		.bits = 8 * sizeof(mapped) + 8,
	};
	static const struct cidr six = { .address = { [15] = 1 }, .bits = 128 };

	return cidr_has(&four, a) || cidr_has(&six, a);
}
