/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_reader: reads JSON from memory as it comes, value by value.
 *
 * For documents of ours that are long, or whose numbers need all of their 64
 * bits.  The first thing that is not what was asked for fails the reader; from
 * then on every call gives nothing, so json_reader_ok() is asked once.  It
 * neither recurses nor allocates.
 */
#ifndef CORE_BASE_JSON_READER_H
#define CORE_BASE_JSON_READER_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_reader {
	const char *at;
	const char *end;
	bool after_value; /* a comma or the end of the level comes next */
	bool failed;
};

/* Before the first value of a text, which is borrowed. */
struct json_reader json_reader_over(const char *bytes, size_t len);

static inline bool json_reader_ok(const struct json_reader *r)
{
	return !r->failed;
}

/* For a caller who does not like what was read. */
void json_reader_fail(struct json_reader *r);

/* True when nothing but blanks is left and nothing failed. */
bool json_reader_at_end(struct json_reader *r);

/* Goes into an object, or an array; false and failed when it is none. */
bool json_enter_object(struct json_reader *r);
bool json_enter_array(struct json_reader *r);

/*
 * The key of the next member, as it is written between its quotes; its value
 * must be read next.  False at the end of the object, which is left then.
 */
bool json_next_member(struct json_reader *r, struct line *key);

/* The same for arrays, whose elements have no keys. */
bool json_next_element(struct json_reader *r);

/* Each reads a value, which has to be one of its kind: else 0, and failed. */
int64_t json_read_int(struct json_reader *r);
uint64_t json_read_uint(struct json_reader *r);
bool json_read_bool(struct json_reader *r);

/* Appends a string; U+0000 becomes C0 80, so that it ends no C string. */
void json_read_text(struct json_reader *r, struct text *out);

/* Takes null when that is what comes next. */
bool json_take_null(struct json_reader *r);

/* Passes over a value of any kind and depth; inside it is looked at loosely. */
void json_skip(struct json_reader *r);

#endif
