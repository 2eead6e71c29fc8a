/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_blocks: the sampled blocks of native memory of a process, of which
 * those that are not freed are a profile.
 */
#ifndef BPF_SAMPLING_NATIVE_BLOCKS_H
#define BPF_SAMPLING_NATIVE_BLOCKS_H

#include "bpf/kernel/sample_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_block {
	struct sampler_block key;
	uint64_t time_ns;       /* of its allocation; CLOCK_MONOTONIC */
	uint64_t size;          /* in bytes */
	uint64_t weight;        /* bytes that it represents; 0 = by its size */
	uint32_t stack, thread; /* ids of the profile */
};

/* Zeroed storage is empty. */
struct native_blocks {
	struct native_block *all;
	size_t count, cap;
	size_t sweep_at; /* the count at which freed blocks are removed */
	uint64_t taken;  /* number of all blocks that were added */
};

/* Returns true if a block is not freed. */
typedef bool native_live_fn(void *self, const struct native_block *b);

/* Adds a block; removes freed ones so that at most half of them are freed. */
void native_blocks_add(struct native_blocks *b, const struct native_block *new,
		       native_live_fn *is_live, void *self);

/* Removes freed blocks. */
void native_blocks_sweep(struct native_blocks *b, native_live_fn *is_live,
			 void *self);
void native_blocks_release(struct native_blocks *b);

/*
 * Returns the bytes that a sampled block of a size represents: the size divided
 * by the probability to sample it, 1 - exp(-size / interval).
 */
uint64_t native_block_weight(uint64_t size, uint64_t interval);

#endif
