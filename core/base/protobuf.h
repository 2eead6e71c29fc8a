/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf: writes protocol buffer messages field by field (protobuf.dev,
 * "Encoding").
 *
 * A nested message is written to a text of its own and then added as bytes.
 */
#ifndef CORE_BASE_PROTOBUF_H
#define CORE_BASE_PROTOBUF_H

#include "core/base/text.h"

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

#endif
