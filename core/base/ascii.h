/* SPDX-License-Identifier: Apache-2.0 */
/* ascii: character classes independent of the locale, and lists of words. */
#ifndef CORE_BASE_ASCII_H
#define CORE_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/*
 * True if a text, which may be NULL, contains, or begins with, one of the words
 * between |.
 */
static inline bool has_any(const char *text, const char *words, bool at_start)
{
	for (size_t len; text && *words; words += len + (words[len] == '|')) {
		len = strcspn(words, "|");
		if (at_start ? strncmp(text, words, len) == 0
			     : memmem(text, strlen(text), words, len) != NULL)
			return true;
	}
	return false;
}

/*
 * True when word, of len bytes, is one of words, which the character
 * `separator` separates: "a|b|c". words may be NULL: no words.
 */
static inline bool word_list_has(const char *words, char separator,
				 const char *word, size_t len)
{
	while (words && *words) {
		const char *end = strchrnul(words, separator);

		if ((size_t)(end - words) == len &&
		    memcmp(words, word, len) == 0)
			return true;
		words = *end ? end + 1 : end;
	}
	return false;
}

#endif
