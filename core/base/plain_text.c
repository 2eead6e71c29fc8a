/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/plain_text.h"

#include "core/base/text.h"

#include <stdbool.h>
#include <string.h>

#define LEAST_UNITS   8  /* of UTF-16 without a byte order mark */
#define CHECKED_BYTES 64 /* behind NUL bytes */

/* True for printable ASCII, tabs and newlines. */
static bool byte_is_text(uint8_t byte)
{
	return (byte >= ' ' && byte < 0x7f) || byte == '\t' || byte == '\n' ||
	       byte == '\r';
}

/* True if the first characters are ASCII in UTF-16; high: 1 = little-endian. */
static bool text_is_utf16(const uint8_t *bytes, size_t len, size_t high)
{
	size_t units = len / 2 < CHECKED_BYTES ? len / 2 : CHECKED_BYTES;

	for (size_t i = 0; i < units; i++) {
		if (bytes[2 * i + high] || !byte_is_text(bytes[2 * i + !high]))
			return false;
	}
	return units >= LEAST_UNITS;
}

/* Decodes UTF-16; half of a surrogate pair without the other stays alone. */
static uint8_t *text_decode(const uint8_t **bytes, size_t *len, size_t high)
{
	struct text out = { 0 };
	uint32_t before = 0;

	text_puts(&out, "");
	for (size_t i = 0; i + 1 < *len; i += 2) {
		uint32_t unit = (uint32_t)(*bytes)[i + high] << 8 |
				(*bytes)[i + !high];

		if (before >> 10 == 0xd800 >> 10 &&
		    unit >> 10 == 0xdc00 >> 10) {
			out.len -= 3; /* the first half */
			unit = 0x10000 +
			       ((before & 0x3ff) << 10 | (unit & 0x3ff));
		}
		text_utf8(&out, unit);
		before = unit;
	}
	*bytes = (const uint8_t *)out.bytes;
	*len = out.len;
	return (uint8_t *)out.bytes;
}

/* Returns the number of NUL bytes before text. */
static size_t text_leading_nuls(const uint8_t *bytes, size_t len)
{
	size_t nuls = 0, end;

	while (nuls < len && !bytes[nuls])
		nuls++;
	end = len - nuls < CHECKED_BYTES ? len : nuls + CHECKED_BYTES;
	for (size_t i = nuls; i < end; i++) {
		if (!byte_is_text(bytes[i]) && bytes[i] < 0x80)
			return 0;
	}
	return nuls < len ? nuls : 0;
}

uint8_t *plain_text(const uint8_t **bytes, size_t *len)
{
	size_t skipped;

	if (*len >= 2 && (memcmp(*bytes, "\xff\xfe", 2) == 0 ||
			  memcmp(*bytes, "\xfe\xff", 2) == 0)) {
		size_t high = (*bytes)[0] == 0xff;

		*bytes += 2;
		*len -= 2;
		return text_decode(bytes, len, high);
	}
	for (size_t high = 0; high < 2; high++) {
		if (text_is_utf16(*bytes, *len, high))
			return text_decode(bytes, len, high);
	}
	skipped = *len >= 3 && memcmp(*bytes, "\xef\xbb\xbf", 3) == 0
			  ? 3
			  : text_leading_nuls(*bytes, *len);
	/* An empty text may be NULL, to which C adds no zero. */
	if (skipped)
		*bytes += skipped;
	*len -= skipped;
	return NULL;
}
