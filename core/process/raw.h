/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw: integers in a copy of a target's memory, of its byte order, which is
 * ours.  That they are within the copy is the caller's to know.
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
