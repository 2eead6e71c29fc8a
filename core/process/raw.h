/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw: integers in a copy of the target's memory, in the byte order of this
 * machine.  Callers check that the offset is within the copy.
 */
#ifndef CORE_PROCESS_RAW_H
#define CORE_PROCESS_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t raw_u16(const uint8_t *bytes, size_t offset)
{
	uint16_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static inline uint32_t raw_u32(const uint8_t *bytes, size_t offset)
{
	uint32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static inline uint64_t raw_u64(const uint8_t *bytes, size_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

#endif
