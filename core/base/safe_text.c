/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/safe_text.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT 0xfffdu

static bool safe_is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

uint32_t safe_text_decode(const uint8_t *p, const uint8_t *end, size_t *used)
{
	size_t left = (size_t)(end - p);

	*used = 1;
	if (p[0] < 0x80)
		return p[0];
	if (left >= 2 && (p[0] & 0xe0) == 0xc0 && safe_is_continuation(p[1])) {
		uint32_t c = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);

		/* Java's modified UTF-8 encodes U+0000 as C0 80. */
		if (c < 0x80 && c != 0)
			return SAFE_TEXT_INVALID;
		*used = 2;
		return c;
	}
	if (left >= 3 && (p[0] & 0xf0) == 0xe0 && safe_is_continuation(p[1]) &&
	    safe_is_continuation(p[2])) {
		uint32_t c = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 |
			     (p[2] & 0x3fu);

		if (c < 0x800)
			return SAFE_TEXT_INVALID;
		*used = 3;
		return c;
	}
	if (left >= 4 && (p[0] & 0xf8) == 0xf0 && safe_is_continuation(p[1]) &&
	    safe_is_continuation(p[2]) && safe_is_continuation(p[3])) {
		uint32_t c = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
			     (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);

		if (c < 0x10000 || c > 0x10ffff)
			return SAFE_TEXT_INVALID;
		*used = 4;
		return c;
	}
	return SAFE_TEXT_INVALID;
}

static bool safe_is_high(uint32_t c) { return c >= 0xd800 && c < 0xdc00; }
static bool safe_is_low(uint32_t c) { return c >= 0xdc00 && c < 0xe000; }

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

/*
 * Appends "<U+200B>", formatted by hand because a page may have millions of
 * them.
 */
static void safe_put_number(struct text *out, uint32_t c)
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

static void safe_put_visible(struct text *out, uint32_t c)
{
	if (c < 0x20)
		text_utf8(out, 0x2400 + c);
	else if (c == 0x7f)
		text_utf8(out, 0x2421);
	else if (safe_text_hides(c))
		safe_put_number(out, c);
	else
		text_utf8(out, c);
}

bool safe_text_is(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	/* Printable ASCII is copied as it is; other text is decoded. */
	for (size_t i = 0; i < len; i++) {
		if (p[i] < 0x20 || p[i] >= 0x7f)
			return false;
	}
	return true;
}

/* Returns the next character and advances *p; joins surrogate pairs. */
static uint32_t safe_next(const uint8_t **p, const uint8_t *end)
{
	size_t used, low_used;
	uint32_t c = safe_text_decode(*p, end, &used);

	if (safe_is_high(c) && *p + used < end) {
		uint32_t low = safe_text_decode(*p + used, end, &low_used);

		if (safe_is_low(low)) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			used += low_used;
		}
	}
	*p += used;
	return c == SAFE_TEXT_INVALID || safe_is_high(c) || safe_is_low(c)
		       ? REPLACEMENT
		       : c;
}

static void safe_put_all(struct text *out, const uint8_t *p, size_t len,
			 void (*put)(struct text *out, uint32_t c))
{
	const uint8_t *end = p + len;

	if (safe_text_is(p, len)) {
		text_add(out, p, len);
		return;
	}
	while (p < end)
		put(out, safe_next(&p, end));
}

void safe_text(struct text *out, const void *bytes, size_t len)
{
	safe_put_all(out, bytes, len, safe_put_visible);
}

void safe_text_puts(struct text *out, const char *string)
{
	safe_text(out, string, strlen(string));
}

void safe_text_valid(struct text *out, const void *bytes, size_t len)
{
	safe_put_all(out, bytes, len, text_utf8);
}

void safe_text_xml(struct text *out, const char *safe, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		/* U+FFFE and U+FFFF are not characters of XML. */
		bool is_invalid = len - i >= 3 &&
				  memcmp(safe + i, "\xef\xbf", 2) == 0 &&
				  (unsigned char)safe[i + 2] >= 0xbe;

		if (safe[i] == '&')
			text_puts(out, "&amp;");
		else if (safe[i] == '<')
			text_puts(out, "&lt;");
		else if (safe[i] == '>')
			text_puts(out, "&gt;");
		else if (safe[i] == '"')
			text_puts(out, "&quot;");
		else if (is_invalid)
			text_putc(out, '?');
		else
			text_putc(out, safe[i]);
		i += is_invalid ? 2 : 0;
	}
}
