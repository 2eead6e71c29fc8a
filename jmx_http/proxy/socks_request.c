/* SPDX-License-Identifier: Apache-2.0 */
/* Parses greetings and requests, and writes replies. */
#include "jmx_http/proxy/socks_request.h"

#include "core/base/cursor.h"

#include <arpa/inet.h>
#include <string.h>

#define VERSION      5
#define NO_PASSWORD  0
#define NO_METHOD    0xff
#define COMMAND      1 /* CONNECT */
#define ADDRESS_IPV4 1
#define ADDRESS_NAME 3
#define ADDRESS_IPV6 4

enum socks_status socks_read_greeting(const uint8_t *bytes, size_t len,
				      size_t *used)
{
	struct cursor c = cursor_over(bytes, len);
	uint8_t version = cursor_u8(&c), count;
	const uint8_t *methods;

	if (len && version != VERSION)
		return SOCKS_WRONG;
	count = cursor_u8(&c);
	methods = cursor_bytes(&c, count);
	if (!cursor_ok(&c))
		return SOCKS_MORE;
	*used = cursor_offset(&c);
	return count && memchr(methods, NO_PASSWORD, count) ? SOCKS_DONE
							    : SOCKS_NO_METHOD;
}

/* Reads a host name, which must not be empty or contain a NUL. */
static enum socks_status socks_read_name(struct cursor *c,
					 struct socks_request *r)
{
	uint8_t len = cursor_u8(c);
	const uint8_t *name = cursor_bytes(c, len);

	if (!cursor_ok(c))
		return SOCKS_MORE;
	if (!len || memchr(name, 0, len))
		return SOCKS_WRONG;
	memcpy(r->host, name, len);
	r->host[len] = '\0';
	return SOCKS_DONE;
}

static enum socks_status socks_read_address(struct cursor *c, int family,
					    size_t len, struct socks_request *r)
{
	const uint8_t *address = cursor_bytes(c, len);

	if (!address)
		return SOCKS_MORE;
	inet_ntop(family, address, r->host, sizeof(r->host));
	return SOCKS_DONE;
}

static enum socks_status socks_read_host(struct cursor *c, uint8_t kind,
					 struct socks_request *r)
{
	switch (kind) {
	case ADDRESS_IPV4:
		return socks_read_address(c, AF_INET, 4, r);
	case ADDRESS_IPV6:
		return socks_read_address(c, AF_INET6, 16, r);
	case ADDRESS_NAME:
		return socks_read_name(c, r);
	default:
		return SOCKS_NO_ADDRESS;
	}
}

enum socks_status socks_read_request(const uint8_t *bytes, size_t len,
				     struct socks_request *r, size_t *used)
{
	struct cursor c = cursor_over(bytes, len);
	uint8_t version = cursor_u8(&c), command, kind;
	enum socks_status status;

	if (len && version != VERSION)
		return SOCKS_WRONG;
	command = cursor_u8(&c);
	cursor_skip(&c, 1);
	kind = cursor_u8(&c);
	if (!cursor_ok(&c))
		return SOCKS_MORE;
	if (command != COMMAND)
		return SOCKS_NO_COMMAND;
	status = socks_read_host(&c, kind, r);
	if (status != SOCKS_DONE)
		return status;
	r->port = cursor_u16(&c);
	if (!cursor_ok(&c))
		return SOCKS_MORE;
	*used = cursor_offset(&c);
	return SOCKS_DONE;
}

void socks_add_method(struct text *out, enum socks_status status)
{
	text_putc(out, VERSION);
	text_putc(out, (char)(status == SOCKS_DONE ? NO_PASSWORD : NO_METHOD));
}

void socks_add_reply(struct text *out, enum socks_reply reply)
{
	/* The bound address, which clients ignore: 0.0.0.0, port 0. */
	static const char bound[] = { 0, ADDRESS_IPV4, 0, 0, 0, 0, 0, 0 };

	text_putc(out, VERSION);
	text_putc(out, (char)reply);
	text_add(out, bound, sizeof(bound));
}

enum socks_reply socks_reply_of(enum socks_status status)
{
	switch (status) {
	case SOCKS_NO_COMMAND:
		return SOCKS_UNKNOWN_COMMAND;
	case SOCKS_NO_ADDRESS:
		return SOCKS_UNKNOWN_ADDRESS;
	default:
		return SOCKS_FAILED;
	}
}
