/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler_maps: structures that the sampler shares with its programs only.
 *
 * A scratch area holds a record in the format of the ring buffer: a
 * sample_event, followed by its arrays.  The values of its map are as large as
 * the options require.
 */
#ifndef BPF_KERNEL_SAMPLER_MAPS_H
#define BPF_KERNEL_SAMPLER_MAPS_H

#include "bpf/kernel/sample_event.h"

#include <linux/types.h>

#define PAGE_BYTES 4096

/*
 * Maximum frames of the kernel's own walks: perf_event_max_stack is 127 unless
 * it was raised.
 */
#define SAMPLER_WALK_FRAMES 127U
#define SAMPLER_WALK_BYTES  (SAMPLER_WALK_FRAMES * 8)
#define SAMPLER_ARRAYS      SAMPLER_WALK_BYTES

#define SAMPLER_STACK_LIMIT (256U << 10)

#define SAMPLER_RING_BYTES  (32U << 20)
#define SAMPLER_TARGETS     1024
#define SAMPLER_THREADS     32768
#define SAMPLER_STACK_ENDS  8192

/*
 * Maximum number of threads at uprobes of a CPU at a time; threads may be
 * preempted there.
 */
#define SAMPLER_PROBES 4

/*
 * The cost limit of threads that leave their CPU.  When the cost in a period
 * exceeds SAMPLER_PACE_COUNT, only one stack of `stride` is copied in the next
 * period.  A stack whose end is known is usually small; copying 64 KiB takes
 * about 5 us.
 */
#define SAMPLER_PACE_NS    100000000ULL
#define SAMPLER_PACE_COUNT 1000
#define SAMPLER_PACE_SMALL 8192 /* bytes */
#define SAMPLER_PACE_LARGE 2    /* cost of a larger one */

/*
 * Each thread has this number of stacks copied per period, unless stride
 * reaches SAMPLER_PACE_MOST.
 */
#define SAMPLER_PACE_THREAD 16
#define SAMPLER_PACE_MOST   16

/*
 * The same for threads that release a monitor, by CPU: a copied stack costs
 * about 10 us in the target, and a few of them show who holds a monitor.
 */
#define SAMPLER_PACE_EXITS 100

/*
 * The same for page faults, by CPU.  The weight of a sample includes the faults
 * since the last one, so that the sum is exact.
 */
#define SAMPLER_PACE_FAULTS 1000

/* Sampled blocks that are not freed; at 512 KB for each, 64 GB. */
#define SAMPLER_BLOCKS 131072
/* Threads within a function that allocates a sampled block. */
#define SAMPLER_PENDING 4096

/* Places of USDT probes that are attached. */
#define SAMPLER_USDTS 64

struct pace {
	__u64 began_ns;
	__u32 count, stride;
	__u64 omitted; /* page faults since the last sample */
};

/* A function that allocates a sampled block has been entered. */
struct pending_block {
	__u64 size;
	/*
	 * Where it stores the address; 0 = it returns the address.  Of mmap():
	 * enum sample_map.
	 */
	__u64 out;
	__u64 ip, sp; /* at its entry */
};

/* The calls on a CPU. */
struct block_calls {
	__s64 left; /* bytes until the next sample; 0 = not yet chosen */
	__u64 allocations, frees, maps;
};

/*
 * As struct elf_usdt_argument, which the programs cannot include, but reg is
 * the offset of the register in struct pt_regs.
 */
struct usdt_argument {
	__u8 bytes, is_signed, is_constant, is_memory, reg;
	__s64 offset;
};

struct usdt_arguments {
	struct usdt_argument all[3];
};

/* The stack of a thread, from its earlier samples. */
struct known_stack {
	__u64 end;      /* address after its last byte; 0 = unknown */
	__u64 began_ns; /* start of the period of count */
	__u64 count;
};

struct scratch {
	struct pace pace;
	struct sample_event event;
	/*
	 * The verifier proves only an upper bound of an offset, so there is one
	 * page more.
	 */
	__u8 bytes[SAMPLER_ARRAYS + SAMPLER_STACK_LIMIT + PAGE_BYTES];
};

/*
 * Follows the sample of a thread that was switched out or waits for a monitor.
 * The sample is sent at the beginning; this record has the end, and is shorter.
 */
struct sample_resumed {
	__u64 out_ns; /* the sample's time_ns */
	__u64 in_ns;
	__u32 tgid, tid;
	__u64 kind;
};

/* A thread that is off its CPU, with its numbers in the sampler's namespace. */
struct switched_out {
	__u64 out_ns;
	__u32 tgid, tid;
	__u64 is_sent; /* its sample had room in the ring buffer */
};

#endif
