/* SPDX-License-Identifier: Apache-2.0 */
/*
 * off_cpu: samples of threads that are off their CPUs.
 *
 * A thread's stack can be read as it leaves; for how long it left is known when
 * it returns.  In between, the sample is kept here.  Pure bookkeeping.
 */
#ifndef BPF_OFF_CPU_H
#define BPF_OFF_CPU_H

#include "bpf/kernel/sample_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OFF_CPU_BUCKETS = 4096 };

/* More than so many bytes are not kept: 20,000 threads of 6 KiB. */
#define OFF_CPU_BYTES ((size_t)128 << 20)

struct off_cpu_sample {
	struct off_cpu_sample *next;
	size_t size;
	uint32_t key;
	struct sample_event event; /* with its arrays behind it */
};

struct off_cpu {
	struct off_cpu_sample *buckets[OFF_CPU_BUCKETS];
	size_t bytes, count;
	uint64_t dropped; /* there was no room for them */
	uint64_t unended; /* the key had another wait before the end came */
};

/*
 * Keeps a copy, by a key: the thread, or when a Java thread began to wait,
 * which may go on on another.  One that is there for the key already has lost
 * its end, and is counted: Linux does not trace each switch (seen on 6.18).
 */
void off_cpu_left(struct off_cpu *o, uint32_t key, const struct sample_event *e,
		  size_t size);

/*
 * The sample of that key which began at out_ns; it is the caller's to free from
 * now on; NULL when there is none.
 */
struct off_cpu_sample *off_cpu_returned(struct off_cpu *o, uint32_t key,
					uint64_t out_ns);

/* Any that is left, in the same way; NULL = none. */
struct off_cpu_sample *off_cpu_any(struct off_cpu *o);

void off_cpu_release(struct off_cpu *o);

#endif
