/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/dwarf_cursor.h"

uint16_t dwarf_u16(struct cursor *c)
{
	return (uint16_t)cursor_little_endian(c, 2);
}
uint32_t dwarf_u32(struct cursor *c)
{
	return (uint32_t)cursor_little_endian(c, 4);
}
static uint64_t dwarf_u64(struct cursor *c)
{
	return cursor_little_endian(c, 8);
}

/* *shift is the number of bits read, *last the last byte. */
static uint64_t dwarf_read_leb(struct cursor *c, unsigned *shift, uint8_t *last)
{
	uint64_t value = 0;

	*shift = 0;
	do {
		if (*shift >= 70)
			cursor_fail(c);
		*last = cursor_u8(c);
		if (*shift < 64)
			value |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80);
	return value;
}

uint64_t dwarf_uleb(struct cursor *c)
{
	unsigned shift;
	uint8_t last;

	return dwarf_read_leb(c, &shift, &last);
}

int64_t dwarf_sleb(struct cursor *c)
{
	unsigned shift;
	uint8_t last;
	uint64_t value = dwarf_read_leb(c, &shift, &last);

	if (last & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* Reads a value by the low four bits of an encoding. */
static uint64_t dwarf_read_format(struct cursor *c, uint8_t format)
{
	switch (format) {
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		return dwarf_u64(c);
	case 0x01:
		return dwarf_uleb(c);
	case 0x02:
		return dwarf_u16(c);
	case 0x03:
		return dwarf_u32(c);
	case 0x09:
		return (uint64_t)dwarf_sleb(c);
	case 0x0a:
		return (uint64_t)(int16_t)dwarf_u16(c);
	case 0x0b:
		return (uint64_t)(int32_t)dwarf_u32(c);
	default:
		cursor_fail(c);
		return 0;
	}
}

uint64_t dwarf_pointer(struct cursor *c, uint8_t encoding, uint64_t section)
{
	uint64_t at = section + cursor_offset(c);
	uint64_t value = dwarf_read_format(c, encoding & DWARF_POINTER_FORMAT);

	switch (encoding & ~DWARF_POINTER_FORMAT) {
	case 0x00:
		return value;
	case 0x10: /* pcrel */
		return at + value;
	default: /* relative to text, data or functions; indirect */
		cursor_fail(c);
		return 0;
	}
}
