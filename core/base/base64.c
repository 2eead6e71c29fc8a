/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/base64.h"

#include "core/base/alloc.h"

#include <stdint.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes the 4 letters of each whole triple; gives where they end. */
static char *put_triples(char *to, const uint8_t *from, size_t triples)
{
	for (size_t i = 0; i < triples; i++, from += 3, to += 4) {
		uint32_t bits = (uint32_t)from[0] << 16 |
				(uint32_t)from[1] << 8 | from[2];

		to[0] = alphabet[bits >> 18];
		to[1] = alphabet[bits >> 12 & 63];
		to[2] = alphabet[bits >> 6 & 63];
		to[3] = alphabet[bits & 63];
	}
	return to;
}

static char *put_rest(char *to, const uint8_t *from, size_t len)
{
	uint8_t last[3] = { from[0], len > 1 ? from[1] : 0, 0 };

	to = put_triples(to, last, 1);
	to[-1] = '=';
	if (len == 1)
		to[-2] = '=';
	return to;
}

void base64_add(struct text *out, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;
	size_t triples = len / 3;
	size_t room = (triples + 1) * 4;
	char *to;

	array_reserve(out->bytes, out->cap, out->len + room + 1);
	to = put_triples(out->bytes + out->len, from, triples);
	if (len % 3)
		to = put_rest(to, from + triples * 3, len % 3);
	*to = '\0';
	out->len = (size_t)(to - out->bytes);
}
