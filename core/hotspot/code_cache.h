/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_cache: the code that HotSpot has compiled or generated: its CodeBlobs.
 *
 * A blob is found by any address in it, through the heap's segment map
 * (CodeHeap::find_start). It is cached until another blob is in its place:
 * methods are compiled and freed while samples are processed, so
 * code_cache_begin() has cached blobs checked again by their compile ids.
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
 * Returns the blob at pc, or NULL; valid until the next code_cache_begin(). If
 * the limits of a generation did not allow a search, code_cache_refused()
 * increases.
 */
const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc);

/*
 * Returns the blob's code, from begin to end, as it was at some time, or NULL
 * when it is unreadable. Valid until the next code_cache_begin().
 */
const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob);

/*
 * Returns how many searches the limits of a generation have refused; no genuine
 * JVM reaches them.
 */
uint64_t code_cache_refused(const struct code_cache *c);

/* Returns how many cached blobs were found to be gone or replaced. */
uint64_t code_cache_gone(const struct code_cache *c);

/*
 * Call before a batch of samples: checks each cached blob again before it is
 * used, and reads heaps that have grown.
 */
void code_cache_begin(struct code_cache *c);

struct code_list {
	/* Sorted by begin; identities are unique in the list. */
	struct code_blob *blobs;
	size_t count;
};

/*
 * Lists all blobs in the code cache.  The JVM runs on meanwhile: a blob that
 * comes or goes while the list is read may be in it or not.
 * ERROR_UNAVAILABLE says what the JVM does not export.  code_list_release() is
 * due after success.
 */
int code_list_read(struct code_list *list, const struct vm_structs *v,
		   struct memory *memory, struct error *err);
void code_list_release(struct code_list *list); /* zeroed storage is fine */

#endif
