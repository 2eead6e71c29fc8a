/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_samples: samples of a top of threads, made for tests.
 */
#ifndef TESTS_UNIT_TOP_SAMPLES_H
#define TESTS_UNIT_TOP_SAMPLES_H

#include "core/threads/thread_source.h"

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

enum { MADE_THREADS_MAX = 8 };

/* A sample with space for its threads. */
struct made_sample {
	struct top_sample sample;
	struct thread_sample threads[MADE_THREADS_MAX];
};

/* Begins a sample with this time; all its values are absent. */
void made_begin(struct made_sample *m, int64_t monotonic_ns);

/* Adds a Java thread without any counters and returns it. */
struct thread_sample *made_thread(struct made_sample *m, pid_t tid,
				  const char *name);

/* The same with CPU times. */
struct thread_sample *made_busy(struct made_sample *m, pid_t tid,
				const char *name, int64_t cpu, int64_t user,
				int64_t sys);

#endif
