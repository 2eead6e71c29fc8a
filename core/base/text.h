/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: a growing string.
 *
 * A zeroed struct is an empty text. bytes is NUL-terminated after the first
 * addition, and NULL before.
 */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes;
	size_t len;
	size_t cap;
};

/*
 * Each appends to the text. If formatting fails, text_printf() appends nothing.
 */
void text_add(struct text *t, const void *bytes, size_t len);
void text_puts(struct text *t, const char *string);
static inline void text_putc(struct text *t, char c)
{
	if (t->cap - t->len > 1) {
		t->bytes[t->len++] = c;
		t->bytes[t->len] = '\0';
	} else {
		text_add(t, &c, 1);
	}
}
void text_printf(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends a character as UTF-8; a lone surrogate takes three bytes. */
void text_utf8(struct text *t, uint32_t character);

/*
 * Appends bytes in which %XX are bytes in hexadecimal digits; other uses of %
 * are kept.
 */
void text_percent_decoded(struct text *t, const char *bytes, size_t len);

/*
 * Appends an LEB128 varint: 7 bits per byte, low bits first, at most 10 bytes.
 */
void text_varint(struct text *t, uint64_t value);

/* Number of characters in valid UTF-8; each is assumed to take one column. */
size_t text_width(const char *bytes, size_t len);

/* Appends count spaces. */
void text_spaces(struct text *t, size_t count);

void text_clear(struct text *t); /* keeps the memory */
void text_release(struct text *t);

#endif
