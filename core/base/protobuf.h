/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf: writes messages of protocol buffers, as their encoding has them
 * (protobuf.dev, "Encoding"), field by field into a text.
 *
 * A message in a message is written apart and then put in by its bytes.
 */
#ifndef CORE_BASE_PROTOBUF_H
#define CORE_BASE_PROTOBUF_H

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* A field of a number or a truth; 0 is what a reader takes if there is none. */
static inline void protobuf_uint(struct text *out, uint32_t field,
				 uint64_t value)
{
	if (!value)
		return;
	text_varint(out, (uint64_t)field << 3);
	text_varint(out, value);
}

/* A field of bytes, a string, a message, or numbers one after the other. */
static inline void protobuf_bytes(struct text *out, uint32_t field,
				  const void *bytes, size_t len)
{
	text_varint(out, (uint64_t)field << 3 | 2);
	text_varint(out, len);
	text_add(out, bytes, len);
}

/* Puts in a message that was written apart, which is empty afterwards. */
static inline void protobuf_message(struct text *out, uint32_t field,
				    struct text *message)
{
	protobuf_bytes(out, field, message->bytes, message->len);
	text_clear(message);
}

#endif
