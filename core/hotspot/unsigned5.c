/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/unsigned5.h"

enum { LONGEST = 5, DIGIT_BITS = 6, HIGH_BYTES = 1 << DIGIT_BITS };

uint32_t unsigned5_read(struct cursor *c, unsigned excluded)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < LONGEST; i++) {
		uint8_t byte = cursor_u8(c);

		if (!cursor_ok(c))
			return 0;
		if (byte < excluded) {
			cursor_fail(c);
			return 0;
		}
		value += (uint32_t)(byte - excluded) << i * DIGIT_BITS;
		if (byte < UINT8_MAX + 1 - HIGH_BYTES)
			break;
	}
	return value;
}

int32_t unsigned5_read_signed(struct cursor *c, unsigned excluded)
{
	uint32_t value = unsigned5_read(c, excluded);

	return (int32_t)(value >> 1 ^ (0 - (value & 1)));
}
