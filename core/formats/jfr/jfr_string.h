/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_string: strings in JFR's encodings, decoded when they are needed.
 *
 * One byte states the encoding (JDK 9 to 25 and async-profiler): null, empty, a
 * key of the string pool, UTF-8, varint UTF-16 units, Latin-1.
 */
#ifndef CORE_FORMATS_JFR_JFR_STRING_H
#define CORE_FORMATS_JFR_JFR_STRING_H

#include "core/base/cursor.h"
#include "core/base/text.h"

#include <stdint.h>

enum jfr_encoding {
	JFR_NULL = 0,
	JFR_EMPTY = 1,
	JFR_POOLED = 2,
	JFR_UTF8 = 3,
	JFR_CHARS = 4,
	JFR_LATIN1 = 5,
};

struct jfr_string {
	const uint8_t *bytes; /* borrowed from the recording */
	uint64_t len;         /* number of bytes */
	uint64_t key;         /* for JFR_POOLED */
	uint8_t encoding;
};

/* Reads a string; an unknown encoding fails the cursor. */
struct jfr_string jfr_string_read(struct cursor *c);

/*
 * Appends the string as UTF-8. A pooled string must be looked up first; here it
 * is "".
 */
void jfr_string_text(struct text *out, const struct jfr_string *s);

#endif
