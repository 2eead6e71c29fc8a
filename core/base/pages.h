/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages: memory of tables, which is zeroed and may grow.
 *
 * A large table is a mapping of its own, in huge pages where the system offers
 * them: searches then miss the TLB rarely, and the first access of each page
 * costs less. Growing moves the pages and copies nothing. The caller keeps the
 * size, which must be the same as in the call that returned the memory.
 */
#ifndef CORE_BASE_PAGES_H
#define CORE_BASE_PAGES_H

#include <stddef.h>

/* Returns zeroed memory; never NULL. The caller calls pages_free(). */
void *pages_new(size_t bytes);

/*
 * Returns memory of `bytes` bytes, more than old_bytes, that begins with the
 * contents of old; the rest is zero. Frees old.
 */
void *pages_grown(void *old, size_t old_bytes, size_t bytes);

void pages_free(void *memory, size_t bytes); /* NULL is allowed */

/*
 * Returns the whole huge pages of these bytes, which are part of an allocation
 * and are not needed any more, to the system, so that other arrays can grow
 * into them. The caller frees the allocation as usual.
 */
void pages_discard(const void *bytes, size_t len);

#endif
