/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_weights: corrects the first allocation sample of each thread.
 *
 * jdk.ObjectAllocationSample weighs what its thread has allocated since its
 * sample before.  The first sample in a recording has none before it: up to
 * JDK 25 it weighs all that the thread has allocated since it started, or since
 * an older recording (JDK-8307488, JDK-8362573), which can be many times what
 * it allocated during the recording.  So the first sample of each thread is
 * held back until the recording has been read, and its weight is replaced by
 * an estimate where it holds more than that.
 */
#ifndef CORE_FORMATS_JFR_FIRST_WEIGHTS_H
#define CORE_FORMATS_JFR_FIRST_WEIGHTS_H

#include "core/base/map64.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of jdk.ThreadAllocationStatistics: all that a thread has allocated. */
struct allocated {
	int64_t time_ns; /* 0: there is none */
	uint64_t bytes;
};

struct first_weight {
	struct sample sample; /* the first; count 0: there is none */
	uint64_t later, later_max, later_bytes; /* samples behind it */
	uint64_t chunk_bytes; /* of those, in the chunk that is read */
	int64_t chunk_last_ns;
	uint64_t chunk;
	struct allocated oldest, newest;
	uint64_t bytes_until_newest; /* of the samples behind the first */
};

/* Of one recording; zeroed storage is fine. */
struct first_weights {
	struct map64 by_thread; /* index into threads */
	struct first_weight *threads;
	size_t count, cap;
	uint64_t later, later_max, later_bytes; /* of all threads */
	uint64_t chunk;
	int64_t start_ns;       /* of the recording */
	int64_t first_stats_ns; /* the earliest of all */
};

/* A chunk of the recording begins at that time. */
void first_weights_chunk(struct first_weights *f, int64_t start_ns);

/*
 * An allocation sample with a thread and a time.  False when it is held back;
 * otherwise *s is to be added, which may be another sample, held back before.
 */
bool first_weights_take(struct first_weights *f, struct sample *s);

/* Records how many bytes a thread had allocated at that time. */
void first_weights_allocated(struct first_weights *f, uint32_t thread,
			     int64_t time_ns, uint64_t bytes);

/* The recording has been read: adds all that is held back. */
void first_weights_end(struct first_weights *f, struct profile *p);

void first_weights_release(struct first_weights *f);

#endif
