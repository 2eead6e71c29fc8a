/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_heap: the parts of HotSpot's code cache, and the blocks in them.
 *
 * A heap is cut into segments, of which a map has a byte each: how far back
 * the block's first segment is, at most; 0 there, and 255 where no block is
 * (memory/heap.cpp of HotSpot, CodeHeap::find_block_for).
 */
#ifndef CORE_HOTSPOT_CODE_HEAP_H
#define CORE_HOTSPOT_CODE_HEAP_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_HEAPS = 16 };

struct code_heaps {
	struct code_heap {
		uint64_t low, high; /* reserved: it grows into that */
		uint64_t segment_map;
		uint32_t segment_shift;
	} all[CODE_HEAPS];
	size_t count;
	uint32_t block_header; /* of a block, before what it holds */
	bool says_used;        /* a byte of it says whether it is in use: */
	uint32_t used_at;
};

/* Replaces *h.  ERROR_UNAVAILABLE says what this JVM does not say of itself. */
int code_heaps_read(struct code_heaps *h, const struct vm_structs *v,
		    struct memory *memory, struct error *err);

/* The heap that an address is in, or NULL. */
const struct code_heap *code_heaps_at(const struct code_heaps *h, uint64_t pc);

/*
 * The block that holds the address; false when there is none.  Each read of the
 * map is taken off *reads, and 0 is the end of it: a map that lies may lead
 * far.
 */
bool code_heaps_block(const struct code_heaps *h, struct memory *memory,
		      uint64_t pc, uint32_t *reads, uint64_t *block);

#endif
