/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_strings: many strings of another process, in few reads.
 *
 * The strings of a table stand close to each other, so the pages that hold them
 * are read, each once.  A zeroed struct has none.
 */
#ifndef CORE_PROCESS_MEMORY_STRINGS_H
#define CORE_PROCESS_MEMORY_STRINGS_H

#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

/* Longer ones are as if they could not be read. */
enum { MEMORY_STRING_LEN = 255 };

struct memory_strings {
	uint64_t *pages; /* their numbers, ascending */
	bool *is_read;   /* of each */
	uint8_t *bytes;  /* of all, one after the other */
	size_t count;
};

/* Replaces what is there; more than 16 MiB of pages are left out. */
void memory_strings_read(struct memory_strings *s, struct memory *memory,
			 const uint64_t *addresses, size_t count);
void memory_strings_release(struct memory_strings *s);

/* One of those strings and its length, or NULL when it could not be read. */
const char *memory_strings_at(const struct memory_strings *s, uint64_t address,
			      size_t *len);

#endif
