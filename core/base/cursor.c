/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/cursor.h"

static uint64_t big_endian(struct cursor *c, unsigned len)
{
	const uint8_t *bytes = cursor_bytes(c, len);
	uint64_t value = 0;

	for (unsigned i = 0; bytes && i < len; i++)
		value = value << 8 | bytes[i];
	return value;
}

uint16_t cursor_u16(struct cursor *c) { return (uint16_t)big_endian(c, 2); }
uint32_t cursor_u32(struct cursor *c) { return (uint32_t)big_endian(c, 4); }
uint64_t cursor_u64(struct cursor *c) { return big_endian(c, 8); }

uint64_t cursor_varint_slow(struct cursor *c)
{
	const uint8_t *at = c->at, *end = c->end;
	uint64_t value = 0;

	for (unsigned shift = 0; at < end && shift < 56; shift += 7) {
		uint64_t byte = *at++;

		value |= (byte & 0x7f) << shift;
		if (byte < 0x80) {
			c->at = at;
			return value;
		}
	}
	if (at == end) {
		cursor_fail(c);
		return 0;
	}
	c->at = at + 1;
	return value | (uint64_t)*at << 56;
}

struct cursor cursor_slice(struct cursor *c, uint64_t len)
{
	struct cursor slice = *c;

	if (cursor_bytes(c, len))
		slice.end = slice.at + len;
	else
		cursor_fail(&slice);
	return slice;
}

struct cursor cursor_from(const struct cursor *c, uint64_t offset)
{
	struct cursor moved = *c;

	if (c->failed || offset > (uint64_t)(c->end - c->base))
		cursor_fail(&moved);
	else
		moved.at = c->base + offset;
	return moved;
}

size_t cursor_count(struct cursor *c, size_t min_size)
{
	uint64_t count = cursor_varint(c);

	if (min_size && count > cursor_left(c) / min_size) {
		cursor_fail(c);
		return 0;
	}
	return (size_t)count;
}
