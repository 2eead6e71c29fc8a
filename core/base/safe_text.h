/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safe_text: makes foreign names safe to print.
 *
 * Thread, class, method and file names come from the target or from a file and
 * may contain anything: terminal escapes, bidirectional overrides, incomplete
 * characters. Characters that could affect a terminal become visible text.
 */
#ifndef CORE_BASE_SAFE_TEXT_H
#define CORE_BASE_SAFE_TEXT_H

#include "core/base/text.h"

#include <stdbool.h>

/*
 * Appends len bytes of (modified) UTF-8 as valid UTF-8 in which
 *   - C0 controls and DEL are their pictures (U+2400..U+2421),
 *   - C1 controls, bidirectional controls, characters without a width or a
 *     shape, U+2028, U+2029 and U+FEFF read <U+XXXX>,
 *   - surrogate pairs of modified UTF-8 (CESU-8) are joined, C0 80 is U+2400,
 *   - every other invalid byte is U+FFFD.
 */
void safe_text(struct text *out, const void *bytes, size_t len);
void safe_text_puts(struct text *out, const char *string); /* to its NUL */

/* Appends valid UTF-8, but leaves hidden characters as they are. */
void safe_text_valid(struct text *out, const void *bytes, size_t len);

/* Appends the result of safe_text() with XML's characters escaped. */
void safe_text_xml(struct text *out, const char *safe, size_t len);

#define SAFE_TEXT_INVALID UINT32_MAX

/*
 * Decodes a character of (modified) UTF-8 between p and end, which differ;
 * surrogates are characters.  Sets *used to its length in bytes, or to 1 and
 * returns SAFE_TEXT_INVALID.
 */
uint32_t safe_text_decode(const uint8_t *p, const uint8_t *end, size_t *used);

/*
 * True for characters, except C0 and DEL, that are invisible but may change how
 * other characters appear.
 */
bool safe_text_hides(uint32_t character);

/* True if all bytes are printable ASCII, which safe_text() does not change. */
bool safe_text_is(const void *bytes, size_t len);

#endif
