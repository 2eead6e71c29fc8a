/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/protobuf.h"

#define FIELD_MAX ((UINT64_C(1) << 29) - 1)
/* A number that protobuf_next_number() has returned already. */
#define TYPE_CONSUMED ((enum protobuf_type)7)

uint64_t protobuf_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = cursor_u8(c);

		value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return cursor_ok(c) ? value : 0;
	}
	cursor_fail(c);
	return 0;
}

bool protobuf_next(struct cursor *message, struct protobuf_field *field)
{
	uint64_t tag;

	if (!cursor_ok(message) || !cursor_left(message))
		return false;
	tag = protobuf_varint(message);
	field->number = (uint32_t)(tag >> 3);
	field->type = (enum protobuf_type)(tag & 7);
	field->bytes = cursor_over(NULL, 0);
	field->value = 0;
	if (!field->number || tag >> 3 > FIELD_MAX)
		cursor_fail(message);
	switch (field->type) {
	case PROTOBUF_VARINT:
		field->value = protobuf_varint(message);
		break;
	case PROTOBUF_FIXED64:
		field->value = cursor_little_endian(message, 8);
		break;
	case PROTOBUF_FIXED32:
		field->value = cursor_little_endian(message, 4);
		break;
	case PROTOBUF_BYTES:
		field->bytes = cursor_slice(message, protobuf_varint(message));
		break;
	default:
		cursor_fail(message);
	}
	return cursor_ok(message);
}

/* Handles a number that is not packed; true if there is one. */
static bool protobuf_single(struct protobuf_field *f, uint64_t *value)
{
	bool any = f->type != TYPE_CONSUMED && f->type != PROTOBUF_BYTES;

	*value = f->value;
	if (any)
		f->type = TYPE_CONSUMED;
	return any;
}

bool protobuf_next_number(struct protobuf_field *field, uint64_t *value)
{
	if (field->type != PROTOBUF_BYTES)
		return protobuf_single(field, value);
	if (!cursor_left(&field->bytes))
		return false;
	*value = protobuf_varint(&field->bytes);
	return cursor_ok(&field->bytes);
}

bool protobuf_next_fixed64(struct protobuf_field *field, uint64_t *value)
{
	if (field->type != PROTOBUF_BYTES)
		return protobuf_single(field, value);
	if (!cursor_left(&field->bytes))
		return false;
	*value = cursor_little_endian(&field->bytes, 8);
	return cursor_ok(&field->bytes);
}
