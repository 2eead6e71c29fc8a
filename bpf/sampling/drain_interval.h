/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain_interval: how long samples wait in the ring buffer before they are
 * looked at.
 *
 * To look costs CPU time, however few there are; but code that was sampled may
 * be freed before it was looked at, and then it has no name.  So samples of a
 * JVM whose code stays wait longest, and those of one that frees it, or whose
 * frames lack names, are looked at ever sooner.
 */
#ifndef BPF_SAMPLING_DRAIN_INTERVAL_H
#define BPF_SAMPLING_DRAIN_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

struct drain_interval {
	int64_t ns; /* the next wait; 0 = there was none yet */
	uint64_t changes;
};

/*
 * After a batch: how long to wait for the next, in ns.  changes counts all that
 * was there no more when it was looked at, since the beginning.
 */
int64_t drain_interval_next(struct drain_interval *p, uint64_t changes);

/*
 * Whether code goes so fast that even that wait is long: then, once it is over,
 * the next sample is not to wait at all.
 */
bool drain_interval_is_short(const struct drain_interval *p);

#endif
