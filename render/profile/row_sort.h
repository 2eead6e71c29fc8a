/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_sort: sorts millions of small rows by their numbers.
 */
#ifndef RENDER_PROFILE_ROW_SORT_H
#define RENDER_PROFILE_ROW_SORT_H

#include <stddef.h>
#include <stdint.h>

struct row {
	uint64_t minor;
	uint32_t major;
	uint32_t item; /* what the row stands for; no part of the order */
};

/*
 * Sorts by major, then minor; rows that agree in both keep their order.  Takes
 * time that grows with count alone, and as much memory again.
 */
void row_sort(struct row *rows, size_t count);

#endif
