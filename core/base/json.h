/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: writes JSON into a text, with the commas.
 *
 * The nesting limit is 64. Strings are made valid UTF-8; characters that could
 * act on a screen (C0, C1, bidirectional controls, ...) are escaped.
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct json {
	struct text *out;  /* borrowed */
	uint64_t nonempty; /* a bit per level: something stands there */
	unsigned depth;
	bool after_key;
};

/* Starts a document, which is appended to out. */
struct json json_into(struct text *out);

/* Levels close in reverse order; in an object, a key precedes each value. */
void json_open_object(struct json *j);
void json_close_object(struct json *j);
void json_open_array(struct json *j);
void json_close_array(struct json *j);

void json_key(struct json *j, const char *key);         /* ASCII, no quotes */
void json_foreign_key(struct json *j, const char *key); /* any string */
void json_string(struct json *j, const char *bytes, size_t len);
void json_text(struct json *j, const char *string); /* NUL-terminated */
void json_int(struct json *j, int64_t value);
void json_uint(struct json *j, uint64_t value);
void json_double(struct json *j, double value); /* null unless finite */
/*
 * Writes a number literally, with all its digits; as a string if it is not a
 * JSON number.
 */
void json_number(struct json *j, const char *number);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

#endif
