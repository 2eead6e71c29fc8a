/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf: writes and reads protocol buffer messages field by field
 * (protobuf.dev, "Encoding").
 *
 * A nested message is written to a text of its own and then added as bytes. To
 * read one, call protobuf_next() with a copy of its field's bytes.
 */
#ifndef CORE_BASE_PROTOBUF_H
#define CORE_BASE_PROTOBUF_H

#include "core/base/cursor.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds a number or a bool. A value of 0 is omitted, since it is the default. */
static inline void protobuf_uint(struct text *out, uint32_t field,
				 uint64_t value)
{
	if (!value)
		return;
	text_varint(out, (uint64_t)field << 3);
	text_varint(out, value);
}

/* Adds bytes, a string, a message, or packed numbers. */
static inline void protobuf_bytes(struct text *out, uint32_t field,
				  const void *bytes, size_t len)
{
	text_varint(out, (uint64_t)field << 3 | 2);
	text_varint(out, len);
	text_add(out, bytes, len);
}

/* Adds a nested message and clears its text. */
static inline void protobuf_message(struct text *out, uint32_t field,
				    struct text *message)
{
	protobuf_bytes(out, field, message->bytes, message->len);
	text_clear(message);
}

/* Types of encodings, with their numbers in the format. */
enum protobuf_type {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_FIXED32 = 5,
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_type type;
	uint64_t value;      /* of a number */
	struct cursor bytes; /* of PROTOBUF_BYTES */
};

/*
 * Reads the next field. Returns false at the end of the message, and fails the
 * cursor if the message is damaged; groups, which are obsolete, are damage.
 */
bool protobuf_next(struct cursor *message, struct protobuf_field *field);

/* Reads an LEB128 varint of at most 10 bytes; fails the cursor otherwise. */
uint64_t protobuf_varint(struct cursor *c);

/*
 * Reads the next number of a repeated field, which may be packed: then its
 * bytes are consumed. Returns false after the last one; damaged bytes end the
 * numbers, and field->bytes has failed.
 */
bool protobuf_next_number(struct protobuf_field *field, uint64_t *value);

/* The same for numbers of type fixed64. */
bool protobuf_next_fixed64(struct protobuf_field *field, uint64_t *value);

#endif
