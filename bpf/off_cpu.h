/* SPDX-License-Identifier: Apache-2.0 */
/*
 * off_cpu: keeps the samples of waiting threads.
 *
 * A thread's stack can be read when the thread leaves its CPU; the length of
 * the wait is known when it returns.  This module keeps the sample in between.
 */
#ifndef BPF_OFF_CPU_H
#define BPF_OFF_CPU_H

#include "bpf/kernel/sample_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OFF_CPU_BUCKETS = 4096 };

/* Maximum bytes of all samples: 20,000 threads of 6 KiB. */
#define OFF_CPU_BYTES ((size_t)128 << 20)

struct off_cpu_sample {
	struct off_cpu_sample *next;
	size_t size;
	uint32_t key;
	struct sample_event event; /* followed by its arrays */
};

struct off_cpu {
	struct off_cpu_sample *buckets[OFF_CPU_BUCKETS];
	size_t bytes, count;
	uint64_t dropped; /* samples without room */
	uint64_t unended; /* samples whose key began another wait before their
			     end was reported */
};

/*
 * Keeps a copy of a sample by a key: the thread, or the time when a Java thread
 * began to wait (it may continue on another thread).  Replaces and counts a
 * sample with the same key whose end was not reported: Linux does not trace
 * every context switch (seen on 6.18).
 */
void off_cpu_left(struct off_cpu *o, uint32_t key, const struct sample_event *e,
		  size_t size);

/*
 * Removes and returns the sample with that key that began at out_ns; the caller
 * frees it.  NULL = none.
 */
struct off_cpu_sample *off_cpu_returned(struct off_cpu *o, uint32_t key,
					uint64_t out_ns);

/* Removes and returns any sample; the caller frees it.  NULL = none. */
struct off_cpu_sample *off_cpu_any(struct off_cpu *o);

void off_cpu_release(struct off_cpu *o);

#endif
