/* SPDX-License-Identifier: Apache-2.0 */
/* ascii: character classes independent of the locale. */
#ifndef CORE_BASE_ASCII_H
#define CORE_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* True for the characters that separate words of a line. */
static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The value of a hexadecimal digit of either case, or -1. */
static inline int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of count hexadecimal digits, at most 7, or -1. */
static inline int32_t hex_value(const char *digits, size_t count)
{
	int32_t value = 0;

	for (size_t i = 0; i < count; i++) {
		int digit = hex_digit(digits[i]);

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

#endif
