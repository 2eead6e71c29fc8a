/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_strings: reads many strings of another process at once.
 *
 * The strings of a table are close together, so each page with strings is read
 * once.  A zeroed struct has no strings.
 */
#ifndef CORE_PROCESS_MEMORY_STRINGS_H
#define CORE_PROCESS_MEMORY_STRINGS_H

#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

/* Longer strings count as unreadable. */
enum { MEMORY_STRING_LEN = 255 };

struct memory_strings {
	uint64_t *pages; /* page numbers, ascending */
	bool *is_read;   /* of each page */
	uint8_t *bytes;  /* of all pages, in a row */
	size_t count;
};

/* Reads the strings at the addresses; skips pages beyond 16 MiB. */
void memory_strings_read(struct memory_strings *s, struct memory *memory,
			 const uint64_t *addresses, size_t count);
void memory_strings_release(struct memory_strings *s);

/* Returns a string and its length, or NULL when it was not readable. */
const char *memory_strings_at(const struct memory_strings *s, uint64_t address,
			      size_t *len);

#endif
