/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler_maps: what the programs of the sampler and the sampler share.
 *
 * Private to both.  A scratch area holds a record as it goes into the ring
 * buffer: a sample_event, and the arrays behind it one after the other.  Its
 * map has values that are as large as the options ask for.
 */
#ifndef BPF_SAMPLER_MAPS_H
#define BPF_SAMPLER_MAPS_H

#include "bpf/sample_event.h"

#include <linux/types.h>

#define PAGE_BYTES 4096

/* The kernel's own walks: perf_event_max_stack is 127 unless it was raised. */
#define SAMPLER_WALK_FRAMES 127
#define SAMPLER_WALK_BYTES  (SAMPLER_WALK_FRAMES * 8)
#define SAMPLER_ARRAYS      (2 * SAMPLER_WALK_BYTES)

#define SAMPLER_STACK_LIMIT (256 * 1024)
/* The first and the last may be parts of pages. */
#define SAMPLER_STACK_PAGES (SAMPLER_STACK_LIMIT / PAGE_BYTES + 1)

#define SAMPLER_RING_BYTES  (16 * 1024 * 1024)
#define SAMPLER_TARGETS     1024

struct scratch {
	struct sample_event event;
	/* What is proved of an offset is an upper bound: hence one page more.
	 */
	__u8 bytes[SAMPLER_ARRAYS + SAMPLER_STACK_LIMIT + PAGE_BYTES];
};

struct counters {
	__u64 taken, lost;
};

#endif
