/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_cache: the code that HotSpot has compiled or generated, as CodeBlobs.
 *
 * Any address in a blob leads to it, through the heap's segment map
 * (CodeHeap::find_start).  Blobs are cached.  Methods are compiled and freed
 * while samples are processed, so code_cache_begin() has cached blobs checked
 * again by their compile IDs.
 */
#ifndef CORE_HOTSPOT_CODE_CACHE_H
#define CORE_HOTSPOT_CODE_CACHE_H

#include "core/base/error.h"
#include "core/hotspot/code_blob.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_cache;

struct code_cache *code_cache_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err);
void code_cache_close(struct code_cache *c); /* NULL is fine */

/* Returns true when the address is in a heap of the code cache. */
bool code_cache_has(const struct code_cache *c, uint64_t pc);

/*
 * Returns the blob at pc, or NULL; valid until the next code_cache_begin().  If
 * the limits of a generation prevent the search, code_cache_refused()
 * increases.
 */
const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc);

/*
 * Returns a copy of the blob's code, from begin to end, or NULL when it is
 * unreadable.  The copy may be older than the blob's latest code.  Valid until
 * the next call of a function of the code cache.
 */
const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob);

/*
 * Returns the number of searches that the limits of a generation have
 * prevented; no genuine JVM reaches the limits.
 */
uint64_t code_cache_refused(const struct code_cache *c);

/*
 * Returns the number of cached blobs that were gone or replaced when checked.
 */
uint64_t code_cache_gone(const struct code_cache *c);

/*
 * Call before a batch of samples: checks each cached blob again before it is
 * used, and reads heaps that have grown.
 */
void code_cache_begin(struct code_cache *c);

/* Frees all blobs and copies of code; valid pointers to blobs end. */
void code_cache_drop(struct code_cache *c);

struct code_list {
	/* Sorted by begin; identities are unique in the list. */
	struct code_blob *blobs;
	size_t count;
};

/*
 * Lists all blobs in the code cache.  The JVM keeps running: blobs that appear
 * or disappear during the read may be in the list or not. ERROR_UNAVAILABLE
 * names what the JVM does not export.  After success,
 * code_list_release() must follow.
 */
int code_list_read(struct code_list *list, const struct vm_structs *v,
		   struct memory *memory, struct error *err);
void code_list_release(struct code_list *list); /* zeroed storage is fine */

#endif
