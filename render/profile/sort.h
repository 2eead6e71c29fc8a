/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_sort: sorts names that have much in common.
 *
 * Names of Java frames share their packages: an ordinary sort compares the same
 * leading bytes again and again.  This one remembers how many are known to be
 * equal and goes on from there, so that long names cost no more than their
 * length.
 */
#ifndef RENDER_PROFILE_SORT_H
#define RENDER_PROFILE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct name {
	const char *text;
	size_t len;
	size_t shared; /* set: leading bytes in common with the name before */
	uint32_t item; /* what the name belongs to */
};

/* Sorts by bytes, a prefix before what it begins; equal names keep order. */
void name_sort(struct name *names, size_t count);

/*
 * row_sort: sorts millions of small rows by their numbers.
 */
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
