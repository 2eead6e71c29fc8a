/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_weights: corrects the first allocation sample of each thread.
 *
 * The weight of a jdk.ObjectAllocationSample is the number of bytes that its
 * thread has allocated since its previous sample. The first sample in a
 * recording has no previous one: up to JDK 25 its weight is all that the thread
 * has allocated since it started, or since an older recording (JDK-8307488,
 * JDK-8362573), which can be many times what it allocated during the recording.
 * So the first sample of each thread is kept back until the recording has been
 * read, and a weight above an estimate is replaced by the estimate.
 */
#ifndef CORE_FORMATS_JFR_FIRST_WEIGHTS_H
#define CORE_FORMATS_JFR_FIRST_WEIGHTS_H

#include "core/base/map64.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A jdk.ThreadAllocationStatistics: the total that a thread has allocated. */
struct allocated {
	int64_t time_ns; /* 0 = none */
	uint64_t bytes;
};

struct first_weight {
	struct sample sample; /* the first sample; count 0 = none */
	uint64_t later, later_max,
		later_bytes;  /* of the later samples: number, maximum, bytes */
	uint64_t chunk_bytes; /* bytes of the later samples in the current chunk
			       */
	int64_t chunk_last_ns;
	uint64_t chunk;
	struct allocated oldest, newest;
	uint64_t bytes_until_newest; /* bytes of the later samples up to the
					newest statistics */
};

/* State of one recording; zeroed storage is the initial state. */
struct first_weights {
	struct map64 by_thread; /* index into threads */
	struct first_weight *threads;
	size_t count, cap;
	uint64_t later, later_max, later_bytes; /* of all threads */
	uint64_t chunk;
	int64_t start_ns;       /* of the recording */
	int64_t first_stats_ns; /* time of the earliest statistics */
};

/* Starts a chunk of the recording at that time. */
void first_weights_chunk(struct first_weights *f, int64_t start_ns);

/*
 * Takes an allocation sample with a thread and a time. False if the sample is
 * kept back; otherwise the caller must add *s, which may be another sample that
 * was kept back before.
 */
bool first_weights_take(struct first_weights *f, struct sample *s);

/* Records the total that a thread had allocated at that time. */
void first_weights_allocated(struct first_weights *f, uint32_t thread,
			     int64_t time_ns, uint64_t bytes);

/* Ends the recording: adds all samples that were kept back. */
void first_weights_end(struct first_weights *f, struct profile *p);

void first_weights_release(struct first_weights *f);

#endif
