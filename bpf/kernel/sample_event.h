/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_event: one sample, as the BPF programs put it into the ring buffer.
 *
 * The programs and the reader include this file, so it uses only types of
 * <linux/types.h>.  The struct is followed by kernel_frames kernel addresses,
 * leaf first, and by stack_bytes bytes of the user stack, from regs[SAMPLE_SP]
 * on.
 */
#ifndef BPF_KERNEL_SAMPLE_EVENT_H
#define BPF_KERNEL_SAMPLE_EVENT_H

#include <linux/types.h>

enum sample_kind {
	SAMPLE_CPU,    /* a tick while the thread ran; weight is 1 */
	SAMPLE_OFFCPU, /* the thread left its CPU; weight is the time until its
			  return, in ns */
	SAMPLE_ALLOC,  /* an allocation; weight is the number of bytes that it
			  represents */
	SAMPLE_LOCK,   /* a monitor was entered; weight is the wait, in ns */
	SAMPLE_PROBE,  /* a published probe was reached; weight is 1 */
	SAMPLE_EXIT,   /* a thread releases a monitor and wakes a waiting
			  thread; weight is the number of such calls that the
			  sample represents */
	SAMPLE_BLOCK,  /* a block of native memory was allocated; weight is its
			  size in bytes */
	SAMPLE_MAP,    /* the mappings change; weight is the size in bytes */
	SAMPLE_FAULT,  /* a page fault; weight is the number of faults that the
			  sample represents */
	SAMPLE_KINDS
};

/* The changes of SAMPLE_MAP. */
enum sample_map {
	SAMPLE_MAP_ADD,    /* accessible anonymous memory */
	SAMPLE_MAP_STACK,  /* the same, as the C library maps a stack */
	SAMPLE_MAP_FILL,   /* memory becomes accessible, if it was not */
	SAMPLE_MAP_REMOVE, /* it is freed, or becomes inaccessible */
	SAMPLE_MAP_BREAK,  /* the heap of brk(2) ends at the address */
};

/* The user registers that an unwinder needs, by x86-64's names. */
enum sample_register {
	SAMPLE_IP,
	SAMPLE_SP,
	SAMPLE_BP,
	SAMPLE_BX,
	SAMPLE_R12,
	SAMPLE_R13,
	SAMPLE_R14,
	SAMPLE_R15,
	SAMPLE_AX,
	SAMPLE_REGISTERS
};

enum sample_flags {
	SAMPLE_IN_KERNEL = 1, /* the thread was in the kernel */
	SAMPLE_STACK_CUT = 2, /* there was more stack than was copied */
	SAMPLE_NO_USER = 4, /* no user registers: a kernel thread, or the thread
			       has ended */
	SAMPLE_PREEMPTED = 8, /* off-CPU although it was runnable */
	/*
	 * Off-CPU when sampling began, which is time_ns.  Only user registers
	 * are available: the stack could not be read.
	 */
	SAMPLE_BEGAN_EARLIER = 32,
	/*
	 * One of too many threads that left their CPU: without a kernel stack,
	 * with a small part of the user stack.
	 */
	SAMPLE_LEFT_OUT = 64,
	/* For an allocation or a lock: object and owner could be read. */
	SAMPLE_HAS_OBJECT = 128,
	SAMPLE_HAS_OWNER = 256,
	/* A later part of a wait that was cut: without arrays. */
	SAMPLE_CONTINUED = 512,
	SAMPLE_HAS_ANCHOR = 1024, /* anchor could be read */
};

/* Stack bytes of a wait without a complete copy: they identify its place. */
#define SAMPLE_GLANCE 1536

/* The words of a JavaFrameAnchor that are copied. */
#define SAMPLE_ANCHOR_WORDS 3

struct sample_event {
	__u64 time_ns; /* CLOCK_MONOTONIC; off-CPU: when the wait began */
	__u64 weight;
	__u64 regs[SAMPLE_REGISTERS];
	__u32 tgid, tid; /* in the PID namespace of the sampler */
	__u16 kind;      /* enum sample_kind */
	__u16 flags;
	__u32 kernel_frames; /* number of kernel addresses */
	__u32 stack_bytes;
	/*
	 * Of the reader, 0 in the ring buffer: the stack trace of a wait that
	 * was cut, whose owner is an id of the reader, too, or of a thread that
	 * was found asleep.
	 */
	__u32 stack;
	/*
	 * Its header: the mark word and the next word.  Of a wait that began
	 * before sampling: the thread's number of context switches, and when
	 * they were counted.  Of a block: its address, and the process in the
	 * initial PID namespace.  Of a fault: the address.  Of mappings: the
	 * address, and enum sample_map.
	 */
	__u64 object[2];
	/*
	 * ObjectMonitor::_owner when the wait began.  Of a block: the bytes
	 * that it represents, if the process has sampled it; otherwise 0.
	 */
	__u64 owner;
	__u64 monitor; /* address of the ObjectMonitor; 0 = unknown */
	/* The thread's JavaFrameAnchor, read together with the stack. */
	__u64 anchor[SAMPLE_ANCHOR_WORDS];
	char comm[16]; /* foreign */
};

/*
 * Offsets in HotSpot's structures, in bytes: of the JNIEnv and the awaited
 * monitor in a JavaThread, and of the owner in an ObjectMonitor.
 */
struct sampler_monitors {
	__u32 env, pending, owner;
};

/* Key of a sampled block of native memory that is not freed. */
struct sampler_block {
	__u64 address;
	__u64 tgid; /* in the initial PID namespace */
};

#endif
