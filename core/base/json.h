/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: writes JSON into a text and reads JSON from memory.
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The writer inserts the commas.
 *
 * The nesting limit is 64. Strings are made valid UTF-8; characters that could
 * act on a screen (C0, C1, bidirectional controls, ...) are escaped.
 */
struct json {
	struct text *out;  /* borrowed */
	uint64_t nonempty; /* a bit per level: set once the level has a value */
	unsigned depth;
	bool after_key;
};

/* Starts a document, which the calls append to out. */
struct json json_into(struct text *out);

/* The same for an object, whose first member is "schema". */
struct json json_document(struct text *out, const char *schema);

/* Closes the object and ends its line. */
void json_end_document(struct json *j);

/* Levels close in reverse order. In an object, a key precedes each value. */
void json_open_object(struct json *j);
void json_close_object(struct json *j);
void json_open_array(struct json *j);
void json_close_array(struct json *j);

void json_key(struct json *j, const char *key);         /* ASCII, no quotes */
void json_foreign_key(struct json *j, const char *key); /* any string */
void json_string(struct json *j, const char *bytes, size_t len);
/* Writes a NUL-terminated text; NULL is written as null. */
void json_text(struct json *j, const char *string);
void json_int(struct json *j, int64_t value);
void json_uint(struct json *j, uint64_t value);
void json_double(struct json *j,
		 double value); /* null unless the value is finite */
/*
 * Writes a number with all its digits, or a string if it is not a valid JSON
 * number.
 */
void json_number(struct json *j, const char *number);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* Each adds a member to an object: json_key(), and the value as above. */
void json_add_object(struct json *j, const char *key); /* opens it */
void json_add_array(struct json *j, const char *key);
void json_add_string(struct json *j, const char *key, const char *bytes,
		     size_t len);
void json_add_text(struct json *j, const char *key, const char *string);
/* 0 means unknown and is written as null. */
void json_add_id(struct json *j, const char *key, int64_t id);
void json_add_int(struct json *j, const char *key, int64_t value);
void json_add_uint(struct json *j, const char *key, uint64_t value);
void json_add_double(struct json *j, const char *key, double value);
void json_add_bool(struct json *j, const char *key, bool value);
void json_add_null(struct json *j, const char *key);

/*
 * The reader reads value by value, for documents that are long or whose numbers
 * need all of their 64 bits.
 *
 * The first unexpected value fails the reader. Later calls return nothing, so
 * callers check `failed` once. The reader neither recurses nor
 * allocates.
 */
struct json_reader {
	const char *at;
	const char *end;
	bool after_value; /* the next token is a comma or a closing bracket */
	bool failed;
	const char *failed_at; /* the first unexpected character */
};

/*
 * True for one value and whitespace by RFC 8259, in UTF-8, without lone
 * surrogates, and with at most 64 levels. The reader below accepts more.
 */
bool json_is_valid(const char *bytes, size_t len);

/* Starts before the first value of a text, which is borrowed. */
struct json_reader json_reader_over(const char *bytes, size_t len);

/* Fails the reader. Callers use it when they reject a value. */
void json_reader_fail(struct json_reader *r);

/* True if only whitespace is left and the reader has not failed. */
bool json_reader_at_end(struct json_reader *r);

/* Enters an object or an array; fails and returns false for another value. */
bool json_enter_object(struct json_reader *r);
bool json_enter_array(struct json_reader *r);

/*
 * Reads the key of the next member, with its escapes; the caller must read the
 * value next. Returns false at the end of the object, which is closed then.
 */
bool json_next_member(struct json_reader *r, struct line *key);

/* The same for arrays, whose elements have no keys. */
bool json_next_element(struct json_reader *r);

/* Each reads a value of its type; fails and returns 0 for another type. */
int64_t json_read_int(struct json_reader *r);
uint64_t json_read_uint(struct json_reader *r);
bool json_read_bool(struct json_reader *r);

/*
 * Reads a number with a fraction or an exponent, rounded to some 15 digits;
 * infinite if it is too large.
 */
double json_read_double(struct json_reader *r);

/* Reads null if it comes next. */
bool json_accept_null(struct json_reader *r);

/* Appends a string; U+0000 becomes C0 80, so that it terminates no C string. */
void json_read_text(struct json_reader *r, struct text *out);

/* Skips a value of any type and depth without validating all of it. */
void json_skip(struct json_reader *r);

#endif
