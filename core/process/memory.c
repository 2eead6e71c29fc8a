/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory.h"

#include <string.h>

uint64_t memory_u64(struct memory *m, uint64_t address)
{
	uint64_t value;

	return memory_read(m, address, &value, sizeof(value)) ? value : 0;
}

uint32_t memory_u32(struct memory *m, uint64_t address)
{
	uint32_t value;

	return memory_read(m, address, &value, sizeof(value)) ? value : 0;
}

bool memory_string(struct memory *m, uint64_t address, char *text, size_t size)
{
	size_t len = 0;

	/*
	 * Read in parts that cross no page boundary: the next page may be
	 * unmapped.
	 */
	while (len < size - 1) {
		size_t part = 64 - (address + len) % 64;
		char *end;

		if (part > size - 1 - len)
			part = size - 1 - len;
		if (!memory_read(m, address + len, text + len, part))
			break;
		end = memchr(text + len, '\0', part);
		if (end)
			return true;
		len += part;
	}
	text[len] = '\0';
	return len > 0;
}
