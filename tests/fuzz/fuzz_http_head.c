/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes HTTP heads and bodies, in one piece and byte by byte. */
#include "jmx_http/http/http_head.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_header(const struct http_header *h, const char *bytes,
			 size_t len)
{
	if (!h->name.len || h->name.text < bytes ||
	    h->value.text + h->value.len > bytes + len)
		abort();
	if (memchr(h->value.text, '\n', h->value.len) ||
	    memchr(h->value.text, '\0', h->value.len) ||
	    memchr(h->name.text, ' ', h->name.len))
		abort();
}

/* Reads a body in pieces; returns a checksum of its data and its length. */
static uint64_t read_body(const struct http_head *h, const char *bytes,
			  size_t len, size_t step, size_t *consumed)
{
	struct http_body b = http_body_of(h);
	struct http_fault fault = { 0 };
	uint64_t sum = 14695981039346656037u;
	struct line piece;
	size_t used, at = 0;

	while (at < len && !b.is_done) {
		size_t some = len - at < step ? len - at : step;
		enum http_result r = http_body_read(&b, bytes + at, some, &used,
						    &piece, &fault);

		if (used > some || piece.len > used)
			abort();
		if (r == HTTP_INVALID) {
			if (!fault.why)
				abort();
			*consumed = SIZE_MAX;
			return 0;
		}
		if (!used)
			abort();
		for (size_t i = 0; i < piece.len; i++)
			sum = (sum ^ (uint8_t)piece.text[i]) * 1099511628211u;
		at += used;
	}
	*consumed = b.is_done ? at : SIZE_MAX - 1;
	return sum;
}

static void check_body(const struct http_head *h, const char *bytes, size_t len)
{
	size_t whole, single;
	uint64_t a = read_body(h, bytes, len, len ? len : 1, &whole);
	uint64_t b = read_body(h, bytes, len, 1, &single);

	if (whole != single || (whole <= len && a != b))
		abort();
}

static void check_message(const char *bytes, size_t size, bool is_request)
{
	struct http_fault fault = { 0 };
	size_t scanned = 0, len = 0, again = 0;
	struct http_head h;

	if (http_head_find(bytes, size, &scanned, &len, &fault) != HTTP_DONE)
		return;
	if (len > size || len > HTTP_HEAD_MAX)
		abort();
	/* The end is found only with its last byte. */
	scanned = 0;
	if (http_head_find(bytes, len - 1, &scanned, &again, &fault) !=
		    HTTP_MORE ||
	    http_head_find(bytes, len, &scanned, &again, &fault) != HTTP_DONE ||
	    again != len)
		abort();
	if (is_request ? !http_request_parse(&h, bytes, len, &fault)
		       : !http_response_parse(&h, bytes, len, false, &fault)) {
		if (!fault.why || fault.status < 400)
			abort();
		return;
	}
	for (size_t i = 0; i < h.count; i++)
		check_header(&h.headers[i], bytes, len);
	if (is_request && h.framing == HTTP_UNTIL_CLOSE)
		abort();
	if (h.framing == HTTP_CHUNKED && h.has_length)
		abort();
	check_body(&h, bytes + len, size - len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* An own allocation, so that the sanitizer finds a read beyond it. */
	char *bytes = malloc(size + 1);

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	check_message(bytes, size, true);
	check_message(bytes, size, false);
	free(bytes);
	return 0;
}
