/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_reserve(struct text *t, size_t more)
{
	array_reserve(t->bytes, t->cap, t->len + more + 1);
}

void text_add(struct text *t, const void *bytes, size_t len)
{
	text_reserve(t, len);
	if (len)
		memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
	t->bytes[t->len] = '\0';
}

void text_puts(struct text *t, const char *string)
{
	text_add(t, string, strlen(string));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	size_t space = t->cap - t->len;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(space ? t->bytes + t->len : NULL, space, fmt, args);
	va_end(args);
	if (len < 0) {
		if (space)
			t->bytes[t->len] = '\0';
		return;
	}
	if ((size_t)len >= space) {
		text_reserve(t, (size_t)len);
		va_start(args, fmt);
		vsnprintf(t->bytes + t->len, (size_t)len + 1, fmt, args);
		va_end(args);
	}
	t->len += (size_t)len;
}

void text_utf8(struct text *t, uint32_t c)
{
	if (c < 0x80) {
		text_putc(t, (char)c);
	} else if (c < 0x800) {
		text_putc(t, (char)(0xc0 | c >> 6));
		text_putc(t, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		text_putc(t, (char)(0xe0 | c >> 12));
		text_putc(t, (char)(0x80 | (c >> 6 & 0x3f)));
		text_putc(t, (char)(0x80 | (c & 0x3f)));
	} else {
		text_putc(t, (char)(0xf0 | c >> 18));
		text_putc(t, (char)(0x80 | (c >> 12 & 0x3f)));
		text_putc(t, (char)(0x80 | (c >> 6 & 0x3f)));
		text_putc(t, (char)(0x80 | (c & 0x3f)));
	}
}

void text_percent_decoded(struct text *t, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		int32_t byte = -1;

		if (bytes[i] == '%' && len - i > 2)
			byte = hex_value(bytes + i + 1, 2);
		text_putc(t, byte < 0 ? bytes[i] : (char)byte);
		i += byte < 0 ? 0 : 2;
	}
}

void text_varint(struct text *t, uint64_t value)
{
	text_reserve(t, 10);
	while (value >= 0x80) {
		t->bytes[t->len++] = (char)(value | 0x80);
		value >>= 7;
	}
	t->bytes[t->len++] = (char)value;
	t->bytes[t->len] = '\0';
}

size_t text_width(const char *bytes, size_t len)
{
	size_t width = 0;

	for (size_t i = 0; i < len; i++)
		width += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	return width;
}

void text_spaces(struct text *t, size_t count)
{
	while (count--)
		text_putc(t, ' ');
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->bytes)
		t->bytes[0] = '\0';
}

void text_release(struct text *t)
{
	free(t->bytes);
	*t = (struct text){ 0 };
}
