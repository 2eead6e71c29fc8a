/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_maps: the anonymous memory that a process has mapped since sampling
 * began, by the calls that mapped it.
 */
#ifndef BPF_SAMPLING_NATIVE_MAPS_H
#define BPF_SAMPLING_NATIVE_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct native_map {
	uint64_t start, end;    /* [start, end), of whole pages */
	uint64_t time_ns;       /* CLOCK_MONOTONIC */
	uint32_t stack, thread; /* ids of the profile */
};

/* Zeroed storage is empty. */
struct native_maps {
	struct native_map *all; /* by address; none overlap */
	size_t count, cap;
	uint64_t lost; /* parts without room; the caller may set it to 0 */
};

enum { NATIVE_MAPS_MAX = 65536 };

/* Adds a mapping, and removes older ones from its range. */
void native_maps_add(struct native_maps *m, const struct native_map *new);

/* Adds only the parts that are not there yet. */
void native_maps_fill(struct native_maps *m, const struct native_map *new);

/* Removes the range [start, end), and so shortens or splits mappings. */
void native_maps_remove(struct native_maps *m, uint64_t start, uint64_t end);

void native_maps_release(struct native_maps *m);

#endif
