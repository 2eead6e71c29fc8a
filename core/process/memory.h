/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: an interface to the memory of another process.
 *
 * The contents are foreign and may change between two reads. Addresses are the
 * target's.
 */
#ifndef CORE_PROCESS_MEMORY_H
#define CORE_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_range {
	uint64_t address;
	void *bytes;
	size_t len;
	bool is_read; /* set by read_all() */
};

struct memory {
	/* Reads each range completely or not at all, and sets its is_read. */
	void (*read_all)(struct memory *self, struct memory_range *ranges,
			 size_t count);
};

static inline bool memory_read(struct memory *m, uint64_t address, void *bytes,
			       size_t len)
{
	struct memory_range range = { address, bytes, len, false };

	m->read_all(m, &range, 1);
	return range.is_read;
}

/*
 * Return an integer in the target's byte order, which is ours; 0 when it is
 * unreadable.
 */
uint64_t memory_u64(struct memory *m, uint64_t address);
uint32_t memory_u32(struct memory *m, uint64_t address);

/*
 * Reads a NUL-terminated string into text and truncates it to size - 1 bytes.
 * Returns false, with an empty text, when nothing is readable.
 */
bool memory_string(struct memory *m, uint64_t address, char *text, size_t size);

#endif
