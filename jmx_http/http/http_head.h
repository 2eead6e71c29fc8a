/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_head: parses the heads and the framing of HTTP/1.1 messages (RFC 9112).
 *
 * A message that two parsers could delimit differently lets one client smuggle
 * a request into another client's connection, so nothing is repaired: lines end
 * with CRLF, a body has one length, and "chunked" is the only transfer coding.
 * The HTTP server of libevent 2.1 does not serve here: it accepts several
 * lengths, "+3", folded lines, spaces before a colon, lines without CR, and
 * ignores transfer codings that it does not know.
 */
#ifndef JMX_HTTP_HTTP_HTTP_HEAD_H
#define JMX_HTTP_HTTP_HTTP_HEAD_H

#include "core/base/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_MAX    ((size_t)16 << 10)
#define HTTP_HEADERS_MAX 100

struct http_header {
	struct line name, value; /* the value without spaces around it */
};

enum http_framing {
	HTTP_NO_BODY,
	HTTP_LENGTH,
	HTTP_CHUNKED,
	HTTP_UNTIL_CLOSE, /* responses only */
};

/* The parts of a head, which is borrowed. */
struct http_head {
	struct line method, target; /* of a request */
	unsigned status;            /* of a response */
	struct line reason;
	unsigned minor; /* HTTP/1.minor: 0 or 1 */
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t count;
	struct line host; /* of a request */
	enum http_framing framing;
	uint64_t length;       /* HTTP_LENGTH, and of a response to HEAD */
	bool has_length;       /* a Content-Length was given */
	bool is_persistent;    /* the connection may stay open */
	bool expects_continue; /* Expect: 100-continue */
};

enum http_result {
	HTTP_MORE, /* incomplete */
	HTTP_DONE,
	HTTP_INVALID,
};

/* The reason of a rejection; zeroed: none. */
struct http_fault {
	unsigned status; /* for the reply to a request: 400, 431, ... */
	const char *why; /* static */
};

/*
 * Looks for the end of a head.  *scanned is 0 for a new head and tells how far
 * earlier calls got.  HTTP_DONE sets *len to the length of the head with its
 * last empty line.  bytes may be NULL if none are available.
 */
enum http_result http_head_find(const char *bytes, size_t available,
				size_t *scanned, size_t *len,
				struct http_fault *fault);

/* Parses a head that http_head_find() has found; false and *fault. */
bool http_request_parse(struct http_head *h, const char *bytes, size_t len,
			struct http_fault *fault);

/*
 * Likewise for a response; to_head: to a HEAD request, so that there is no
 * body.
 */
bool http_response_parse(struct http_head *h, const char *bytes, size_t len,
			 bool to_head, struct http_fault *fault);

/* Returns the only header with this name, or NULL. */
const struct http_header *http_header_find(const struct http_head *h,
					   const char *name);

/*
 * True for headers of one connection, which are never forwarded (RFC 9110,
 * 7.6.1), among them the ones that Connection names, and Content-Length.
 */
bool http_header_is_hop_by_hop(const struct http_head *h,
			       const struct http_header *header);

/* Returns true if the header has this name, ignoring case. */
bool http_header_is(const struct http_header *header, const char *name);

/* Returns true if the texts are equal, ignoring the case of ASCII letters. */
bool http_text_is(struct line text, const char *wanted);

/*
 * Checks the value of Host: an address, "localhost" or one of the names, with
 * or without a port.  A web page whose name was made to resolve to this machine
 * (DNS rebinding) has that name in Host.  An address cannot be rebound.
 */
bool http_host_is_allowed(struct line host, const char *const *names,
			  size_t count);

/* A body while it is read. */
struct http_body {
	enum http_framing framing;
	uint64_t left; /* of the body, or of the chunk */
	unsigned state, digits;
	size_t trailer_len;
	bool is_done;
};

/* Starts the body of a head. */
struct http_body http_body_of(const struct http_head *h);

/*
 * Reads a piece of a body.  Sets *used, the number of bytes consumed, and
 * *data, the payload among them, which may be empty.  HTTP_MORE: call again
 * with the bytes behind *used, if any; HTTP_DONE: the body has ended.
 */
enum http_result http_body_read(struct http_body *b, const char *bytes,
				size_t len, size_t *used, struct line *data,
				struct http_fault *fault);

#endif
