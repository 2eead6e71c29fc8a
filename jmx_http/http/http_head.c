/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/http/http_head.h"

#include "core/base/ascii.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define AUTHORITY_MAX     320
#define LENGTH_DIGITS_MAX 18 /* fits 63 bits */
#define CHUNK_DIGITS_MAX  15 /* fits 60 bits */
#define TRAILER_MAX       ((size_t)4 << 10)

static bool http_fail(struct http_fault *fault, unsigned status,
		      const char *why)
{
	*fault = (struct http_fault){ status, why };
	return false;
}

bool http_text_is(struct line text, const char *wanted)
{
	return text.len == strlen(wanted) &&
	       strncasecmp(text.text, wanted, text.len) == 0;
}

bool http_header_is(const struct http_header *header, const char *name)
{
	return http_text_is(header->name, name);
}

enum http_result http_head_find(const char *bytes, size_t available,
				size_t *scanned, size_t *len,
				struct http_fault *fault)
{
	const char *end;

	for (size_t at = *scanned; at < available; at = *scanned) {
		end = memchr(bytes + at, '\n', available - at);
		if (!end)
			break;
		at = (size_t)(end - bytes);
		*scanned = at + 1;
		if (at == 0 || bytes[at - 1] != '\r') {
			http_fail(fault, 400, "a line does not end with CRLF");
			return HTTP_INVALID;
		}
		if (at + 1 > HTTP_HEAD_MAX)
			break;
		if (at >= 3 && bytes[at - 2] == '\n') {
			*len = at + 1;
			return HTTP_DONE;
		}
	}
	if (available > HTTP_HEAD_MAX) {
		http_fail(fault, 431, "the head is larger than 16 KiB");
		return HTTP_INVALID;
	}
	if (*scanned < available &&
	    !memchr(bytes + *scanned, '\n', available - *scanned))
		*scanned = available;
	return HTTP_MORE;
}

/* A token of RFC 9110, 5.6.2. */
static bool http_is_token(struct line text)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < text.len; i++) {
		char c = text.text[i], letter = c | 0x20;

		if ((letter < 'a' || letter > 'z') && !is_digit(c) &&
		    (!c || !strchr(others, c)))
			return false;
	}
	return text.len > 0;
}

static bool http_is_value(struct line text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.text[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/*
 * Removes the first line, which ends with CRLF, from the text and returns it.
 */
static struct line http_cut_line(struct line *rest)
{
	struct line line = line_cut(rest, '\n');

	line.len--;
	return line;
}

/* Parses "HTTP/1.x". */
static bool http_parse_version(struct http_head *h, struct line version,
			       struct http_fault *fault)
{
	if (version.len != strlen("HTTP/1.1") ||
	    memcmp(version.text, "HTTP/", 5) != 0)
		return http_fail(fault, 400, "this is not HTTP");
	if (!line_is(version, "HTTP/1.0") && !line_is(version, "HTTP/1.1"))
		return http_fail(fault, 505,
				 "the HTTP version is not 1.0 or "
				 "1.1");
	h->minor = version.text[7] == '1';
	return true;
}

static bool http_parse_headers(struct http_head *h, struct line rest,
			       struct http_fault *fault)
{
	struct http_header *header;
	struct line line;

	h->count = 0;
	for (line = http_cut_line(&rest); line.len;
	     line = http_cut_line(&rest)) {
		if (h->count == HTTP_HEADERS_MAX)
			return http_fail(fault, 431,
					 "there are more than 100 headers");
		if (is_blank(*line.text))
			return http_fail(fault, 400, "a header is folded");
		if (!memchr(line.text, ':', line.len))
			return http_fail(fault, 400, "a header has no colon");
		header = &h->headers[h->count++];
		header->name = line_cut(&line, ':');
		header->value = line_trimmed(line);
		if (!http_is_token(header->name))
			return http_fail(fault, 400,
					 "the name of a header is invalid");
		if (!http_is_value(header->value))
			return http_fail(
				fault, 400,
				"a header contains a control character");
	}
	return true;
}

const struct http_header *http_header_find(const struct http_head *h,
					   const char *name)
{
	const struct http_header *found = NULL;

	for (size_t i = 0; i < h->count; i++) {
		if (!http_header_is(&h->headers[i], name))
			continue;
		if (found)
			return NULL;
		found = &h->headers[i];
	}
	return found;
}

static size_t http_header_count(const struct http_head *h, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += http_header_is(&h->headers[i], name);
	return count;
}

static bool http_parse_length(struct http_head *h, struct http_fault *fault)
{
	const struct http_header *header = http_header_find(h,
							    "Content-Length");
	size_t count = http_header_count(h, "Content-Length");

	if (count > 1)
		return http_fail(fault, 400, "there are several lengths");
	if (!count)
		return true;
	if (!header->value.len || header->value.len > LENGTH_DIGITS_MAX)
		return http_fail(fault, 400, "the length is invalid");
	h->has_length = true;
	h->length = 0;
	for (size_t i = 0; i < header->value.len; i++) {
		char c = header->value.text[i];

		if (!is_digit(c))
			return http_fail(fault, 400, "the length is invalid");
		h->length = h->length * 10 + (uint64_t)(c - '0');
	}
	return true;
}

/* Sets the framing of messages that have a body. */
static bool http_parse_framing(struct http_head *h, struct http_fault *fault)
{
	const struct http_header *coding = http_header_find(
		h, "Transfer-Encoding");
	size_t count = http_header_count(h, "Transfer-Encoding");

	if (!http_parse_length(h, fault))
		return false;
	if (count && h->has_length)
		return http_fail(fault, 400,
				 "there are both a length and a transfer "
				 "coding");
	if (count && !h->minor)
		return http_fail(fault, 400,
				 "HTTP/1.0 has no transfer codings");
	if (count && (!coding || !http_text_is(coding->value, "chunked")))
		return http_fail(fault, 501,
				 "the only supported transfer coding is "
				 "chunked");
	if (count)
		h->framing = HTTP_CHUNKED;
	else if (h->has_length)
		h->framing = h->length ? HTTP_LENGTH : HTTP_NO_BODY;
	return true;
}

/* Returns true if a Connection header has the option. */
static bool http_connection_has(const struct http_head *h, struct line option)
{
	for (size_t i = 0; i < h->count; i++) {
		struct line rest = h->headers[i].value;

		if (!http_header_is(&h->headers[i], "Connection"))
			continue;
		while (rest.len) {
			struct line one = line_trimmed(line_cut(&rest, ','));

			if (one.len == option.len &&
			    strncasecmp(one.text, option.text, one.len) == 0)
				return true;
		}
	}
	return false;
}

static void http_parse_connection(struct http_head *h)
{
	const struct line close = { "close", 5 };
	const struct line keep_alive = { "keep-alive", 10 };

	h->is_persistent = !http_connection_has(h, close) &&
			   (h->minor || http_connection_has(h, keep_alive));
}

bool http_header_is_hop_by_hop(const struct http_head *h,
			       const struct http_header *header)
{
	static const char *const names[] = {
		"Connection",
		"Keep-Alive",
		"Proxy-Connection",
		"Proxy-Authenticate",
		"TE",
		"Proxy-Authorization",
		"Transfer-Encoding",
		"Trailer",
		"Upgrade",
		"Content-Length",
		"HTTP2-Settings",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (http_header_is(header, names[i]))
			return true;
	return http_connection_has(h, header->name);
}

static bool http_parse_expect(struct http_head *h, struct http_fault *fault)
{
	const struct http_header *expect = http_header_find(h, "Expect");

	if (!http_header_count(h, "Expect"))
		return true;
	if (!expect || !http_text_is(expect->value, "100-continue"))
		return http_fail(fault, 417,
				 "the only supported expectation is "
				 "100-continue");
	h->expects_continue = h->minor && h->framing != HTTP_NO_BODY;
	return true;
}

static bool http_parse_host(struct http_head *h, struct http_fault *fault)
{
	const struct http_header *host = http_header_find(h, "Host");

	if (!host)
		return http_fail(fault, 400, "there must be one Host header");
	h->host = host->value;
	return true;
}

/* Origin form only: no host of a client's choice, no CONNECT. */
static bool http_parse_target(struct http_head *h, struct http_fault *fault)
{
	if (!h->target.len || *h->target.text != '/')
		return http_fail(fault, 400,
				 "the request target is not a path");
	for (size_t i = 0; i < h->target.len; i++) {
		unsigned char c = (unsigned char)h->target.text[i];

		if (c <= ' ' || c >= 0x7f || c == '\\' || c == '#')
			return http_fail(fault, 400,
					 "the request target contains an "
					 "invalid character");
	}
	return true;
}

/* Returns the host of "host:port" or "[::1]:port" as a string. */
static bool http_host_cut_port(struct line authority, char host[AUTHORITY_MAX])
{
	const char *colon;
	size_t len = authority.len;

	if (!len || len >= AUTHORITY_MAX)
		return false;
	memcpy(host, authority.text, len);
	host[len] = '\0';
	if (*host == '[') {
		char *end = strchr(host, ']');

		if (!end || (end[1] && end[1] != ':'))
			return false;
		*end = '\0';
		memmove(host, host + 1, strlen(host));
		return true;
	}
	colon = strchr(host, ':');
	if (colon)
		host[colon - host] = '\0';
	return *host;
}

bool http_host_is_allowed(struct line host, const char *const *names,
			  size_t count)
{
	char name[AUTHORITY_MAX];
	struct in6_addr six;
	struct in_addr four;

	if (!http_host_cut_port(host, name))
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(names[i], name) == 0)
			return true;
	return inet_pton(AF_INET, name, &four) == 1 ||
	       inet_pton(AF_INET6, name, &six) == 1 ||
	       strcasecmp(name, "localhost") == 0;
}

bool http_request_parse(struct http_head *h, const char *bytes, size_t len,
			struct http_fault *fault)
{
	struct line rest = { bytes, len }, line, version;

	h->framing = HTTP_NO_BODY;
	h->has_length = h->expects_continue = false;
	line = http_cut_line(&rest);
	/* An empty line before the request is ignored: RFC 9112, 2.2. */
	if (!line.len)
		line = http_cut_line(&rest);
	h->method = line_cut(&line, ' ');
	h->target = line_cut(&line, ' ');
	version = line;
	if (!http_is_token(h->method))
		return http_fail(fault, 400, "this is not HTTP");
	return http_parse_version(h, version, fault) &&
	       http_parse_target(h, fault) &&
	       http_parse_headers(h, rest, fault) &&
	       http_parse_host(h, fault) && http_parse_framing(h, fault) &&
	       http_parse_expect(h, fault) && (http_parse_connection(h), true);
}

static bool http_parse_status(struct http_head *h, struct line line,
			      struct http_fault *fault)
{
	struct line version = line_cut(&line, ' ');
	struct line code = line_cut(&line, ' ');

	h->reason = line;
	h->status = 0;
	if (!http_parse_version(h, version, fault))
		return false;
	for (size_t i = 0; i < code.len && code.len == 3; i++) {
		if (!is_digit(code.text[i]))
			return http_fail(fault, 502, "the status is invalid");
		h->status = h->status * 10 + (unsigned)(code.text[i] - '0');
	}
	if (h->status < 100 || h->status > 599 || !http_is_value(line))
		return http_fail(fault, 502, "the status is invalid");
	return true;
}

bool http_response_parse(struct http_head *h, const char *bytes, size_t len,
			 bool to_head, struct http_fault *fault)
{
	struct line rest = { bytes, len };
	struct line line = http_cut_line(&rest);

	h->framing = HTTP_UNTIL_CLOSE;
	h->has_length = h->expects_continue = false;
	if (!http_parse_status(h, line, fault) ||
	    !http_parse_headers(h, rest, fault) ||
	    !http_parse_framing(h, fault))
		return false;
	if (to_head || h->status < 200 || h->status == 204 || h->status == 304)
		h->framing = HTTP_NO_BODY;
	http_parse_connection(h);
	if (h->framing == HTTP_UNTIL_CLOSE)
		h->is_persistent = false;
	return true;
}

/* The next byte that a chunked body needs. */
enum {
	CHUNK_SIZE,
	CHUNK_SIZE_LF,
	CHUNK_DATA,
	CHUNK_DATA_CR,
	CHUNK_DATA_LF,
	CHUNK_TRAILER,      /* the first byte of a line */
	CHUNK_TRAILER_LINE, /* until CR */
	CHUNK_TRAILER_LF,
	CHUNK_LAST_LF,
};

struct http_body http_body_of(const struct http_head *h)
{
	return (struct http_body){
		.framing = h->framing,
		.left = h->framing == HTTP_LENGTH ? h->length : 0,
		.is_done = h->framing == HTTP_NO_BODY,
	};
}

static bool chunk_read_size(struct http_body *b, char c,
			    struct http_fault *fault)
{
	int digit = hex_digit(c);

	if (digit >= 0 && b->digits < CHUNK_DIGITS_MAX) {
		b->left = b->left << 4 | (unsigned)digit;
		b->digits++;
		return true;
	}
	if (c != '\r' || !b->digits)
		return http_fail(fault, 400, "the size of a chunk is invalid");
	b->state = CHUNK_SIZE_LF;
	return true;
}

static bool chunk_expect(struct http_body *b, char c, char wanted,
			 unsigned next, struct http_fault *fault)
{
	if (c != wanted)
		return http_fail(fault, 400, "a chunk does not end with CRLF");
	b->state = next;
	return true;
}

/* Reads a byte that is not data. */
static bool chunk_read_byte(struct http_body *b, char c,
			    struct http_fault *fault)
{
	switch (b->state) {
	case CHUNK_SIZE:
		return chunk_read_size(b, c, fault);
	case CHUNK_SIZE_LF:
		return chunk_expect(b, c, '\n',
				    b->left ? CHUNK_DATA : CHUNK_TRAILER,
				    fault);
	case CHUNK_DATA_CR:
		return chunk_expect(b, c, '\r', CHUNK_DATA_LF, fault);
	case CHUNK_DATA_LF:
		b->digits = 0;
		return chunk_expect(b, c, '\n', CHUNK_SIZE, fault);
	case CHUNK_TRAILER:
		b->state = c == '\r' ? CHUNK_LAST_LF : CHUNK_TRAILER_LINE;
		break;
	case CHUNK_TRAILER_LINE:
		if (c == '\r')
			b->state = CHUNK_TRAILER_LF;
		break;
	case CHUNK_TRAILER_LF:
		return chunk_expect(b, c, '\n', CHUNK_TRAILER, fault);
	default:
		b->is_done = true;
		return chunk_expect(b, c, '\n', CHUNK_LAST_LF, fault);
	}
	if (c == '\n' || ++b->trailer_len > TRAILER_MAX)
		return http_fail(fault, 400, "the trailer is invalid");
	return true;
}

/* Reads data of a known length. */
static void body_take(struct http_body *b, const char *bytes, size_t len,
		      size_t *used, struct line *data)
{
	size_t take = b->left < len ? (size_t)b->left : len;

	*data = (struct line){ bytes, take };
	*used += take;
	b->left -= take;
}

static enum http_result chunks_read(struct http_body *b, const char *bytes,
				    size_t len, size_t *used, struct line *data,
				    struct http_fault *fault)
{
	while (*used < len && !b->is_done) {
		if (b->state == CHUNK_DATA) {
			body_take(b, bytes + *used, len - *used, used, data);
			if (!b->left)
				b->state = CHUNK_DATA_CR;
			return HTTP_MORE;
		}
		if (!chunk_read_byte(b, bytes[(*used)++], fault))
			return HTTP_INVALID;
	}
	return b->is_done ? HTTP_DONE : HTTP_MORE;
}

enum http_result http_body_read(struct http_body *b, const char *bytes,
				size_t len, size_t *used, struct line *data,
				struct http_fault *fault)
{
	*used = 0;
	*data = (struct line){ bytes, 0 };
	if (b->is_done)
		return HTTP_DONE;
	if (b->framing == HTTP_CHUNKED)
		return chunks_read(b, bytes, len, used, data, fault);
	if (b->framing == HTTP_UNTIL_CLOSE)
		b->left = len;
	body_take(b, bytes, len, used, data);
	b->is_done = b->framing == HTTP_LENGTH && !b->left;
	return b->is_done ? HTTP_DONE : HTTP_MORE;
}
