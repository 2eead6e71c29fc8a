/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/base64.h"

#include "core/base/alloc.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789+/";

/*
 * Writes 4 letters for each group of 3 bytes; returns the end of the letters.
 */
static char *base64_put_triples(char *to, const uint8_t *from, size_t triples)
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

static char *base64_put_rest(char *to, const uint8_t *from, size_t len)
{
	uint8_t last[3] = { from[0], len > 1 ? from[1] : 0, 0 };

	to = base64_put_triples(to, last, 1);
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
	to = base64_put_triples(out->bytes + out->len, from, triples);
	if (len % 3)
		to = base64_put_rest(to, from + triples * 3, len % 3);
	*to = '\0';
	out->len = (size_t)(to - out->bytes);
}

/*
 * Returns the six bits of a letter; -1 if it is not a letter of the alphabet.
 */
static int base64_bits(char letter)
{
	const char *at = letter ? strchr(alphabet, letter) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

/* Decodes four letters; returns the number of bytes, or -1. */
static int base64_read_four(const char *letters, bool is_last, uint8_t bytes[3])
{
	uint32_t bits = 0;
	int count = 3;

	if (is_last && letters[3] == '=')
		count = letters[2] == '=' ? 1 : 2;
	for (int i = 0; i < 4; i++) {
		int six = i <= count ? base64_bits(letters[i]) : 0;

		if (six < 0)
			return -1;
		bits = bits << 6 | (uint32_t)six;
	}
	for (int i = 0; i < 3; i++)
		bytes[i] = (uint8_t)(bits >> (16 - 8 * i));
	/* Unused bits must be 0, so that each input has only one encoding. */
	return count < 3 && bytes[count] ? -1 : count;
}

bool base64_read(struct text *out, const char *letters, size_t len)
{
	size_t before = out->len;
	uint8_t bytes[3];

	for (size_t at = 0; at < len; at += 4) {
		int count = -1;

		if (len - at >= 4)
			count = base64_read_four(letters + at, len - at == 4,
						 bytes);
		if (count < 0) {
			out->len = before;
			if (out->bytes)
				out->bytes[before] = '\0';
			return false;
		}
		text_add(out, bytes, (size_t)count);
	}
	return true;
}
