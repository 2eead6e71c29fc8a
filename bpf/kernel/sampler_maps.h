/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler_maps: what the programs of the sampler and the sampler share.
 *
 * Private to both.  A scratch area holds a record as it goes into the ring
 * buffer: a sample_event, and the arrays behind it one after the other.  Its
 * map has values that are as large as the options ask for.
 */
#ifndef BPF_KERNEL_SAMPLER_MAPS_H
#define BPF_KERNEL_SAMPLER_MAPS_H

#include "bpf/kernel/sample_event.h"

#include <linux/types.h>

#define PAGE_BYTES 4096

/* The kernel's own walks: perf_event_max_stack is 127 unless it was raised. */
#define SAMPLER_WALK_FRAMES 127
#define SAMPLER_WALK_BYTES  (SAMPLER_WALK_FRAMES * 8)
#define SAMPLER_ARRAYS      SAMPLER_WALK_BYTES

#define SAMPLER_STACK_LIMIT (256 * 1024)

#define SAMPLER_RING_BYTES  (32 * 1024 * 1024)
#define SAMPLER_TARGETS     1024
#define SAMPLER_THREADS     32768
#define SAMPLER_STACK_ENDS  8192

/* How many threads may be at a uprobe of a CPU at a time: they may be preempted
 * there. */
#define SAMPLER_PROBES 4

/*
 * What threads that leave their CPU may cost: when they have cost so much in a
 * time, only one of stride has its stack copied in the next.  A stack whose end
 * is known is small as a rule; to copy 64 KiB takes some 5 us.
 */
#define SAMPLER_PACE_NS    100000000ULL
#define SAMPLER_PACE_COUNT 1000
#define SAMPLER_PACE_SMALL 8192 /* bytes */
#define SAMPLER_PACE_LARGE 2    /* what a larger one costs */

/* So often each thread has its stack copied, as long as there are not too many.
 */
#define SAMPLER_PACE_THREAD 16
#define SAMPLER_PACE_MOST   16

struct pace {
	__u64 began_ns;
	__u32 count, stride;
};

/* The stack of a thread, from its earlier samples. */
struct known_stack {
	__u64 end;      /* behind its last byte; 0 = not known */
	__u64 began_ns; /* since when it has left its CPU count times */
	__u64 count;
};

struct scratch {
	struct pace pace;
	struct sample_event event;
	/* What is proved of an offset is an upper bound: hence one page more.
	 */
	__u8 bytes[SAMPLER_ARRAYS + SAMPLER_STACK_LIMIT + PAGE_BYTES];
};

/*
 * When a thread is switched out, or begins to wait for a monitor, its sample is
 * sent; for how long is known when it goes on: then this follows, and is
 * shorter.
 */
struct sample_resumed {
	__u64 out_ns; /* the sample's time_ns */
	__u64 in_ns;
	__u32 tgid, tid;
	__u64 kind;
};

/* A thread that is off its CPU, and the numbers that the sampler knows. */
struct switched_out {
	__u64 out_ns;
	__u32 tgid, tid;
	__u64 is_sent; /* its sample had room in the ring buffer */
};

#endif
