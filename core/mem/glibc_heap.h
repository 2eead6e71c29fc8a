/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc_heap: the arenas of glibc's malloc in another process, read from
 * outside without symbols, and without stopping the process.
 *
 * The layout of malloc_state is measured, not assumed: the last bin is empty,
 * which points to itself (glibc 2.31 to 2.43, x86-64).
 */
#ifndef CORE_MEM_GLIBC_HEAP_H
#define CORE_MEM_GLIBC_HEAP_H

#include "core/base/error.h"
#include "core/mem/pages.h"
#include "core/process/mappings.h"
#include "core/process/memory.h"
#include "core/process/read_budget.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All sizes are in bytes. */
struct malloc_arena {
	uint64_t address; /* of the malloc_state */
	bool is_main;
	unsigned heaps;
	uint64_t threads;  /* that are attached */
	uint64_t system;   /* that the arena got from the kernel */
	uint64_t resident; /* of its heaps */
	/* Sum of blocks, with headers and blocks in tcaches; their number. */
	uint64_t in_use, blocks;
	uint64_t in_use_resident;
	uint64_t free, free_resident; /* with fastbins, without top */
	uint64_t trimmable;           /* that malloc_trim() returns */
	uint64_t top_resident;
	uint64_t swapped;   /* not walked, because reading it would swap in */
	uint64_t unwalked;  /* resident bytes that made no sense */
	bool is_incomplete; /* unwalked and swapped exceed 1 % of resident */
};

/* Blocks in use of one size, with the header of 8 or 16 bytes. */
struct malloc_size {
	uint64_t size, blocks;
};

/* A range of the address space that is a heap of an arena. */
struct malloc_range {
	uint64_t start, end;
	size_t arena; /* index */
};

struct glibc_heap {
	bool is_found;   /* this process has glibc's arenas */
	uint64_t mapped; /* bytes of blocks with a mapping of their own
			    (mp_.mmapped_mem); 0 if has_mapped is false */
	uint64_t mapped_count;
	bool has_mapped;
	struct malloc_arena *arenas; /* the main one first */
	size_t arena_count;
	struct malloc_range *ranges; /* by address */
	size_t range_count;
	struct malloc_size *sizes; /* most bytes first */
	size_t size_count;
	uint64_t sizes_dropped; /* bytes of blocks whose size did not fit into
				   the table */
	bool is_cut;            /* a limit of time or arenas ended the walk */
	const char *why_not;    /* if it is not found; a constant */
};

struct glibc_heap_limits {
	const struct read_budget *budget; /* borrowed; NULL = no limit */
	size_t arenas, ranges;            /* 0 = 4,096 and 65,536 */
	bool wants_no_blocks; /* only ranges and arenas, without a walk */
};

/*
 * Reads all arenas.  Always succeeds: is_found, is_incomplete and is_cut tell
 * what is missing.  glibc_heap_release() must follow.
 */
void glibc_heap_read(struct glibc_heap *h, struct memory *memory,
		     const struct mappings *mappings, struct pages *pages,
		     const struct glibc_heap_limits *limits);
void glibc_heap_release(struct glibc_heap *h); /* zeroed is allowed */

/*
 * True if the bytes at the start of a mapping of that length are the header of
 * a block that malloc() gave a mapping of its own; sets its size.
 */
bool glibc_is_mapped_block(const uint64_t header[2], uint64_t mapping_bytes,
			   uint64_t *size);

#endif
