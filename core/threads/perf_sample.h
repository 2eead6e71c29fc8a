/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_sample: what a JVM's perfdata adds to a sample of its process.
 *
 * Garbage collection, safepoints and, as of the last collection, the heap; by
 * the counters of HotSpot, JDK 8 to 25, whatever collector it runs.
 */
#ifndef CORE_THREADS_PERF_SAMPLE_H
#define CORE_THREADS_PERF_SAMPLE_H

#include "core/jvm/perfdata.h"
#include "core/threads/thread_source.h"

/*
 * Sets the figures of *out that the counters have, and leaves the others.  The
 * heap's are not set before something is known to be used in it.
 */
void perf_sample_add(const struct perfdata *p, struct process_sample *out);

/* How long the program has stood still, in ns; COUNTER_ABSENT if unknown. */
int64_t perf_sample_stopped(const struct process_sample *process);

#endif
