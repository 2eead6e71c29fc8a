/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: the memory of another process, or what stands for it.
 *
 * What is read is foreign and may change between two reads.  Addresses are the
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
	bool is_read; /* set by memory_read_all() */
};

struct memory {
	/* Reads the ranges, each whole or not at all, and says which. */
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

/* Integers of the target's byte order, which is ours; 0 when unreadable. */
uint64_t memory_u64(struct memory *m, uint64_t address);
uint32_t memory_u32(struct memory *m, uint64_t address);

/*
 * A NUL-terminated string into text, of at most size - 1 bytes, cut there.
 * False when nothing of it can be read; text is "" then.
 */
bool memory_string(struct memory *m, uint64_t address, char *text, size_t size);

#endif
