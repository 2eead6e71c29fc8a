/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_sort: sorts names with long common prefixes.
 *
 * Names of Java frames share their packages, so an ordinary sort compares the
 * same leading bytes repeatedly. This merge sort stores how many leading bytes
 * are equal and compares from there on.
 */
#ifndef RENDER_TREE_SORT_H
#define RENDER_TREE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct name {
	const char *text;
	size_t len;
	size_t shared; /* set: leading bytes in common with the name before */
	uint32_t item; /* not compared */
};

/* Sorts by bytes, a prefix before longer names; stable. */
void name_sort(struct name *names, size_t count);

/* row_sort: sorts millions of small rows by two numbers. */
struct row {
	uint64_t minor;
	uint32_t major;
	uint32_t item; /* not compared */
};

/*
 * Sorts by major, then minor; stable. Takes linear time and as much memory as
 * the rows.
 */
void row_sort(struct row *rows, size_t count);

#endif
