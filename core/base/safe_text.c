/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/safe_text.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT 0xfffdu
#define INVALID     UINT32_MAX

static bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/*
 * Decodes one UTF-8 sequence, surrogates included, at p; *used says how many
 * bytes it took, 1 when it is INVALID.
 */
static uint32_t decode(const uint8_t *p, const uint8_t *end, size_t *used)
{
	size_t left = (size_t)(end - p);

	*used = 1;
	if (p[0] < 0x80)
		return p[0];
	if (left >= 2 && (p[0] & 0xe0) == 0xc0 && is_continuation(p[1])) {
		uint32_t c = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);

		/* C0 80 is how Java's modified UTF-8 writes U+0000. */
		if (c < 0x80 && c != 0)
			return INVALID;
		*used = 2;
		return c;
	}
	if (left >= 3 && (p[0] & 0xf0) == 0xe0 && is_continuation(p[1]) &&
	    is_continuation(p[2])) {
		uint32_t c = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 |
			     (p[2] & 0x3fu);

		if (c < 0x800)
			return INVALID;
		*used = 3;
		return c;
	}
	if (left >= 4 && (p[0] & 0xf8) == 0xf0 && is_continuation(p[1]) &&
	    is_continuation(p[2]) && is_continuation(p[3])) {
		uint32_t c = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
			     (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);

		if (c < 0x10000 || c > 0x10ffff)
			return INVALID;
		*used = 4;
		return c;
	}
	return INVALID;
}

static bool is_high(uint32_t c) { return c >= 0xd800 && c < 0xdc00; }
static bool is_low(uint32_t c) { return c >= 0xdc00 && c < 0xe000; }

bool safe_text_hides(uint32_t c)
{
	return (c >= 0x80 && c < 0xa0) ||      /* C1 controls */
	       c == 0xad ||                    /* soft hyphen */
	       c == 0x61c ||                   /* Arabic letter mark */
	       c == 0x180e ||                  /* Mongolian separator */
	       (c >= 0x200b && c <= 0x200f) || /* zero width, LRM, RLM */
	       (c >= 0x2028 && c <= 0x202e) || /* separators, embeddings */
	       (c >= 0x2060 && c <= 0x206f) || /* joiners, isolates */
	       c == 0xfeff ||                  /* byte order mark */
	       (c >= 0xfff9 && c <= 0xfffb) || /* interlinear marks */
	       (c >= 0xe0000 && c <= 0xe007f); /* tags */
}

/* "<U+200B>", by hand: there may be millions of them. */
static void put_number(struct text *out, uint32_t c)
{
	static const char digits[] = "0123456789ABCDEF";
	char number[16] = "<U+";
	size_t len = 3;
	int shift = c > 0xfffff ? 20 : c > 0xffff ? 16 : 12;

	for (; shift >= 0; shift -= 4)
		number[len++] = digits[c >> shift & 15];
	number[len++] = '>';
	text_add(out, number, len);
}

static void put_visible(struct text *out, uint32_t c)
{
	if (c < 0x20)
		text_utf8(out, 0x2400 + c);
	else if (c == 0x7f)
		text_utf8(out, 0x2421);
	else if (safe_text_hides(c))
		put_number(out, c);
	else
		text_utf8(out, c);
}

bool safe_text_is(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	/* Only plain ASCII takes the short way; the rest is looked at. */
	for (size_t i = 0; i < len; i++) {
		if (p[i] < 0x20 || p[i] >= 0x7f)
			return false;
	}
	return true;
}

/* One character at *p, surrogate pairs joined; *p moves past it. */
static uint32_t next_character(const uint8_t **p, const uint8_t *end)
{
	size_t used, low_used;
	uint32_t c = decode(*p, end, &used);

	if (is_high(c) && *p + used < end) {
		uint32_t low = decode(*p + used, end, &low_used);

		if (is_low(low)) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			used += low_used;
		}
	}
	*p += used;
	return c == INVALID || is_high(c) || is_low(c) ? REPLACEMENT : c;
}

void safe_text(struct text *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	const uint8_t *end = p + len;

	if (safe_text_is(bytes, len)) {
		text_add(out, bytes, len);
		return;
	}
	while (p < end)
		put_visible(out, next_character(&p, end));
}

void safe_text_valid(struct text *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	const uint8_t *end = p + len;

	if (safe_text_is(bytes, len)) {
		text_add(out, bytes, len);
		return;
	}
	while (p < end)
		text_utf8(out, next_character(&p, end));
}
