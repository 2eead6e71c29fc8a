/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages: which pages of another process are in memory, from /proc/PID/pagemap.
 *
 * A page that was never touched must not be read: reading it maps the zero page
 * into the process.  Readers of memory ask here first.
 */
#ifndef CORE_MEM_PAGES_H
#define CORE_MEM_PAGES_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_BYTES = 4096 };

/* States of a page; 0 = absent. */
enum { PAGE_RESIDENT = 1, PAGE_SWAPPED = 2 };

struct pages;

/* jvm is borrowed.  ERROR_PERMISSION, or ERROR_NO_TARGET. */
struct pages *pages_open(const struct jvm *jvm, struct error *err);
void pages_close(struct pages *p); /* NULL is allowed */

/*
 * Sets the states of count pages from that address, which is a multiple of
 * PAGE_BYTES.  Pages that could not be read are absent; returns how many were
 * read.
 */
size_t pages_read(struct pages *p, uint64_t address, uint8_t *states,
		  size_t count);

/*
 * True if the process has so many absent pages where sjkc looks for pages that
 * no more are read.
 */
bool pages_are_over(const struct pages *p);

/* Bytes. */
struct page_sum {
	uint64_t resident, swapped;
	/*
	 * Of resident: other mappings have these pages, too, or they are the
	 * zero page, which RSS does not count.
	 */
	uint64_t shared;
};

/* Adds the pages that begin in [start, end). */
void pages_add(struct pages *p, uint64_t start, uint64_t end,
	       struct page_sum *sum);

#endif
