/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socks_request: parses and writes the messages of SOCKS 5 up to the reply to
 * CONNECT.
 *
 * RFC 1928, as java.net.SocksSocketImpl of JDK 17 uses it: no authentication,
 * and CONNECT to an address or, if the client could not resolve it, a name.
 */
#ifndef JMX_HTTP_PROXY_SOCKS_REQUEST_H
#define JMX_HTTP_PROXY_SOCKS_REQUEST_H

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

#define SOCKS_HOST_MAX 255

enum socks_status {
	SOCKS_MORE,
	SOCKS_DONE,
	SOCKS_NO_METHOD,  /* the client requires authentication */
	SOCKS_NO_COMMAND, /* another command than CONNECT */
	SOCKS_NO_ADDRESS, /* an unknown kind of address */
	SOCKS_WRONG,      /* not SOCKS 5 */
};

/* RFC 1928, section 6. */
enum socks_reply {
	SOCKS_GRANTED = 0,
	SOCKS_FAILED = 1,
	SOCKS_NOT_ALLOWED = 2,
	SOCKS_UNREACHABLE = 4,
	SOCKS_REFUSED = 5,
	SOCKS_UNKNOWN_COMMAND = 7,
	SOCKS_UNKNOWN_ADDRESS = 8,
};

struct socks_request {
	char host[SOCKS_HOST_MAX + 1]; /* "10.0.0.7", "::1", "pod-7"; foreign */
	uint16_t port;
};

/* Each parses one message; on SOCKS_DONE, *used is its length. */
enum socks_status socks_read_greeting(const uint8_t *bytes, size_t len,
				      size_t *used);
enum socks_status socks_read_request(const uint8_t *bytes, size_t len,
				     struct socks_request *r, size_t *used);

/* Appends the reply to a greeting. */
void socks_add_method(struct text *out, enum socks_status status);

/* Appends the reply to a request. */
void socks_add_reply(struct text *out, enum socks_reply reply);

/* The reply to an invalid request. */
enum socks_reply socks_reply_of(enum socks_status status);

#endif
