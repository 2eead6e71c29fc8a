/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_cache: what HotSpot has compiled or generated: its CodeBlobs.
 *
 * A blob is found by any address in it, through the heap's segment map
 * (CodeHeap::find_start).  What was found is kept until the blob that is there
 * is another: compilations come and go while samples are looked at, so a blob's
 * compile id is looked at again now and then (code_cache_begin()).
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

/* True when the address is in a heap of the code cache. */
bool code_cache_has(const struct code_cache *c, uint64_t pc);

/*
 * The blob at pc, or NULL; valid until the next code_cache_begin().  When it
 * was not looked for, code_cache_refused() says one more than before.
 */
const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc);

/*
 * Its code, from begin to end, as it was at some time; NULL when it cannot be
 * read.  It is valid until the next code_cache_begin().
 */
const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob);

/*
 * What was not looked at since it was too much for one generation; no JVM has
 * so much unless it lies.
 */
uint64_t code_cache_refused(const struct code_cache *c);

/*
 * How many blobs that had been asked for were found to be gone, or to be
 * others', since the beginning.
 */
uint64_t code_cache_gone(const struct code_cache *c);

/*
 * From now on blobs are looked at again, each once, before they are believed,
 * as are heaps that have grown.  For each batch of samples.
 */
void code_cache_begin(struct code_cache *c);

struct code_list {
	/* By where their code begins; identities are those of the list. */
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
