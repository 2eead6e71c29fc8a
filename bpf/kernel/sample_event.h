/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_event: one sample, as the BPF programs put it into the ring buffer.
 *
 * Included by the programs and by what reads them, so there are only types of
 * <linux/types.h>.  Behind the struct stand, one after the other, so many
 * kernel addresses, leaf first, and so many bytes of the user stack, from
 * regs[SAMPLE_SP] on.
 */
#ifndef BPF_KERNEL_SAMPLE_EVENT_H
#define BPF_KERNEL_SAMPLE_EVENT_H

#include <linux/types.h>

enum sample_kind {
	SAMPLE_CPU,    /* a tick while the thread ran; weight is 1 */
	SAMPLE_OFFCPU, /* it left its CPU; weight is for how long, in ns */
	SAMPLE_ALLOC,  /* an allocation; weight is the bytes it stands for */
	SAMPLE_LOCK,   /* a monitor was entered; weight is the wait, in ns */
	SAMPLE_KINDS
};

/* What of the user's registers an unwinder needs; x86-64's names. */
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
	SAMPLE_NO_USER = 4,   /* no user side: a kernel thread, or it ended */
	SAMPLE_PREEMPTED = 8, /* off-CPU though it wanted to run */
	/* Still off-CPU when sampling ended: weight is up to then. */
	SAMPLE_UNFINISHED = 16,
	/*
	 * Off-CPU when sampling began, which is time_ns.  Of the user's side
	 * there are only registers: its stack could not be read.
	 */
	SAMPLE_BEGAN_EARLIER = 32,
	/* Of too many that left their CPU: no kernel's stack, and of the
	 * user's a small part. */
	SAMPLE_LEFT_OUT = 64,
	/* Of an allocation or a lock: object and owner could be read. */
	SAMPLE_HAS_OBJECT = 128,
	SAMPLE_HAS_OWNER = 256,
};

/* Stack bytes of a wait without a whole copy: they identify its place. */
#define SAMPLE_GLANCE 1536

struct sample_event {
	__u64 time_ns; /* CLOCK_MONOTONIC; off-CPU: when that began */
	__u64 weight;
	__u64 regs[SAMPLE_REGISTERS];
	__u32 tgid, tid; /* as the process that samples sees them */
	__u16 kind;      /* enum sample_kind */
	__u16 flags;
	__u32 kernel_frames; /* how many */
	__u32 stack_bytes;
	__u32 reserved;
	__u64 object[2]; /* its header: the mark word and the next word */
	__u64 owner;     /* ObjectMonitor::_owner when the wait began */
	char comm[16];   /* foreign */
};

/*
 * Where in HotSpot's structures a JavaThread has its JNIEnv and the monitor
 * that it waits for, and an ObjectMonitor its owner; in bytes.
 */
struct sampler_monitors {
	__u32 env, pending, owner;
};

#endif
