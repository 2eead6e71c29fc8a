/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/java_writer.h"

#include <endian.h>

/* java.io.ObjectStreamConstants */
#define TC_NULL       0x70
#define TC_STRING     0x74
#define TC_BLOCKDATA  0x77
#define TC_LONGSTRING 0x7c

void java_write_u16(struct text *out, uint16_t value)
{
	value = htobe16(value);
	text_add(out, &value, sizeof(value));
}

void java_write_u32(struct text *out, uint32_t value)
{
	value = htobe32(value);
	text_add(out, &value, sizeof(value));
}

void java_write_u64(struct text *out, uint64_t value)
{
	value = htobe64(value);
	text_add(out, &value, sizeof(value));
}

void java_write_header(struct text *out) { text_add(out, "\xac\xed\0\5", 4); }

void java_write_block(struct text *out, uint8_t len)
{
	text_putc(out, TC_BLOCKDATA);
	text_putc(out, (char)len);
}

void java_write_null(struct text *out) { text_putc(out, TC_NULL); }

/* The four bytes of a character beyond the BMP, as its two surrogates. */
static void add_surrogates(struct text *out, const uint8_t *utf8)
{
	uint32_t c = (uint32_t)(utf8[0] & 7) << 18 |
		     (uint32_t)(utf8[1] & 63) << 12 |
		     (uint32_t)(utf8[2] & 63) << 6 | (uint32_t)(utf8[3] & 63);

	c -= 0x10000;
	text_utf8(out, 0xd800 + (c >> 10));
	text_utf8(out, 0xdc00 + (c & 0x3ff));
}

static void add_modified(struct text *out, const uint8_t *utf8, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (utf8[i] == 0) {
			text_add(out, "\xc0\x80", 2);
			i++;
		} else if (utf8[i] >= 0xf0 && len - i >= 4) {
			add_surrogates(out, utf8 + i);
			i += 4;
		} else {
			text_putc(out, (char)utf8[i++]);
		}
	}
}

void java_write_string(struct text *out, const char *utf8, size_t len)
{
	struct text modified = { 0 };

	add_modified(&modified, (const uint8_t *)utf8, len);
	if (modified.len <= UINT16_MAX) {
		text_putc(out, TC_STRING);
		java_write_u16(out, (uint16_t)modified.len);
	} else {
		text_putc(out, TC_LONGSTRING);
		java_write_u64(out, modified.len);
	}
	if (modified.len)
		text_add(out, modified.bytes, modified.len);
	text_release(&modified);
}
